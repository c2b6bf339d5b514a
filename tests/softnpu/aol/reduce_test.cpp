// SPDX-License-Identifier: Apache-2.0
// Reductions against float64 sums: dimensions, types, empty tensors, positions.
#include <cmath>

#include "tests/softnpu/aol/device_tensor.h"

namespace npu::testing {
namespace {

const double kNan = std::nan("");

TEST(Reduce, SumsOverDimensions) {
  const Values v = random_values(24, 1);
  const Tensor x({2, 3, 4}, ACL_FLOAT, v), out({3}, ACL_FLOAT), kept({2, 1, 4}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnReduceSum)(x, Ints({0, -1}), false, ACL_FLOAT, out), 0) << last_message();
  Values expected(3), middle(8);
  for (int i = 0; i < 24; ++i) {
    expected[i / 4 % 3] += v[i];
    middle[i / 12 * 4 + i % 4] += v[i];
  }
  expect_close(out.values(), expected);
  ASSERT_EQ(ACLNN(aclnnReduceSum)(x, Ints({1}), true, ACL_FLOAT, kept), 0) << last_message();
  expect_close(kept.values(), middle);
}

TEST(Reduce, EmptyDimensionListMeansAll) {
  const Tensor x({2, 3}, ACL_FLOAT, {1, 2, 3, 4, 5, 6}), out({}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnMean)(x, Ints({}), false, ACL_FLOAT, out), 0) << last_message();
  expect_close(out.values(), {3.5});
}

TEST(Reduce, BoolsAndIntegersAreCounted) {
  const Tensor x({5}, ACL_BOOL, {1, 0, 1, 1, 0}), out({}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnReduceSum)(x, Ints({0}), false, ACL_INT64, out), 0) << last_message();
  expect_close(out.values(), {3});
  const Tensor floats({3}, ACL_FLOAT, {1.9, 2.9, -0.5});
  ASSERT_EQ(ACLNN(aclnnReduceSum)(floats, Ints({0}), false, ACL_INT64, out), 0) << last_message();
  expect_close(out.values(), {3});  // converted before it is summed, as PyTorch
}

TEST(Reduce, NothingGivesTheIdentity) {
  const Tensor x({0, 2}, ACL_FLOAT), out({2}, ACL_FLOAT, {7}), truth({2}, ACL_BOOL);
  ASSERT_EQ(ACLNN(aclnnReduceSum)(x, Ints({0}), false, ACL_FLOAT, out), 0) << last_message();
  expect_close(out.values(), {0, 0});
  ASSERT_EQ(ACLNN(aclnnMean)(x, Ints({0}), false, ACL_FLOAT, out), 0);
  expect_close(out.values(), {kNan, kNan});
  ASSERT_EQ(ACLNN(aclnnAll)(x, Ints({0}), false, truth), 0);
  expect_close(truth.values(), {1, 1});
  EXPECT_EQ(ACLNN(aclnnAmax)(x, Ints({0}), false, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Reduce, MaximumHasPositionsAndKeepsNan) {
  const Tensor x({2, 3}, ACL_FLOAT, {1, 5, 5, 2, kNan, 9}), out({2}, ACL_FLOAT);
  const Tensor positions({2}, ACL_INT64), narrow({2}, ACL_INT32);
  ASSERT_EQ(ACLNN(aclnnMaxDim)(x, 1, false, out, positions), 0) << last_message();
  expect_close(out.values(), {5, kNan});
  expect_close(positions.values(), {1, 1});
  ASSERT_EQ(ACLNN(aclnnMaxDim)(x, 1, false, out, narrow), 0) << last_message();
  expect_close(narrow.values(), {1, 1});
  ASSERT_EQ(ACLNN(aclnnArgMin)(x, 1, false, positions), 0) << last_message();
  expect_close(positions.values(), {0, 1});
}

TEST(Reduce, ScalarsReduceToThemselves) {
  const Tensor x({}, ACL_FLOAT, {3}), out({}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnReduceSum)(x, Ints({0}), false, ACL_FLOAT, out), 0) << last_message();
  expect_close(out.values(), {3});
}

TEST(Reduce, VarianceAndMeanTogether) {
  const Tensor x({4}, ACL_FLOAT, {1, 2, 3, 6}), variance({}, ACL_FLOAT), mean({}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnVarMean)(x, Ints({0}), 1, false, variance, mean), 0) << last_message();
  expect_close(mean.values(), {3});
  expect_close(variance.values(), {14.0 / 3});
}

TEST(Reduce, LogSumExpDoesNotOverflow) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x({2, 2}, ACL_FLOAT, {1000, 1000, -infinity, -infinity}), out({2}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnLogSumExp)(x, Ints({1}), false, out), 0) << last_message();
  expect_close(out.values(), {1000 + std::log(2.0), -infinity});
}

TEST(Reduce, NormTakesItsOrder) {
  const Tensor x({3}, ACL_FLOAT, {-3, 0, 4}), out({}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnLinalgVectorNorm)(x, Number(2), Ints({0}), false, ACL_FLOAT, out), 0)
      << last_message();
  expect_close(out.values(), {5});
  ASSERT_EQ(ACLNN(aclnnNorm)(x, Number(1), Ints({0}), false, out), 0) << last_message();
  expect_close(out.values(), {7});
}

TEST(Reduce, CumulativeSumRunsAlongItsDimension) {
  const Tensor x({2, 2}, ACL_INT32, {1, 2, 3, 4}), out({2, 2}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnCumsum)(x, 0, ACL_INT64, out), 0) << last_message();
  expect_close(out.values(), {1, 2, 4, 6});
}

TEST(Reduce, BadDimensionsAreNamed) {
  const Tensor x({2, 3}, ACL_FLOAT), out({3}, ACL_FLOAT);
  EXPECT_EQ(ACLNN(aclnnReduceSum)(x, Ints({2}), false, ACL_FLOAT, out), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("dim is 2"), std::string::npos) << last_message();
  EXPECT_EQ(ACLNN(aclnnReduceSum)(x, Ints({0, 0}), false, ACL_FLOAT, out), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnReduceSum)(x, Ints({1}), false, ACL_FLOAT, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Factory, RangesAndFills) {
  const Tensor x({5}, ACL_FLOAT), ints({4}, ACL_INT64), square({2, 3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnArange)(Number(0.5), Number(3), Number(0.5), x), 0) << last_message();
  expect_close(x.values(), {0.5, 1, 1.5, 2, 2.5});
  ASSERT_EQ(ACLNN(aclnnArange)(Number(10), Number(2), Number(-2), ints), 0) << last_message();
  expect_close(ints.values(), {10, 8, 6, 4});
  ASSERT_EQ(ACLNN(aclnnLinspace)(Number(0), Number(1), 5, x), 0) << last_message();
  expect_close(x.values(), {0, 0.25, 0.5, 0.75, 1});
  ASSERT_EQ(ACLNN(aclnnEye)(2, 3, square), 0) << last_message();
  expect_close(square.values(), {1, 0, 0, 0, 1, 0});
  ASSERT_EQ(ACLNN(aclnnInplaceFillScalar)(ints, Number(-7)), 0);
  expect_close(ints.values(), {-7, -7, -7, -7});
  EXPECT_EQ(ACLNN(aclnnArange)(Number(0), Number(3), Number(0), ints), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnArange)(Number(0), Number(9), Number(1), ints), ACLNN_ERR_PARAM_INVALID);
}

}  // namespace
}  // namespace npu::testing
