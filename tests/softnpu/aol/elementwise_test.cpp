// SPDX-License-Identifier: Apache-2.0
// Element-wise operators against float64 arithmetic: values, broadcasting, types, numbers, in-place
// forms, and what is refused.
#include <cmath>

#include "tests/softnpu/aol/device_tensor.h"

namespace npu::testing {
namespace {

Values map(const Values& a, double (*f)(double)) {
  Values result;
  for (const double v : a) result.push_back(f(v));
  return result;
}

TEST(Elementwise, AddScalesOtherByAlpha) {
  const Values a = random_values(24, 1), b = random_values(24, 2);
  const Tensor x({2, 3, 4}, ACL_FLOAT, a), y({2, 3, 4}, ACL_FLOAT, b), out({2, 3, 4}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnAdd)(x, y, Number(0.5), out), 0) << last_message();
  Values expected;
  for (size_t i = 0; i < a.size(); ++i) expected.push_back(a[i] + 0.5 * b[i]);
  expect_close(out.values(), expected);
}

TEST(Elementwise, BroadcastsAndKeepsStrides) {
  const Values a = random_values(6, 1), b = random_values(3, 2);
  const Tensor base({2, 3}, ACL_FLOAT, a), row({3}, ACL_FLOAT, b);
  const Tensor transposed(base, {3, 2}, {1, 3}, 0);
  const Tensor column(row, {3, 1}, {1, 1}, 0), out({3, 2}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnMul)(transposed, column, out), 0) << last_message();
  Values expected;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) expected.push_back(a[j * 3 + i] * b[i]);
  }
  expect_close(out.values(), expected);
}

TEST(Elementwise, PromotesLikePyTorch) {
  const Tensor ints({3}, ACL_INT32, {1, -2, 3}), halves({3}, ACL_FLOAT16, {0.5, 0.25, -1});
  const Tensor out({3}, ACL_FLOAT16), whole({3}, ACL_FLOAT), wide({3}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnMul)(ints, halves, out), 0) << last_message();
  expect_close(out.values(), {0.5, -0.5, -3});
  ASSERT_EQ(ACLNN(aclnnDiv)(ints, ints, whole), 0) << last_message();
  expect_close(whole.values(), {1, 1, 1});
  ASSERT_EQ(ACLNN(aclnnMuls)(ints, Number(2.5), whole), 0) << last_message();
  expect_close(whole.values(), {2.5, -5, 7.5});
  ASSERT_EQ(ACLNN(aclnnMuls)(ints, Number(3), wide), 0) << last_message();
  expect_close(wide.values(), {3, -6, 9});
}

TEST(Elementwise, Int64IsExact) {
  const Tensor x({2}, ACL_INT64, {4503599627370497.0, -1}), out({2}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnAdds)(x, Number(1), Number(1), out), 0);
  expect_close(out.values(), {4503599627370498.0, 0}, 0, 0);
}

TEST(Elementwise, ResultTypeMustHoldTheResult) {
  const Tensor floats({2}, ACL_FLOAT, {1, 2}), ints({2}, ACL_INT32, {1, 2});
  EXPECT_EQ(ACLNN(aclnnMul)(floats, ints, ints), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("cannot hold"), std::string::npos) << last_message();
  EXPECT_EQ(ACLNN(aclnnExp)(ints, ints), ACLNN_ERR_PARAM_INVALID);
}

TEST(Elementwise, InPlaceWritesSelf) {
  const Tensor x({4}, ACL_FLOAT, {1, 4, 9, 16}), y({4}, ACL_FLOAT, {1, 1, 2, 2});
  ASSERT_EQ(ACLNN(aclnnInplaceSqrt)(x), 0) << last_message();
  ASSERT_EQ(ACLNN(aclnnInplaceAdd)(x, y, Number(2)), 0) << last_message();
  expect_close(x.values(), {3, 4, 7, 8});
  ASSERT_EQ(ACLNN(aclnnInplaceMul)(x, x), 0) << last_message();
  expect_close(x.values(), {9, 16, 49, 64});
}

TEST(Elementwise, PartialOverlapIsRefused) {
  const Tensor base({8}, ACL_FLOAT, random_values(8, 1));
  const Tensor low(base, {4}, {1}, 0), high(base, {4}, {1}, 2), rest(base, {4}, {1}, 4);
  EXPECT_EQ(ACLNN(aclnnExp)(low, high), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("overlaps"), std::string::npos) << last_message();
  EXPECT_EQ(ACLNN(aclnnExp)(low, rest), 0);
}

TEST(Elementwise, ExpandedOutputIsRefused) {
  const Tensor base({1}, ACL_FLOAT, {1}), y({4}, ACL_FLOAT, {1, 2, 3, 4});
  const Tensor expanded(base, {4}, {0}, 0);
  EXPECT_EQ(ACLNN(aclnnExp)(y, expanded), ACLNN_ERR_PARAM_INVALID);
}

TEST(Elementwise, ShapesThatDoNotFitAreNamed) {
  const Tensor x({2, 3}, ACL_FLOAT), y({4}, ACL_FLOAT), out({2, 3}, ACL_FLOAT);
  EXPECT_EQ(ACLNN(aclnnMul)(x, y, out), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("[2, 3] and [4]"), std::string::npos) << last_message();
  EXPECT_EQ(ACLNN(aclnnMul)(x, x, y), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("out is float32[4]"), std::string::npos) << last_message();
}

TEST(Elementwise, NullsAreNamed) {
  const Tensor x({2}, ACL_FLOAT);
  EXPECT_EQ(ACLNN(aclnnMul)(nullptr, x, x), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_NE(last_message().find("self is null"), std::string::npos) << last_message();
  EXPECT_EQ(ACLNN(aclnnMul)(x, nullptr, x), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_EQ(ACLNN(aclnnMul)(x, x, nullptr), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_EQ(ACLNN(aclnnMuls)(x, nullptr, x), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(Elementwise, DestroyedTensorsAreNamedAsTheOperatorCallsThem) {
  const Tensor x({2}, ACL_FLOAT);
  const int64_t dims[] = {2};
  aclTensor* gone =
      aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr);
  aclDestroyTensor(gone);
  EXPECT_EQ(ACLNN(aclnnTanhBackward)(gone, x, x), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("gradOutput"), std::string::npos) << last_message();
}

TEST(Elementwise, EmptyTensorsNeedNoWork) {
  const Tensor x({0, 3}, ACL_FLOAT), out({0, 3}, ACL_FLOAT);
  EXPECT_EQ(ACLNN(aclnnExp)(x, out), 0) << last_message();
}

TEST(Elementwise, ComparisonsGiveBools) {
  const double nan = std::nan("");
  const Tensor x({4}, ACL_FLOAT, {1, 2, 3, nan}), y({4}, ACL_INT64, {1, 3, 2, 0});
  const Tensor out({4}, ACL_BOOL);
  ASSERT_EQ(ACLNN(aclnnLeTensor)(x, y, out), 0) << last_message();
  expect_close(out.values(), {1, 1, 0, 0});
  ASSERT_EQ(ACLNN(aclnnNeScalar)(x, Number(2), out), 0) << last_message();
  expect_close(out.values(), {1, 0, 1, 1});
  ASSERT_EQ(ACLNN(aclnnIsFinite)(y, out), 0) << last_message();
  expect_close(out.values(), {1, 1, 1, 1});
  const Tensor same({}, ACL_BOOL);
  ASSERT_EQ(ACLNN(aclnnEqual)(y, y, same), 0) << last_message();
  expect_close(same.values(), {1});
  ASSERT_EQ(ACLNN(aclnnEqual)(x, x, same), 0);
  expect_close(same.values(), {0});
}

TEST(Elementwise, WhereAndMaskedFillChoose) {
  const Tensor mask({4}, ACL_BOOL, {1, 0, 1, 0}), a({4}, ACL_FLOAT, {1, 2, 3, 4});
  const Tensor b({1}, ACL_FLOAT, {-1}), out({4}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnSWhere)(mask, a, b, out), 0) << last_message();
  expect_close(out.values(), {1, -1, 3, -1});
  ASSERT_EQ(ACLNN(aclnnInplaceMaskedFillScalar)(a, mask, Number(9.0)), 0) << last_message();
  expect_close(a.values(), {9, 2, 9, 4});
}

TEST(Elementwise, ClampTakesEitherBound) {
  const Tensor x({4}, ACL_FLOAT, {-3, -1, 1, 3}), out({4}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnClamp)(x, Number(-2), Number(2), out), 0) << last_message();
  expect_close(out.values(), {-2, -1, 1, 2});
  ASSERT_EQ(ACLNN(aclnnClamp)(x, nullptr, Number(0), out), 0) << last_message();
  expect_close(out.values(), {-3, -1, 0, 0});
  EXPECT_EQ(ACLNN(aclnnClamp)(x, nullptr, nullptr, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Elementwise, DivisionRoundsAsAsked) {
  const Tensor x({4}, ACL_INT32, {7, -7, 7, -7}), y({4}, ACL_INT32, {2, 2, -2, -2});
  const Tensor out({4}, ACL_INT32);
  ASSERT_EQ(ACLNN(aclnnDivMod)(x, y, 1, out), 0) << last_message();
  expect_close(out.values(), {3, -3, -3, 3});
  ASSERT_EQ(ACLNN(aclnnDivMod)(x, y, 2, out), 0);
  expect_close(out.values(), {3, -4, -4, 3});
  ASSERT_EQ(ACLNN(aclnnRemainderTensorTensor)(x, y, out), 0);
  expect_close(out.values(), {1, 1, -1, -1});
  EXPECT_EQ(ACLNN(aclnnDivMod)(x, y, 3, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Elementwise, IntegersHaveNoNegativePowers) {
  const Tensor x({2}, ACL_INT64, {2, 3}), out({2}, ACL_INT64);
  EXPECT_EQ(ACLNN(aclnnPowTensorScalar)(x, Number(-1), out), ACLNN_ERR_PARAM_INVALID);
  ASSERT_EQ(ACLNN(aclnnPowTensorScalar)(x, Number(3), out), 0) << last_message();
  expect_close(out.values(), {8, 27});
}

TEST(Elementwise, ComplexIsRefusedWithoutAiCpu) {
  runtime::set_device(0);
  const int64_t dims[] = {1};
  void* memory = runtime::allocate(runtime::current_device(), 512);
  aclTensor* x =
      aclCreateTensor(dims, 1, ACL_COMPLEX64, nullptr, 0, ACL_FORMAT_ND, dims, 1, memory);
  EXPECT_EQ(ACLNN(aclnnMul)(x, x, x), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("complex64"), std::string::npos) << last_message();
  EXPECT_EQ(ACLNN(aclnnInplaceZero)(x), 0) << last_message();
  aclDestroyTensor(x);
  runtime::release(memory);
}

struct UnaryCase {
  const char* name;
  decltype(&aclnnExpGetWorkspaceSize) plan;
  Launch launch;
  double (*reference)(double);
  double low, high;
};
std::ostream& operator<<(std::ostream& os, const UnaryCase& c) { return os << c.name; }

class Unary : public ::testing::TestWithParam<UnaryCase> {};

TEST_P(Unary, MatchesFloat64) {
  const UnaryCase& c = GetParam();
  const Values x = random_values(1003, 7, c.low, c.high);
  const Tensor in({17, 59}, ACL_FLOAT, x), out({17, 59}, ACL_FLOAT);
  ASSERT_EQ((Operator{c.plan, c.launch}(in, out)), 0) << last_message();
  expect_close(out.values(), map(in.values(), c.reference), 3e-6, 1e-6);
  const Tensor half({17, 59}, ACL_BF16, x), half_out({17, 59}, ACL_BF16);
  ASSERT_EQ((Operator{c.plan, c.launch}(half, half_out)), 0) << last_message();
  expect_close(half_out.values(), map(half.values(), c.reference), 4e-3, 1e-5);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

#define UNARY(name, reference, low, high) \
  UnaryCase { #name, name##GetWorkspaceSize, name, reference, low, high }
INSTANTIATE_TEST_SUITE_P(
    Math, Unary,
    ::testing::Values(
        UNARY(
            aclnnAbs, [](double x) { return std::abs(x); }, -3, 3),
        UNARY(
            aclnnNeg, [](double x) { return -x; }, -3, 3),
        UNARY(
            aclnnExp, [](double x) { return std::exp(x); }, -10, 10),
        UNARY(
            aclnnExpm1, [](double x) { return std::expm1(x); }, -2, 2),
        UNARY(
            aclnnLog, [](double x) { return std::log(x); }, 0.01, 10),
        UNARY(
            aclnnLog1p, [](double x) { return std::log1p(x); }, -0.9, 10),
        UNARY(
            aclnnSqrt, [](double x) { return std::sqrt(x); }, 0, 10),
        UNARY(
            aclnnRsqrt, [](double x) { return 1 / std::sqrt(x); }, 0.1, 10),
        UNARY(
            aclnnReciprocal, [](double x) { return 1 / x; }, 0.1, 10),
        UNARY(
            aclnnSin, [](double x) { return std::sin(x); }, -6, 6),
        UNARY(
            aclnnCos, [](double x) { return std::cos(x); }, -6, 6),
        UNARY(
            aclnnTanh, [](double x) { return std::tanh(x); }, -6, 6),
        UNARY(
            aclnnErf, [](double x) { return std::erf(x); }, -4, 4),
        UNARY(
            aclnnFloor, [](double x) { return std::floor(x); }, -4, 4),
        UNARY(
            aclnnRound, [](double x) { return std::nearbyint(x); }, -4, 4),
        UNARY(aclnnSigmoid, sigmoid, -8, 8),
        UNARY(
            aclnnSilu, [](double x) { return x * sigmoid(x); }, -8, 8),
        UNARY(
            aclnnGelu, [](double x) { return x * 0.5 * std::erfc(-x * std::sqrt(0.5)); }, -4, 4)),
    ::testing::PrintToStringParamName());

TEST(Activation, ThresholdBackwardStopsTheGradient) {
  const Tensor grad({4}, ACL_FLOAT, {1, 2, 3, 4}), x({4}, ACL_FLOAT, {-1, 0, 0.5, 2});
  const Tensor out({4}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnThresholdBackward)(grad, x, Number(0), out), 0) << last_message();
  expect_close(out.values(), {0, 0, 3, 4});
}

TEST(Activation, GluMultipliesHalves) {
  const Values v = random_values(12, 3);
  const Tensor x({2, 6}, ACL_FLOAT, v), out({2, 3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnGlu)(x, -1, out), 0) << last_message();
  Values expected;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) expected.push_back(v[i * 6 + j] * sigmoid(v[i * 6 + 3 + j]));
  }
  expect_close(out.values(), expected);
}

TEST(Activation, PreluHasOneSlopeAChannel) {
  const Tensor x({1, 2, 2}, ACL_FLOAT, {-1, 1, -2, 2}), weight({2}, ACL_FLOAT, {0.5, 0.25});
  const Tensor out({1, 2, 2}, ACL_FLOAT), grad({1, 2, 2}, ACL_FLOAT, {1, 1, 1, 1});
  const Tensor grad_in({1, 2, 2}, ACL_FLOAT), grad_weight({2}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnPrelu)(x, weight, out), 0) << last_message();
  expect_close(out.values(), {-0.5, 1, -0.5, 2});
  ASSERT_EQ(ACLNN(aclnnPreluBackward)(grad, x, weight, grad_in, grad_weight), 0) << last_message();
  expect_close(grad_in.values(), {0.5, 1, 0.25, 1});
  expect_close(grad_weight.values(), {-1, -2});
}

TEST(Foreach, RunsOverLists) {
  const auto list = [](const std::vector<aclTensor*>& tensors) {
    return aclCreateTensorList(tensors.data(), tensors.size());
  };
  const auto tensor = [](void* memory, int64_t count) {
    return aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, memory);
  };
  const Tensor a({3}, ACL_FLOAT, {1, 2, 3}), b({2}, ACL_FLOAT, {4, 5});
  const Tensor c({3}, ACL_FLOAT, {1, 1, 1}), d({2}, ACL_FLOAT, {2, 2});
  aclTensorList* x = list({tensor(a.memory(), 3), tensor(b.memory(), 2)});
  aclTensorList* y = list({tensor(c.memory(), 3), tensor(d.memory(), 2)});
  ASSERT_EQ(ACLNN(aclnnForeachAddcmulScalarV2)(x, y, y, Number(10.0), x), 0) << last_message();
  expect_close(a.values(), {11, 12, 13});
  expect_close(b.values(), {44, 45});
  ASSERT_EQ(ACLNN(aclnnForeachLerpScalar)(x, y, Number(0.5), x), 0) << last_message();
  expect_close(a.values(), {6, 6.5, 7});
  double factors[] = {2, 4};
  aclScalar* scalars[] = {aclCreateScalar(&factors[0], ACL_DOUBLE),
                          aclCreateScalar(&factors[1], ACL_DOUBLE)};
  aclScalarList* numbers = aclCreateScalarList(scalars, 2);
  ASSERT_EQ(ACLNN(aclnnForeachDivScalarList)(x, numbers, x), 0) << last_message();
  expect_close(a.values(), {3, 3.25, 3.5});
  expect_close(b.values(), {23.0 / 4, 23.5 / 4});
  aclTensorList* shorter = list({tensor(c.memory(), 3)});
  EXPECT_EQ(ACLNN(aclnnForeachSqrt)(x, shorter), ACLNN_ERR_PARAM_INVALID);
  const Tensor found({1}, ACL_FLOAT, {0}), scale({1}, ACL_FLOAT, {0.5});
  ASSERT_EQ(ACLNN(aclnnForeachNonFiniteCheckAndUnscale)(x, found, scale), 0) << last_message();
  expect_close(a.values(), {1.5, 1.625, 1.75});
  expect_close(found.values(), {0});
  const double infinity = std::numeric_limits<double>::infinity();
  const_cast<Tensor&>(b).write({1, infinity});
  ASSERT_EQ(ACLNN(aclnnForeachNonFiniteCheckAndUnscale)(x, found, scale), 0) << last_message();
  expect_close(found.values(), {1});
  for (aclTensorList* l : {x, y, shorter}) aclDestroyTensorList(l);
  aclDestroyScalarList(numbers);
}

TEST(Amp, ScaleGrowsAfterAnIntervalAndBacksOff) {
  const Tensor scale({1}, ACL_FLOAT, {8}), tracker({1}, ACL_INT32, {1}), found({1}, ACL_FLOAT, {0});
  ASSERT_EQ(ACLNN(aclnnAmpUpdateScale)(scale, tracker, found, 2.0, 0.5, 2, scale, tracker), 0)
      << last_message();
  expect_close(scale.values(), {16});
  expect_close(tracker.values(), {0});
  const_cast<Tensor&>(found).write({1});
  ASSERT_EQ(ACLNN(aclnnAmpUpdateScale)(scale, tracker, found, 2.0, 0.5, 2, scale, tracker), 0);
  expect_close(scale.values(), {8});
  expect_close(tracker.values(), {0});
}

}  // namespace
}  // namespace npu::testing
