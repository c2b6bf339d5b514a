// SPDX-License-Identifier: Apache-2.0
// Running extremes and products, histograms, searching, order statistics.
#include "tests/softnpu/aol/device_tensor.h"

namespace npu::testing {
namespace {

const double kNan = std::nan("");

TEST(Statistics, CumprodWalksAnyDimension) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32}) {
    const Tensor x({2, 3}, dtype, {1, 2, 3, 4, 5, 6}), out({2, 3}, dtype);
    ASSERT_EQ(ACLNN(aclnnCumprod)(x, Number(1), dtype, out), 0) << last_message();
    expect_close(out.values(), {1, 2, 6, 4, 20, 120});
    const Tensor turned(x, {3, 2}, {1, 3}, 0), tall({3, 2}, dtype);
    ASSERT_EQ(ACLNN(aclnnCumprod)(turned, Number(-1), dtype, tall), 0) << last_message();
    expect_close(tall.values(), {1, 4, 2, 10, 3, 18});
  }
  const Tensor x({2}, ACL_INT64, {int64_t{1} << 40, int64_t{1} << 40}), out({2}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnCumprod)(x, Number(0), ACL_INT64, out), 0) << last_message();
  expect_close(out.values(), {static_cast<double>(int64_t{1} << 40), 0});  // wraps
  EXPECT_EQ(ACLNN(aclnnCumprod)(x, Number(1), ACL_INT64, out), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnCumprod)(x, Number(0), ACL_FLOAT, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Statistics, RunningExtremesTakeTheLastOfEqualsAndKeepNan) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Tensor x({6}, dtype, {-1, 0, -0.0, 2, kNan, 5}), values({6}, dtype);
    const Tensor places({6}, ACL_INT64);
    ASSERT_EQ(ACLNN(aclnnCummax)(x, 0, values, places), 0) << last_message();
    expect_close(values.values(), {-1, 0, 0, 2, kNan, kNan});
    expect_close(places.values(), {0, 1, 2, 3, 4, 4});
  }
  const Tensor x({2, 3}, ACL_INT8, {3, 1, 2, 3, 4, -5}), values({2, 3}, ACL_INT8);
  const Tensor places({2, 3}, ACL_INT32);
  ASSERT_EQ(ACLNN(aclnnCummin)(x, 0, values, places), 0) << last_message();
  expect_close(values.values(), {3, 1, 2, 3, 1, -5});
  expect_close(places.values(), {0, 0, 0, 1, 0, 1});
  const Tensor wrong({2, 3}, ACL_FLOAT);
  EXPECT_EQ(ACLNN(aclnnCummin)(x, 0, wrong, places), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnCummin)(x, 0, values, wrong), ACLNN_ERR_PARAM_INVALID);
}

TEST(Statistics, BincountAddsOnesOrWeights) {
  const aclTensor* none = nullptr;
  const Tensor x({4}, ACL_INT32, {1, 3, 1, 0}), out({5}, ACL_INT64), sums({5}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnBincount)(x, none, 5, out), 0) << last_message();
  expect_close(out.values(), {1, 2, 0, 1, 0});
  const Tensor weights({4}, ACL_FLOAT, {0.5, 1, 0.25, 2});
  ASSERT_EQ(ACLNN(aclnnBincount)(x, weights, 0, sums), 0) << last_message();
  expect_close(sums.values(), {2, 0.75, 0, 1, 0});
  const Tensor small({2}, ACL_INT64);
  expect_failed(ACLNN(aclnnBincount)(x, none, 0, small),
                "index 3 at position 1 is out of bounds for the bins with size 2");
  EXPECT_EQ(ACLNN(aclnnBincount)(x, none, 3, small), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnBincount)(x, weights, 0, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Statistics, ManyCountsAddUp) {
  const int64_t count = 200003, bins = 37;
  Values values(count), wanted(bins);
  for (int64_t i = 0; i < count; ++i) {
    values[static_cast<size_t>(i)] = static_cast<double>(i * i % bins);
    ++wanted[static_cast<size_t>(i * i % bins)];
  }
  const Tensor x({count}, ACL_INT64, values), out({bins}, ACL_INT64);
  const aclTensor* none = nullptr;
  ASSERT_EQ(ACLNN(aclnnBincount)(x, none, bins, out), 0) << last_message();
  expect_close(out.values(), wanted);
}

TEST(Statistics, HistcCountsBetweenItsEndsOrTheDatas) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Tensor x({2, 3}, dtype, {0, 1, 1.5, 2, 4, -1}), out({4}, dtype);
    ASSERT_EQ(ACLNN(aclnnHistc)(x, 4, Number(0.0), Number(4.0), out), 0) << last_message();
    expect_close(out.values(), {1, 2, 1, 1});
    ASSERT_EQ(ACLNN(aclnnHistc)(x, 4, Number(0.0), Number(0.0), out), 0) << last_message();
    expect_close(out.values(), {2, 1, 2, 1});
  }
  const Tensor x({2}, ACL_FLOAT, {1, kNan}), out({4}, ACL_FLOAT);
  expect_failed(ACLNN(aclnnHistc)(x, 4, Number(0), Number(0), out), "is not finite");
  EXPECT_EQ(ACLNN(aclnnHistc)(x, 4, Number(1), Number(0), out), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnHistc)(x, 3, Number(0), Number(1), out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Statistics, SearchesBeforeOrBehindEqualElements) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT64, ACL_UINT8}) {
    const Tensor edges({3}, dtype, {1, 3, 3}), x({2, 2}, dtype, {0, 3, 1, 9});
    const Tensor out({2, 2}, ACL_INT64), narrow({2, 2}, ACL_INT32);
    ASSERT_EQ(ACLNN(aclnnBucketize)(x, edges, false, false, out), 0) << last_message();
    expect_close(out.values(), {0, 1, 0, 3});
    ASSERT_EQ(ACLNN(aclnnBucketize)(x, edges, true, true, narrow), 0) << last_message();
    expect_close(narrow.values(), {0, 3, 1, 3});
  }
}

TEST(Statistics, SearchesRowsInTheOrderOfASorter) {
  const Tensor rows({2, 3}, ACL_FLOAT, {5, 1, 3, 2, 4, 0}), x({2, 1}, ACL_INT32, {3, 3});
  const Tensor order({2, 3}, ACL_INT64, {1, 2, 0, 2, 0, 1}), out({2, 1}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnSearchSorted)(rows, x, false, false, order, out), 0) << last_message();
  expect_close(out.values(), {1, 2});
  const Tensor wrong({2, 3}, ACL_INT64, {1, 2, 3, 2, 0, 1}), one({}, ACL_INT64);
  expect_failed(ACLNN(aclnnSearchSorted)(rows, x, false, false, wrong, out),
                "index 3 at position 2 is out of bounds for the sorted sequence with size 3");
  const Tensor row({2}, ACL_INT64, {1, 2}), other({3, 3}, ACL_FLOAT);
  const aclTensor* none = nullptr;
  ASSERT_EQ(ACLNN(aclnnSearchSorteds)(row, Number(1.5), false, false, none, one), 0);
  expect_close(one.values(), {1});
  EXPECT_EQ(ACLNN(aclnnSearchSorted)(other, x, false, false, none, out), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnSearchSorted)(rows, x, true, false, none, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Statistics, MediansAreLowerOnesAndPreferNan) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Tensor x({2, 4}, dtype, {4, 1, 3, 1, 2, kNan, 7, kNan}), value({}, dtype);
    const Tensor values({2}, dtype), places({2}, ACL_INT64), kept({2, 1}, dtype);
    const Tensor kept_places({2, 1}, ACL_INT64);
    ASSERT_EQ(ACLNN(aclnnMedianDim)(x, 1, false, values, places), 0) << last_message();
    expect_close(values.values(), {1, kNan});
    expect_close(places.values(), {3, 1});
    ASSERT_EQ(ACLNN(aclnnNanMedianDim)(x, -1, true, kept, kept_places), 0) << last_message();
    expect_close(kept.values(), {1, 2});
    expect_close(kept_places.values(), {3, 0});
    ASSERT_EQ(ACLNN(aclnnMedian)(x, value), 0) << last_message();
    expect_close(value.values(), {kNan});
    ASSERT_EQ(ACLNN(aclnnNanMedian)(x, value), 0) << last_message();
    expect_close(value.values(), {2});
  }
}

TEST(Statistics, KthvalueRanksManyElements) {
  const int64_t count = 10007;
  Values values(count);
  for (int64_t i = 0; i < count; ++i) {
    values[static_cast<size_t>(i)] = static_cast<double>(i * 5003 % count) - 5000;
  }
  const Tensor x({count, 1}, ACL_FLOAT, values), value({1}, ACL_FLOAT), place({1}, ACL_INT64);
  for (int64_t k : {int64_t{1}, int64_t{4000}, count}) {
    ASSERT_EQ(ACLNN(aclnnKthvalue)(x, k, 0, false, value, place), 0) << last_message();
    expect_close(value.values(), {static_cast<double>(k - 1) - 5000});
    EXPECT_EQ(values[static_cast<size_t>(place.values()[0])], value.values()[0]);
  }
  EXPECT_EQ(ACLNN(aclnnKthvalue)(x, count + 1, 0, false, value, place), ACLNN_ERR_PARAM_INVALID);
}

TEST(Statistics, RenormScalesWhatIsTooLong) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Tensor x({2, 2}, dtype, {3, 4, 0.5, 0}), out({2, 2}, dtype);
    ASSERT_EQ(ACLNN(aclnnRenorm)(x, Number(2), 0, Number(1.0), out), 0) << last_message();
    expect_close(out.values(), {0.6, 0.8, 0.5, 0}, 1e-2);
    ASSERT_EQ(ACLNN(aclnnInplaceRenorm)(x, Number(1), 1, Number(2.0)), 0) << last_message();
    expect_close(x.values(), {3 * 2 / 3.5, 2, 0.5 * 2 / 3.5, 0}, 1e-2);
  }
}

}  // namespace
}  // namespace npu::testing
