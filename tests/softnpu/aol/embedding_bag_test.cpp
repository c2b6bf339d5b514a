// SPDX-License-Identifier: Apache-2.0
// Bags of embeddings, drawing categories, and the margin loss over several labels.
#include <array>
#include <limits>

#include "tests/softnpu/aol/device_tensor.h"

namespace npu::testing {
namespace {

constexpr int64_t kSum = 0, kMean = 1, kMax = 2, kNoPadding = -1;
const aclTensor* const kUnweighted = nullptr;

TEST(EmbeddingBag, SumsMeansAndMaximaOfRows) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    for (aclDataType index : {ACL_INT64, ACL_INT32}) {
      const Tensor weight({3, 2}, dtype, {1, 8, 3, 4, 5, -6}), indices({4}, index, {0, 1, 2, 2});
      const Tensor offsets({3}, index, {0, 3, 3}), out({3, 2}, dtype);
      const Tensor bags({4}, index), sizes({3}, index), places({3, 2}, index), none({3}, index);
      const auto run = [&](int64_t mode, int64_t padding, aclTensor* max_indices) {
        ASSERT_EQ(
            ACLNN(aclnnEmbeddingBag)(weight, indices, offsets, false, mode, false, kUnweighted,
                                     false, padding, out, bags, sizes, max_indices),
            0)
            << last_message();
      };
      run(kSum, kNoPadding, none);
      expect_close(out.values(), {9, 6, 0, 0, 5, -6});
      expect_close(bags.values(), {0, 0, 0, 2});
      run(kMean, 1, none);
      expect_close(out.values(), {3, 1, 0, 0, 5, -6});
      expect_close(sizes.values(), {2, 0, 1});
      run(kMax, kNoPadding, places);
      expect_close(out.values(), {5, 8, 0, 0, 5, -6});
      expect_close(places.values(), {2, 0, 0, 0, 2, 2});
    }
  }
}

TEST(EmbeddingBag, WeighsSamplesAndEndsAtTheLastOffset) {
  const Tensor weight({2, 3}, ACL_FLOAT, {1, 2, 3, 4, 5, 6}), turned(weight, {3, 2}, {1, 3}, 0);
  const Tensor indices({3}, ACL_INT64, {2, 0, 1}), offsets({3}, ACL_INT64, {0, 2, 3});
  const Tensor factors({3}, ACL_FLOAT, {10, 1, -1}), out({2, 2}, ACL_FLOAT);
  const Tensor bags({3}, ACL_INT64), sizes({2}, ACL_INT64), none({2}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnEmbeddingBag)(turned, indices, offsets, false, kSum, false, factors, true,
                                     kNoPadding, out, bags, sizes, none),
            0)
      << last_message();
  expect_close(out.values(), {31, 64, -2, -5});
  EXPECT_EQ(ACLNN(aclnnEmbeddingBag)(turned, indices, offsets, false, kMean, false, factors, true,
                                     kNoPadding, out, bags, sizes, none),
            ACLNN_ERR_PARAM_INVALID);
  const Tensor far({3}, ACL_INT64, {2, 3, 1}), late({3}, ACL_INT64, {1, 2, 3});
  const auto run = [&](const Tensor& i, const Tensor& o) {
    return ACLNN(aclnnEmbeddingBag)(turned, i, o, false, kSum, false, kUnweighted, true, kNoPadding,
                                    out, bags, sizes, none);
  };
  expect_failed(run(far, offsets), "index 3 at position 1 is out of bounds for the embedding's");
  expect_failed(run(indices, late), "offset 1 at position 0 is not right");
}

TEST(EmbeddingBag, RenormScalesUsedRowsOnce) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Tensor weight({3, 2}, dtype, {3, 4, 6, 8, 0.5, 0}),
        indices({2, 2}, ACL_INT64, {0, 2, 0, 0});
    ASSERT_EQ(ACLNN(aclnnEmbeddingRenorm)(weight, indices, 1.0, 2.0), 0) << last_message();
    expect_close(weight.values(), {0.6, 0.8, 6, 8, 0.5, 0}, 1e-2);
  }
  const Tensor weight({3, 2}, ACL_FLOAT), far({1}, ACL_INT32, {-1});
  expect_failed(ACLNN(aclnnEmbeddingRenorm)(weight, far, 1.0, 2.0), "index -1 at position 0");
}

TEST(Multinomial, DrawsWithReplacementFollowTheWeights) {
  const int64_t count = 30000;
  const Tensor weights({2, 3}, ACL_FLOAT, {1, 0, 3, 0, 2, 0}), out({2, count}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnMultinomial)(weights, count, true, 5, 0, out), 0) << last_message();
  const Values drawn = out.values();
  std::array<int64_t, 3> times{};
  for (int64_t i = 0; i < count; ++i) ++times[static_cast<size_t>(drawn[static_cast<size_t>(i)])];
  EXPECT_EQ(times[1], 0);
  EXPECT_NEAR(static_cast<double>(times[2]) / static_cast<double>(count), 0.75, 0.015);
  for (size_t i = static_cast<size_t>(count); i < drawn.size(); ++i) ASSERT_EQ(drawn[i], 1);
  const Tensor again({2, count}, ACL_INT64), other({2, count}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnMultinomial)(weights, count, true, 5, 0, again), 0);
  ASSERT_EQ(ACLNN(aclnnMultinomial)(weights, count, true, 6, 0, other), 0);
  EXPECT_EQ(again.values(), drawn);
  EXPECT_NE(other.values(), drawn);
}

TEST(Multinomial, DrawsWithoutReplacementAreDifferent) {
  const int64_t rows = 4000;
  Values values;
  for (int64_t i = 0; i < rows; ++i) values.insert(values.end(), {1, 2, 0, 5});
  const Tensor weights({rows, 4}, ACL_FLOAT16, values), out({rows, 4}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnMultinomial)(weights, 4, false, 9, 4, out), 0) << last_message();
  Values drawn = out.values();
  int64_t threes = 0;
  for (auto row = drawn.begin(); row != drawn.end(); row += 4) {
    threes += row[0] == 3;
    EXPECT_EQ(row[3], 2);  // weight 0 comes last
    std::sort(row, row + 4);
    ASSERT_EQ(Values(row, row + 4), (Values{0, 1, 2, 3}));
  }
  EXPECT_NEAR(static_cast<double>(threes) / static_cast<double>(rows), 5.0 / 8, 0.03);
}

TEST(Multinomial, BadWeightsAreFoundOnTheDevice) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor out({2, 1}, ACL_INT64);
  for (bool replacement : {true, false}) {
    for (double bad : {-1.0, std::nan(""), infinity}) {
      const Tensor weights({2, 2}, ACL_FLOAT, {1, 1, 1, bad});
      expect_failed(ACLNN(aclnnMultinomial)(weights, 1, replacement, 0, 0, out),
                    "row 1 of self has a probability that is negative, infinite or no number");
    }
    const Tensor nothing({2, 2}, ACL_FLOAT, {1, 1, 0, 0});
    expect_failed(ACLNN(aclnnMultinomial)(nothing, 1, replacement, 0, 0, out),
                  "row 1 of self has no probability above 0");
  }
  const Tensor weights({2, 2}, ACL_FLOAT, {1, 1, 1, 1}), wide({2, 3}, ACL_INT64);
  EXPECT_EQ(ACLNN(aclnnMultinomial)(weights, 3, false, 0, 0, wide), ACLNN_ERR_PARAM_INVALID);
}

TEST(RRelu, TrainingKeepsItsSlopesInNoise) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Tensor x({1000}, dtype, random_values(1000, 3)), noise({1000}, dtype), out({1000}, dtype);
    ASSERT_EQ(ACLNN(aclnnRReluWithNoise)(x, noise, Number(0.1), Number(0.3), true, 7, 0, out), 0)
        << last_message();
    const Values in = x.values(), slopes = noise.values(), results = out.values();
    for (size_t i = 0; i < in.size(); ++i) {
      EXPECT_NEAR(results[i], in[i] * slopes[i], 1e-2);
      const bool drawn = slopes[i] > 0.0999 && slopes[i] < 0.301;
      EXPECT_TRUE(in[i] > 0 ? slopes[i] == 1 : drawn) << slopes[i];
    }
    ASSERT_EQ(ACLNN(aclnnInplaceRReluWithNoise)(x, noise, Number(0.1), Number(0.3), false, 7, 0),
              0);
    const Values evaluated = x.values();
    for (size_t i = 0; i < in.size(); ++i) {
      EXPECT_NEAR(evaluated[i], in[i] > 0 ? in[i] : 0.2 * in[i], 1e-2);
    }
  }
}

TEST(MultilabelMarginLoss, ComparesLabelsWithTheOtherClasses) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Tensor x({2, 3}, dtype, {0.5, 1, -1, 2, 0, 0}), truth({2, 3}, dtype);
    const Tensor target({2, 3}, ACL_INT64, {1, -1, 0, 0, 2, -1}), rows({2}, dtype), one({}, dtype);
    ASSERT_EQ(ACLNN(aclnnMultilabelMarginLoss)(x, target, 0, rows, truth), 0) << last_message();
    expect_close(rows.values(), {0.5 / 3, 1.0 / 3}, 1e-2);
    expect_close(truth.values(), {0, 1, 0, 1, 0, 1});
    ASSERT_EQ(ACLNN(aclnnMultilabelMarginLoss)(x, target, 1, one, truth), 0) << last_message();
    expect_close(one.values(), {0.25}, 1e-2);
    const Tensor far({2, 3}, ACL_INT64, {3, -1, 0, 0, 2, -1});
    expect_failed(ACLNN(aclnnMultilabelMarginLoss)(x, far, 1, one, truth),
                  "index 3 at position 0 is out of bounds for the classes with size 3");
    EXPECT_EQ(ACLNN(aclnnMultilabelMarginLoss)(x, far, 1, rows, truth), ACLNN_ERR_PARAM_INVALID);
  }
}

}  // namespace
}  // namespace npu::testing
