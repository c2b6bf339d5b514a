// SPDX-License-Identifier: Apache-2.0
// Element-wise operators against formulas in double, on values that include every edge case.
#include "tests/softnpu/davinci/vector_test_util.h"

namespace npu::davinci::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

using Reference = std::function<double(double, double, double)>;
struct Case {
  const char* name;
  VectorOp op;
  int inputs;
  double tolerance;  // ulp of float32
  Reference reference;
  std::vector<double> scalars = {};
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double relu6(double x) { return std::min(std::max(x, 0.0), 6.0); }
double round_even(double x) { return std::nearbyint(x); }
double nan_max(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? kNan : std::max(a, b);
}
double nan_min(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? kNan : std::min(a, b);
}

// Exact, or one correctly rounded operation.
const Case kExact[] = {
    {"neg", VectorOp::kNeg, 1, 0, [](double a, double, double) { return -a; }},
    {"abs", VectorOp::kAbs, 1, 0, [](double a, double, double) { return std::fabs(a); }},
    {"sign", VectorOp::kSign, 1, 0, [](double a, double, double) { return (a > 0) - (a < 0); }},
    {"relu", VectorOp::kRelu, 1, 0, [](double a, double, double) { return a < 0 ? 0 : a; }},
    {"floor", VectorOp::kFloor, 1, 0, [](double a, double, double) { return std::floor(a); }},
    {"ceil", VectorOp::kCeil, 1, 0, [](double a, double, double) { return std::ceil(a); }},
    {"trunc", VectorOp::kTrunc, 1, 0, [](double a, double, double) { return std::trunc(a); }},
    {"round half to even", VectorOp::kRound, 1, 0,
     [](double a, double, double) { return round_even(a); }},
    {"sqrt", VectorOp::kSqrt, 1, 0.5, [](double a, double, double) { return std::sqrt(a); }},
    {"reciprocal", VectorOp::kReciprocal, 1, 0.5, [](double a, double, double) { return 1 / a; }},
    {"add", VectorOp::kAdd, 2, 0.5, [](double a, double b, double) { return a + b; }, {1}},
    {"sub", VectorOp::kSub, 2, 0.5, [](double a, double b, double) { return a - b; }, {1}},
    {"mul", VectorOp::kMul, 2, 0.5, [](double a, double b, double) { return a * b; }},
    {"div", VectorOp::kDiv, 2, 0.5, [](double a, double b, double) { return a / b; }},
    {"fmod", VectorOp::kFmod, 2, 0, [](double a, double b, double) { return std::fmod(a, b); }},
    {"maximum", VectorOp::kMaximum, 2, 0, [](double a, double b, double) { return nan_max(a, b); }},
    {"minimum", VectorOp::kMinimum, 2, 0, [](double a, double b, double) { return nan_min(a, b); }},
    {"fmax", VectorOp::kFmax, 2, 0, [](double a, double b, double) { return std::fmax(a, b); }},
    {"fmin", VectorOp::kFmin, 2, 0, [](double a, double b, double) { return std::fmin(a, b); }},
    {"clamp", VectorOp::kClamp, 3, 0,
     [](double a, double b, double c) { return nan_min(nan_max(a, b), c); }},
    {"copysign", VectorOp::kCopysign, 2, 0,
     [](double a, double b, double) { return std::copysign(a, b); }},
    {"where", VectorOp::kWhere, 3, 0, [](double a, double b, double c) { return a != 0 ? b : c; }},
    {"threshold backward",
     VectorOp::kThresholdBackward,
     2,
     0,
     [](double a, double b, double) { return b <= 0.5 ? 0 : a; },
     {0.5}},
    {"hardtanh",
     VectorOp::kHardtanh,
     1,
     0,
     [](double a, double, double) { return nan_min(nan_max(a, -1), 2); },
     {-1, 2}},
    {"eq", VectorOp::kEq, 2, 0, [](double a, double b, double) { return a == b; }},
    {"ne", VectorOp::kNe, 2, 0, [](double a, double b, double) { return a != b; }},
    {"lt", VectorOp::kLt, 2, 0, [](double a, double b, double) { return a < b; }},
    {"le", VectorOp::kLe, 2, 0, [](double a, double b, double) { return a <= b; }},
    {"gt", VectorOp::kGt, 2, 0, [](double a, double b, double) { return a > b; }},
    {"ge", VectorOp::kGe, 2, 0, [](double a, double b, double) { return a >= b; }},
    {"logical not", VectorOp::kLogicalNot, 1, 0, [](double a, double, double) { return a == 0; }},
    {"logical and", VectorOp::kLogicalAnd, 2, 0,
     [](double a, double b, double) { return a != 0 && b != 0; }},
    {"logical or", VectorOp::kLogicalOr, 2, 0,
     [](double a, double b, double) { return a != 0 || b != 0; }},
    {"logical xor", VectorOp::kLogicalXor, 2, 0,
     [](double a, double b, double) { return (a != 0) != (b != 0); }},
    {"isfinite", VectorOp::kIsFinite, 1, 0,
     [](double a, double, double) { return std::isfinite(a); }},
    {"isinf", VectorOp::kIsInf, 1, 0, [](double a, double, double) { return std::isinf(a); }},
    {"isnan", VectorOp::kIsNan, 1, 0, [](double a, double, double) { return std::isnan(a); }},
    {"signbit", VectorOp::kSignBit, 1, 0, [](double a, double, double) { return std::signbit(a); }},
};

// Approximations: the limit of the contract is 2 ulp.
const Case kApproximate[] = {
    {"rsqrt", VectorOp::kRsqrt, 1, 1.5, [](double a, double, double) { return 1 / std::sqrt(a); }},
    {"exp", VectorOp::kExp, 1, 2, [](double a, double, double) { return std::exp(a); }},
    {"exp2", VectorOp::kExp2, 1, 2, [](double a, double, double) { return std::exp2(a); }},
    {"expm1", VectorOp::kExpm1, 1, 2, [](double a, double, double) { return std::expm1(a); }},
    {"log", VectorOp::kLog, 1, 2, [](double a, double, double) { return std::log(a); }},
    {"log2", VectorOp::kLog2, 1, 2, [](double a, double, double) { return std::log2(a); }},
    {"log10", VectorOp::kLog10, 1, 2, [](double a, double, double) { return std::log10(a); }},
    {"log1p", VectorOp::kLog1p, 1, 2, [](double a, double, double) { return std::log1p(a); }},
    {"sin", VectorOp::kSin, 1, 2, [](double a, double, double) { return std::sin(a); }},
    {"cos", VectorOp::kCos, 1, 2, [](double a, double, double) { return std::cos(a); }},
    {"tanh", VectorOp::kTanh, 1, 2, [](double a, double, double) { return std::tanh(a); }},
    {"erf", VectorOp::kErf, 1, 2, [](double a, double, double) { return std::erf(a); }},
    {"erfc", VectorOp::kErfc, 1, 2, [](double a, double, double) { return std::erfc(a); }},
    {"lgamma", VectorOp::kLgamma, 1, 6, [](double a, double, double) { return std::lgamma(a); }},
    {"atan2", VectorOp::kAtan2, 2, 2, [](double a, double b, double) { return std::atan2(a, b); }},
    {"pow", VectorOp::kPow, 2, 1, [](double a, double b, double) { return std::pow(a, b); }},
    {"sigmoid", VectorOp::kSigmoid, 1, 2.5, [](double a, double, double) { return sigmoid(a); }},
};

const std::vector<double>& edges() {
  static const std::vector<double> values = {
      0.0,   -0.0,  1,     -1,     kInf, -kInf, kNan, 0.5,   -0.5, 1.5,  2.5,   -2.5,   3e38,
      -3e38, 1e-38, 1e-42, -1e-42, 88.5, -88.5, 89,   -104,  100,  -100, 1e-8,  20,     -20,
      3,     -3,    6,     -6,     1e5,  -1e5,  2,    0.625, 4,    0.7,  1e-30, -1e-30, 12345.678};
  return values;
}

// Random values of several magnitudes, then all pairs of edges.
Tensor values(int which, bool pairs, DType dtype = DType::kFloat) {
  Generator random(17 + which);
  std::normal_distribution<double> normal;
  std::vector<double> v;
  for (double scale : {0.01, 1.0, 30.0}) {
    for (int i = 0; i < 1500; ++i) v.push_back(normal(random) * scale);
  }
  const auto& e = edges();
  for (size_t i = 0; i < e.size(); ++i) {
    for (size_t j = 0; j < (pairs ? e.size() : 1); ++j) {
      const size_t k = which == 0 ? i : which == 1 ? j : (i + j) % e.size();
      v.push_back(e[k]);
    }
  }
  return tensor_of(dtype, {static_cast<int64_t>(v.size())}, v);
}

Elementwise command_for(const Case& c, std::vector<Tensor>& in, Tensor& out) {
  Elementwise command;
  command.op = c.op;
  command.compute = compute_type(in.empty() ? out.view.dtype : in[0].view.dtype);
  command.num_inputs = c.inputs;
  for (int i = 0; i < c.inputs; ++i) command.inputs[i] = in[i].view;
  command.out = out.view;
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    command.scalars[i] = {DType::kDouble, c.scalars[i], static_cast<int64_t>(c.scalars[i]), 0};
  }
  return command;
}

void check(const Case& c, DType dtype, bool exact_zero) {
  std::vector<Tensor> in;
  for (int i = 0; i < c.inputs; ++i) in.push_back(values(i, c.inputs > 1, dtype));
  Tensor out(dtype, {in[0].numel()});
  run_serial(command_for(c, in, out));
  for (int64_t i = 0; i < out.numel(); ++i) {
    double x[3] = {};
    for (int k = 0; k < c.inputs; ++k) x[k] = in[k].get(i);
    double want = c.reference(x[0], x[1], x[2]);
    if (dtype == DType::kFloat && c.tolerance <= 0.5) want = static_cast<float>(want);
    const double got = out.get(i);
    // Beyond the largest float the reference is rounded as well.
    if (dtype == DType::kFloat && std::isinf(static_cast<float>(want))) {
      want = static_cast<float>(want);
    }
    const double allowed = dtype == DType::kDouble ? 4 * std::max(1.0, c.tolerance) : c.tolerance;
    ASSERT_LE(ulps(got, want, dtype), allowed) << c.name << "(" << x[0] << ", " << x[1] << ", "
                                               << x[2] << ") = " << got << " for " << want;
    if (exact_zero && want == 0) {
      ASSERT_EQ(std::signbit(got), std::signbit(want)) << c.name << "(" << x[0] << ")";
    }
  }
}

class VectorElementwise : public VectorTest {};

TEST_P(VectorElementwise, ExactOperatorsAreExactOnEveryEdge) {
  for (const Case& c : kExact) {
    check(c, DType::kFloat,
          c.op == VectorOp::kNeg || c.op == VectorOp::kRound || c.op == VectorOp::kFloor ||
              c.op == VectorOp::kCeil || c.op == VectorOp::kTrunc || c.op == VectorOp::kSqrt ||
              c.op == VectorOp::kMul || c.op == VectorOp::kRelu);
  }
}
TEST_P(VectorElementwise, TranscendentalsStayWithinTwoUlp) {
  for (const Case& c : kApproximate) check(c, DType::kFloat, false);
}
TEST_P(VectorElementwise, DoubleKeepsDoublePrecision) {
  for (const Case& c : kExact) check(c, DType::kDouble, false);
  for (const Case& c : kApproximate) {
    if (c.op != VectorOp::kLgamma) check(c, DType::kDouble, false);
  }
}

// Compositions: absolute error relative to the size of what was added up.
const Case kComposed[] = {
    {"silu", VectorOp::kSilu, 1, 4, [](double a, double, double) { return a * sigmoid(a); }},
    {"gelu", VectorOp::kGelu, 1, 4, [](double a, double, double) { return a * cdf(a); }},
    {"gelu tanh", VectorOp::kGeluTanh, 1, 4,
     [](double a, double, double) {
       return 0.5 * a * (1 + std::tanh(std::sqrt(2 / M_PI) * (a + 0.044715 * a * a * a)));
     }},
    {"softplus",
     VectorOp::kSoftplus,
     1,
     4,
     [](double a, double, double) {
       return a * 1.5 > 20 ? a : std::log1p(std::exp(a * 1.5)) / 1.5;
     },
     {1.5, 20}},
    {"elu",
     VectorOp::kElu,
     1,
     4,
     [](double a, double, double) { return a > 0 ? 1.1 * a : 1.1 * 1.3 * std::expm1(0.7 * a); },
     {1.3, 1.1, 0.7}},
    {"hardswish", VectorOp::kHardswish, 1, 4,
     [](double a, double, double) { return a * relu6(a + 3) / 6; }},
    {"leaky relu",
     VectorOp::kLeakyRelu,
     1,
     2,
     [](double a, double, double) { return a > 0 ? a : 0.01 * a; },
     {0.01}},
    {"mish", VectorOp::kMish, 1, 4,
     [](double a, double, double) { return a * std::tanh(std::log1p(std::exp(a))); }},
    {"log sigmoid", VectorOp::kLogSigmoid, 1, 4,
     [](double a, double, double) { return -std::log1p(std::exp(-a)); }},
    {"add with alpha",
     VectorOp::kAdd,
     2,
     2,
     [](double a, double b, double) { return a + 0.3 * b; },
     {0.3}},
    {"addcmul",
     VectorOp::kAddcmul,
     3,
     4,
     [](double a, double b, double c) { return a + 0.7 * b * c; },
     {0.7}},
    {"lerp", VectorOp::kLerp, 3, 8, [](double a, double b, double c) { return a + c * (b - a); }},
    {"sigmoid backward", VectorOp::kSigmoidBackward, 2, 8,
     [](double a, double b, double) { return a * (1 - b) * b; }},
    {"tanh backward", VectorOp::kTanhBackward, 2, 8,
     [](double a, double b, double) { return a * (1 - b * b); }},
    {"silu backward", VectorOp::kSiluBackward, 2, 8,
     [](double a, double b, double) {
       return a * (sigmoid(b) + b * sigmoid(b) * (1 - sigmoid(b)));
     }},
    {"gelu backward", VectorOp::kGeluBackward, 2, 8,
     [](double a, double b, double) {
       return a * (cdf(b) + b * std::exp(-b * b / 2) / std::sqrt(2 * M_PI));
     }},
    {"mse backward",
     VectorOp::kMseLossBackward,
     3,
     8,
     [](double a, double b, double c) { return 0.25 * 2 * (b - c) * a; },
     {0.25}},
    {"smooth l1",
     VectorOp::kSmoothL1Loss,
     2,
     8,
     [](double a, double b, double) {
       const double d = std::fabs(a - b);
       return d < 0.7 ? d * d / 1.4 : d - 0.35;
     },
     {0.7}},
    {"bce with logits", VectorOp::kBceLogits, 3, 16,
     [](double a, double b, double c) {
       const double softplus = std::max(-a, 0.0) + std::log1p(std::exp(-std::fabs(a)));
       return (1 - b) * a + (1 + (c - 1) * b) * softplus;
     }},
};

TEST_P(VectorElementwise, ActivationsAndLossesFollowTheirFormulas) {
  Generator random(5);
  std::normal_distribution<double> normal;
  for (const Case& c : kComposed) {
    std::vector<Tensor> in;
    for (int i = 0; i < c.inputs; ++i) {
      std::vector<double> v(3001);
      for (double& x : v) x = normal(random) * 3;
      in.push_back(tensor_of(DType::kFloat, {3001}, v));
    }
    Tensor out(DType::kFloat, {3001});
    run_serial(command_for(c, in, out));
    for (int64_t i = 0; i < out.numel(); ++i) {
      double x[3] = {};
      double size = 1;
      for (int k = 0; k < c.inputs; ++k) size *= 1 + std::fabs(x[k] = in[k].get(i));
      const double want = c.reference(x[0], x[1], x[2]);
      ASSERT_NEAR(out.get(i), want, c.tolerance * 0x1p-24 * (size + std::fabs(want)))
          << c.name << "(" << x[0] << ", " << x[1] << ", " << x[2] << ")";
    }
  }
}

TEST_P(VectorElementwise, IntegersDivideShiftAndWrapAsPyTorch) {
  struct Row {
    VectorOp op;
    int64_t a, b, want, scalar;
  };
  const Row rows[] = {
      {VectorOp::kDivTrunc, -7, 2, -3, 0},     {VectorOp::kDivFloor, -7, 2, -4, 0},
      {VectorOp::kDivFloor, 7, -2, -4, 0},     {VectorOp::kDivFloor, -8, 2, -4, 0},
      {VectorOp::kRemainder, -7, 3, 2, 0},     {VectorOp::kRemainder, 7, -3, -2, 0},
      {VectorOp::kFmod, -7, 3, -1, 0},         {VectorOp::kFmod, 7, -3, 1, 0},
      {VectorOp::kDivTrunc, 5, 0, 0, 0},       {VectorOp::kPow, 3, 5, 243, 0},
      {VectorOp::kPow, -1, -3, -1, 0},         {VectorOp::kPow, 2, -1, 0, 0},
      {VectorOp::kShiftLeft, 3, 4, 48, 32},    {VectorOp::kShiftLeft, 1, 40, 0, 32},
      {VectorOp::kShiftRight, -16, 2, -4, 31}, {VectorOp::kShiftRight, -16, 99, -1, 31},
      {VectorOp::kBitwiseXor, 12, 10, 6, 0},   {VectorOp::kBitwiseNot, 12, 0, -13, 0},
      {VectorOp::kGcd, -12, 18, 6, 0},         {VectorOp::kAdd, 2147483647, 1, -2147483648LL, 1},
      {VectorOp::kMul, 65536, 65536, 0, 0},    {VectorOp::kAbs, -5, 0, 5, 0},
      {VectorOp::kMaximum, -5, 3, 3, 0},       {VectorOp::kSign, -5, 0, -1, 0},
  };
  for (const Row& r : rows) {
    std::vector<Tensor> in;
    in.push_back(tensor_of(DType::kInt32, {1}, {static_cast<double>(r.a)}));
    in.push_back(tensor_of(DType::kInt32, {1}, {static_cast<double>(r.b)}));
    Tensor out(DType::kInt32, {1});
    Elementwise command = command_for({"", r.op, 2, 0, nullptr}, in, out);
    command.scalars[0] = base::Scalar::of_int(r.scalar);
    run_serial(command);
    EXPECT_EQ(out.get(0), static_cast<double>(r.want))
        << "operator " << static_cast<int>(r.op) << " on " << r.a << ", " << r.b;
  }
}

TEST_P(VectorElementwise, FloatDivisionModesFollowPython) {
  const double a[] = {-7, 7, -7, 5.5, 1, 0, -1e30, 3};
  const double b[] = {2, -2, -2, 0.5, 0.1, 5, 7, kInf};
  for (size_t i = 0; i < std::size(a); ++i) {
    std::vector<Tensor> in;
    in.push_back(tensor_of(DType::kDouble, {1}, {a[i]}));
    in.push_back(tensor_of(DType::kDouble, {1}, {b[i]}));
    Tensor floor(DType::kDouble, {1}), rest(DType::kDouble, {1});
    run_serial(command_for({"", VectorOp::kDivFloor, 2, 0, nullptr}, in, floor));
    run_serial(command_for({"", VectorOp::kRemainder, 2, 0, nullptr}, in, rest));
    double r = std::fmod(a[i], b[i]);
    if (r != 0 && (r < 0) != (b[i] < 0)) r += b[i];
    EXPECT_EQ(rest.get(0), r) << a[i] << " % " << b[i];
    const double q = std::isinf(b[i]) ? 0 : std::nearbyint((a[i] - r) / b[i]);
    EXPECT_EQ(floor.get(0), q) << a[i] << " // " << b[i];
  }
}

TEST_P(VectorElementwise, AnUndefinedInputIsAConstant) {
  Generator random(3);
  for (int64_t n : {1, 5, 511, 512, 513, 3000}) {
    Tensor mask = random_tensor(DType::kBool, {n}, random);
    Tensor self = random_tensor(DType::kHalf, {n}, random);
    Tensor out(DType::kHalf, {n});
    Elementwise fill;  // masked_fill(self, mask, 7)
    fill.op = VectorOp::kWhere;
    fill.num_inputs = 3;
    fill.inputs = {mask.view, {}, self.view};
    fill.out = out.view;
    fill.scalars[2] = base::Scalar::of(7);
    run_serial(fill);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(out.get(i), value_of(mask, i) != 0 ? 7 : self.get(i)) << i << " of " << n;
    }
  }
}

TEST_P(VectorElementwise, PowOfAConstantTakesTheExactForms) {
  for (double exponent : {2.0, 3.0, 0.5, -0.5, -1.0, 1.0, 0.0, 2.5, -2.0}) {
    std::vector<Tensor> in;
    in.push_back(values(0, false));
    Tensor out(DType::kFloat, {in[0].numel()});
    Elementwise pow = command_for({"", VectorOp::kPow, 1, 0, nullptr}, in, out);
    pow.num_inputs = 2;
    pow.scalars[2] = base::Scalar::of(exponent);
    run_serial(pow);
    for (int64_t i = 0; i < out.numel(); ++i) {
      const double x = in[0].get(i);
      // Square roots of -infinity are NaN, as in PyTorch.
      if (x < -3.4e38 && std::fabs(exponent) == 0.5) continue;
      const double want = std::pow(x, exponent);
      if (std::fabs(want) > 3.4e38) continue;
      ASSERT_LE(ulps(out.get(i), want, DType::kFloat), 2) << x << " ** " << exponent;
    }
  }
}

// Layouts: the same operator through contiguous, transposed, gapped and broadcast views.
Tensor broadcast(const Tensor& row, const Dims& dims) {
  Tensor t = row;
  const int shift = static_cast<int>(dims.size()) - row.view.rank;
  TensorView v = t.view;
  v.rank = static_cast<int8_t>(dims.size());
  for (int d = v.rank - 1; d >= 0; --d) {
    const bool own = d >= shift && row.view.dims[d - shift] == dims[d];
    v.strides[d] = own ? row.view.strides[d - shift] : 0;
    v.dims[d] = dims[d];
  }
  t.view = v;
  return t;
}

TEST_P(VectorElementwise, AnyLayoutGivesTheSameResult) {
  Generator random(11);
  const std::vector<Dims> shapes = {
      {},       {1},      {7}, {3, 5}, {2, 700}, {5, 3, 17}, {2, 3, 4, 129}, {1, 2, 1, 3, 2},
      {600, 2}, {2, 0, 3}};
  for (const Dims& dims : shapes) {
    for (DType dtype : {DType::kFloat, DType::kBFloat16, DType::kInt64, DType::kUInt8}) {
      for (int round = 0; round < 4; ++round) {
        Dims order(dims.size());
        std::iota(order.begin(), order.end(), 0);
        const auto shuffled = [&] {
          Dims o = order;
          if (round > 0) std::shuffle(o.begin(), o.end(), random);
          return o;
        };
        Tensor a = random_tensor(dtype, dims, random, shuffled(), round);
        Tensor b = random_tensor(dtype, dims, random, shuffled(), 0);
        if (round == 3 && !dims.empty()) {
          Dims row_dims = dims;
          for (size_t d = 0; d < row_dims.size(); d += 2)
            row_dims[d] = std::min<int64_t>(row_dims[d], 1);
          b = broadcast(random_tensor(dtype, row_dims, random), dims);
        }
        Tensor out(dtype, dims, shuffled(), round % 2);
        const std::vector<std::byte> before = out.storage;
        Elementwise add;
        add.op = VectorOp::kAdd;
        add.compute = compute_type(dtype);
        add.num_inputs = 2;
        add.inputs = {a.view, b.view};
        add.out = out.view;
        add.scalars[0] = {DType::kInt64, 1, 1, 0};
        ThreadWorkers workers(3);
        run(add, workers);
        Tensor want(dtype, dims);
        for (int64_t i = 0; i < out.numel(); ++i) {
          set_value(want, i, value_of(a, i) + value_of(b, i));
          ASSERT_TRUE(same(value_of(out, i), value_of(want, i)))
              << base::to_string(out.view) << " at " << i;
        }
        // Nothing besides the view was written.
        size_t touched = 0;
        for (size_t i = 0; i < before.size(); ++i) touched += before[i] != out.storage[i];
        ASSERT_LE(touched, static_cast<size_t>(out.numel()) * base::size_of(dtype));
      }
    }
  }
}

TEST_P(VectorElementwise, WorksInPlace) {
  Generator random(2);
  Tensor a = random_tensor(DType::kHalf, {5, 301}, random, {1, 0});
  const std::vector<double> before = a.values();
  Elementwise neg;
  neg.op = VectorOp::kNeg;
  neg.num_inputs = 1;
  neg.inputs[0] = neg.out = a.view;
  run_serial(neg);
  for (size_t i = 0; i < before.size(); ++i) ASSERT_EQ(a.get(static_cast<int64_t>(i)), -before[i]);
}

TEST_P(VectorElementwise, TileEndsNeverShow) {
  // The same value at every position of a long vector and of every short one.
  for (VectorOp op : {VectorOp::kExp, VectorOp::kTanh, VectorOp::kGelu, VectorOp::kLog1p}) {
    const Case c{"", op, 1, 0, nullptr};
    std::vector<Tensor> whole_in;
    whole_in.push_back(tensor_of(DType::kFloat, {5000}, std::vector<double>(5000, 0.37)));
    Tensor whole(DType::kFloat, {5000});
    run_serial(command_for(c, whole_in, whole));
    for (int64_t n = 1; n < 40; ++n) {
      std::vector<Tensor> in;
      in.push_back(
          tensor_of(DType::kFloat, {n}, std::vector<double>(static_cast<size_t>(n), 0.37)));
      Tensor out(DType::kFloat, {n});
      run_serial(command_for(c, in, out));
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(out.get(i), whole.get(4999 - i)) << n;
    }
  }
}

TEST_P(VectorElementwise, ForeachRunsEveryItem) {
  Generator random(9);
  std::vector<Tensor> a, out;
  Foreach all;
  for (int64_t n : {3, 0, 70000, 1, 512, 16384, 40001}) {
    a.push_back(random_tensor(DType::kFloat, {n}, random));
    out.emplace_back(DType::kFloat, Dims{n});
  }
  for (size_t i = 0; i < a.size(); ++i) {
    Elementwise item;
    item.op = i == 4 ? VectorOp::kCopy : VectorOp::kMul;
    item.num_inputs = i == 4 ? 1 : 2;
    item.inputs = {a[i].view, {}, {}};
    item.scalars[2] = base::Scalar::of(static_cast<double>(i) + 1);
    item.out = out[i].view;
    all.items.push_back(item);
  }
  ThreadWorkers workers(3);
  run(all, workers);
  for (size_t i = 0; i < a.size(); ++i) {
    for (int64_t j = 0; j < a[i].numel(); ++j) {
      const auto factor = i == 4 ? 1.0f : static_cast<float>(i + 1);
      ASSERT_EQ(out[i].get(j), static_cast<float>(a[i].get(j)) * factor);
    }
  }
}

TEST(VectorTable, EveryOperatorHasAFloatOrIntegerForm) {
  for (int op = 0; op < kNumVectorOps; ++op) {
    const auto o = static_cast<VectorOp>(op);
    EXPECT_EQ(has_vector_op(o, DType::kFloat), has_vector_op(o, DType::kDouble));
    EXPECT_EQ(has_vector_op(o, DType::kInt32), has_vector_op(o, DType::kInt64));
    EXPECT_TRUE(has_vector_op(o, DType::kFloat) || has_vector_op(o, DType::kInt32));
  }
  EXPECT_FALSE(has_vector_op(VectorOp::kExp, DType::kInt64));
  EXPECT_FALSE(has_vector_op(VectorOp::kBitwiseAnd, DType::kFloat));
}

NPU_EVERY_ISA(VectorElementwise);

}  // namespace
}  // namespace npu::davinci::test
