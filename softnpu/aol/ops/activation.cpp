// SPDX-License-Identifier: Apache-2.0
// Activations and their gradients.
#include <string_view>
#include <utility>

#include "aclnnop/activation.h"
#include "softnpu/aol/build/reduce.h"

namespace npu::aol {
namespace {

Operand gradient(const aclTensor* tensor) { return {tensor, "gradOutput"}; }

bool with_tanh(int64_t approximate) {
  expect(approximate == 0 || approximate == 1, "approximate is ", approximate,
         "; allowed: 0 (none), 1 (tanh)");
  return approximate == 1;
}

bool with_tanh(const char* approximate) {
  const std::string_view name = approximate == nullptr ? "none" : approximate;
  expect(name == "none" || name == "tanh", "approximate is \"", name, "\"; allowed: none, tanh");
  return name == "tanh";
}

Plan celu(const aclTensor* self, const Scalar& alpha, const aclTensor* out) {
  expect(alpha.f != 0, "alpha must not be 0");
  return unary(VectorOp::kElu, self, out, Rule::kSame,
               {alpha, Scalar::of_int(1), Scalar::of(1 / alpha.f)});
}

/// x * sigmoid(1.702 x); the gradient is that of a silu of 1.702 x.
constexpr double kFastGelu = 1.702;

Plan fast_gelu(const aclTensor* self, const aclTensor* out) {
  const TensorView in = view(self, "self");
  expect_floating(in, "self");
  Plan plan;
  const TensorView gate = plan.temporary(working_type(in.dtype), in);
  add(plan, make_elementwise(VectorOp::kMul, {in, Scalar::of(kFastGelu)}, gate, Rule::kSame));
  add(plan, make_elementwise(VectorOp::kSigmoid, {gate}, gate, Rule::kSame));
  add(plan, make_elementwise(VectorOp::kMul, {in, gate}, view(out, "out"), Rule::kSame));
  return plan;
}

Plan fast_gelu_backward(const aclTensor* grad, const aclTensor* self, const aclTensor* out) {
  const TensorView in = view(self, "self");
  expect_floating(in, "self");
  Plan plan;
  const TensorView scaled = plan.temporary(working_type(in.dtype), in);
  add(plan, make_elementwise(VectorOp::kMul, {in, Scalar::of(kFastGelu)}, scaled, Rule::kSame));
  add(plan,
      make_elementwise(VectorOp::kSiluBackward, {{view(grad, "gradOutput"), "gradOutput"}, scaled},
                       view(out, "gradInput"), Rule::kSame));
  return plan;
}

enum class Half { kFirst, kSecond };

/// One half of self along dim, times the activation of the other.
Plan gated(VectorOp op, Half activated, const aclTensor* self, int64_t dim, const aclTensor* out) {
  const TensorView in = view(self, "self"), result = view(out, "out");
  expect_floating(in, "self");
  expect_rank(in, 1, base::kMaxRank, "self");
  const int along = wrap_dim(dim, in.rank, "dim");
  const int64_t half = in.dims[along] / 2;
  expect(in.dims[along] == 2 * half, "self is ", base::to_string(in), "; dimension ", along,
         " must be even");
  TensorView active = slice(in, along, 0, half), plain = slice(in, along, half, half);
  if (activated == Half::kSecond) std::swap(active, plain);
  Plan plan;
  const TensorView gate = plan.temporary(working_type(in.dtype), active);
  add(plan, make_elementwise(op, {active}, gate, Rule::kFloating));
  add(plan, make_elementwise(VectorOp::kMul, {plain, gate}, result, Rule::kSame));
  return plan;
}

/// Gradient of gated(): by the half that passed through, and by the one that was activated with
/// derivative operator `slope`, whose inputs are (grad, its argument or result).
Plan gated_backward(VectorOp op, VectorOp slope, bool slope_of_result, Half activated,
                    const aclTensor* grad, const aclTensor* self, int64_t dim,
                    const aclTensor* grad_input) {
  const TensorView in = view(self, "self"), g = view(grad, "gradOut");
  const TensorView result = view(grad_input, "out");
  expect_floating(in, "self");
  expect_rank(in, 1, base::kMaxRank, "self");
  expect_shape(result, Shape::of(in), "out");
  const int along = wrap_dim(dim, in.rank, "dim");
  const int64_t half = in.dims[along] / 2;
  expect(in.dims[along] == 2 * half, "self is ", base::to_string(in), "; dimension ", along,
         " must be even");
  const int64_t active_start = activated == Half::kFirst ? 0 : half;
  const TensorView active = slice(in, along, active_start, half);
  const TensorView plain = slice(in, along, half - active_start, half);
  expect_shape(g, Shape::of(active), "gradOut");
  Plan plan;
  const TensorView gate = plan.temporary(working_type(in.dtype), active);
  const TensorView both = plan.temporary(gate.dtype, active);
  add(plan, make_elementwise(op, {active}, gate, Rule::kFloating));
  add(plan, make_elementwise(VectorOp::kMul, {{g, "gradOut"}, plain}, both, Rule::kFloating));
  add(plan, make_elementwise(VectorOp::kMul, {{g, "gradOut"}, gate},
                             slice(result, along, half - active_start, half), Rule::kSame));
  add(plan, make_elementwise(slope, {both, slope_of_result ? gate : active},
                             slice(result, along, active_start, half), Rule::kFloating));
  return plan;
}

/// The weight as it broadcasts to self: one number of any rank, or one for each of self's channels.
TensorView channel_weight(const TensorView& weight, const TensorView& self) {
  TensorView result = weight;
  if (weight.numel() == 1) {
    result.rank = 0;
    return result;
  }
  // [C], or already shaped to broadcast, [1, C, 1, ...]
  if (weight.rank == self.rank && self.rank >= 2 && weight.numel() == weight.dims[1]) {
    result = slice(result, 1, 0, result.dims[1]);
    for (int i = weight.rank - 1; i >= 0; --i) {
      if (i != 1) result = remove_dim(result, i);
    }
  }
  expect_rank(result, 0, 1, "weight");
  expect(self.rank >= 2 && result.dims[0] == self.dims[1], "weight is ", base::to_string(weight),
         "; it must have one element, or as many as self, ", base::to_string(self),
         ", has channels");
  for (int i = 2; i < self.rank; ++i) result = insert_dim(result, result.rank);
  return result;
}

Plan prelu(const aclTensor* self, const aclTensor* weight, const aclTensor* out) {
  const TensorView in = view(self, "self");
  const TensorView slope = channel_weight(view(weight, "weight"), in);
  Plan plan;
  add(plan, make_elementwise(VectorOp::kPrelu, {in, {slope, "weight"}}, view(out, "out"),
                             Rule::kFloating));
  return plan;
}

Plan prelu_backward(const aclTensor* grad, const aclTensor* self, const aclTensor* weight,
                    const aclTensor* grad_input, const aclTensor* grad_weight) {
  const TensorView g = view(grad, "gradOutput"), in = view(self, "self");
  const TensorView w = view(weight, "weight"), slope = channel_weight(w, in);
  Plan plan;
  add(plan,
      make_elementwise(VectorOp::kPreluBackwardSelf, {{g, "gradOutput"}, in, {slope, "weight"}},
                       view(grad_input, "gradInput"), Rule::kFloating));
  TensorView to = view(grad_weight, "gradWeight");
  expect_shape(to, Shape::of(w), "gradWeight");
  const TensorView each = plan.temporary(working_type(in.dtype), in);
  add(plan, make_elementwise(VectorOp::kPreluBackwardWeight, {{g, "gradOutput"}, in}, each,
                             Rule::kFloating));
  uint32_t mask = (1u << in.rank) - 1;
  if (w.numel() != 1) mask &= ~2u;
  if (w.numel() == 1) to.rank = 0;
  add_reduce(plan, ReduceOp::kSum, each, mask, false, to);
  return plan;
}

}  // namespace

ACLNN_OP(aclnnCelu, (const aclTensor* self, const aclScalar* alpha, aclTensor* out),
         (self, alpha, out)) {
  return celu(self, number(alpha, "alpha"), out);
}
ACLNN_OP(aclnnInplaceCelu, (aclTensor * selfRef, const aclScalar* alpha), (selfRef, alpha)) {
  return celu(selfRef, number(alpha, "alpha"), selfRef);
}
ACLNN_OP(aclnnElu,
         (const aclTensor* self, const aclScalar* alpha, const aclScalar* scale,
          const aclScalar* inputScale, aclTensor* out),
         (self, alpha, scale, inputScale, out)) {
  return unary(VectorOp::kElu, self, out, Rule::kSame,
               {number(alpha, "alpha"), number(scale, "scale"), number(inputScale, "inputScale")});
}
ACLNN_OP(aclnnInplaceElu,
         (aclTensor * selfRef, const aclScalar* alpha, const aclScalar* scale,
          const aclScalar* inputScale),
         (selfRef, alpha, scale, inputScale)) {
  return unary(VectorOp::kElu, selfRef, selfRef, Rule::kSame,
               {number(alpha, "alpha"), number(scale, "scale"), number(inputScale, "inputScale")});
}
ACLNN_OP(aclnnEluBackward,
         (const aclTensor* gradOutput, const aclScalar* alpha, const aclScalar* scale,
          const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult,
          aclTensor* gradInput),
         (gradOutput, alpha, scale, inputScale, isResult, selfOrResult, gradInput)) {
  return binary(isResult ? VectorOp::kEluBackwardFromResult : VectorOp::kEluBackward,
                gradient(gradOutput), selfOrResult, gradInput, Rule::kSame,
                {number(alpha, "alpha"), number(scale, "scale"), number(inputScale, "inputScale")});
}
ACLNN_OP(aclnnFastGelu, (const aclTensor* self, aclTensor* out), (self, out)) {
  return fast_gelu(self, out);
}
ACLNN_OP(aclnnFastGeluBackward,
         (const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput),
         (gradOutput, self, gradInput)) {
  return fast_gelu_backward(gradOutput, self, gradInput);
}
ACLNN_OP(aclnnGelu, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kGelu, self, out, Rule::kSame);
}
ACLNN_OP(aclnnGeluBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gradInput),
         (gradOutput, self, gradInput)) {
  return binary(VectorOp::kGeluBackward, gradient(gradOutput), self, gradInput);
}
ACLNN_OP(aclnnGeluBackwardV2,
         (const aclTensor* gradOutput, const aclTensor* self, char* approximate,
          aclTensor* gradInput),
         (gradOutput, self, approximate, gradInput)) {
  return binary(with_tanh(approximate) ? VectorOp::kGeluTanhBackward : VectorOp::kGeluBackward,
                gradient(gradOutput), self, gradInput);
}
ACLNN_OP(aclnnGeluV2, (const aclTensor* x, int64_t approximate, aclTensor* y),
         (x, approximate, y)) {
  return unary(with_tanh(approximate) ? VectorOp::kGeluTanh : VectorOp::kGelu, x, y, Rule::kSame);
}
ACLNN_OP(aclnnGlu, (const aclTensor* self, int64_t dim, const aclTensor* out), (self, dim, out)) {
  return gated(VectorOp::kSigmoid, Half::kSecond, self, dim, out);
}
ACLNN_OP(aclnnGluBackward,
         (const aclTensor* gradOut, const aclTensor* self, int64_t dim, const aclTensor* out),
         (gradOut, self, dim, out)) {
  return gated_backward(VectorOp::kSigmoid, VectorOp::kSigmoidBackward, true, Half::kSecond,
                        gradOut, self, dim, out);
}
ACLNN_OP(aclnnSwiGluGrad,
         (const aclTensor* yGrad, const aclTensor* x, int64_t dim, const aclTensor* out),
         (yGrad, x, dim, out)) {
  return gated_backward(VectorOp::kSilu, VectorOp::kSiluBackward, false, Half::kFirst, yGrad, x,
                        dim, out);
}
ACLNN_OP(aclnnSwiGlu, (const aclTensor* x, int64_t dim, const aclTensor* out), (x, dim, out)) {
  return gated(VectorOp::kSilu, Half::kFirst, x, dim, out);
}
ACLNN_OP(aclnnHardshrink, (const aclTensor* self, const aclScalar* lambd, aclTensor* out),
         (self, lambd, out)) {
  return unary(VectorOp::kHardshrink, self, out, Rule::kSame, {number(lambd, "lambd")});
}
ACLNN_OP(aclnnHardshrinkBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* lambd,
          aclTensor* gradInput),
         (gradOutput, self, lambd, gradInput)) {
  return binary(VectorOp::kShrinkBackward, gradient(gradOutput), self, gradInput, Rule::kSame,
                {number(lambd, "lambd")});
}
ACLNN_OP(aclnnHardsigmoid, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kHardsigmoid, self, out);
}
ACLNN_OP(aclnnInplaceHardsigmoid, (const aclTensor* self), (self)) {
  return unary(VectorOp::kHardsigmoid, self, self);
}
ACLNN_OP(aclnnHardsigmoidBackward,
         (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out),
         (gradOutput, self, out)) {
  return binary(VectorOp::kHardsigmoidBackward, gradient(gradOutput), self, out);
}
ACLNN_OP(aclnnHardswish, (const aclTensor* self, const aclTensor* out), (self, out)) {
  return unary(VectorOp::kHardswish, self, out);
}
ACLNN_OP(aclnnInplaceHardswish, (const aclTensor* self), (self)) {
  return unary(VectorOp::kHardswish, self, self);
}
ACLNN_OP(aclnnHardswishBackward,
         (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out),
         (gradOutput, self, out)) {
  return binary(VectorOp::kHardswishBackward, gradient(gradOutput), self, out);
}
ACLNN_OP(aclnnHardswishBackwardV2,
         (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out),
         (gradOutput, self, out)) {
  return binary(VectorOp::kHardswishBackward, gradient(gradOutput), self, out);
}
ACLNN_OP(aclnnHardtanh,
         (const aclTensor* self, const aclScalar* clipValueMin, const aclScalar* clipValueMax,
          aclTensor* out),
         (self, clipValueMin, clipValueMax, out)) {
  return unary(VectorOp::kHardtanh, self, out, Rule::kSame,
               {number(clipValueMin, "clipValueMin"), number(clipValueMax, "clipValueMax")});
}
ACLNN_OP(aclnnInplaceHardtanh,
         (aclTensor * selfRef, const aclScalar* clipValueMin, const aclScalar* clipValueMax),
         (selfRef, clipValueMin, clipValueMax)) {
  return unary(VectorOp::kHardtanh, selfRef, selfRef, Rule::kSame,
               {number(clipValueMin, "clipValueMin"), number(clipValueMax, "clipValueMax")});
}
ACLNN_OP(aclnnHardtanhBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* min,
          const aclScalar* max, aclTensor* out),
         (gradOutput, self, min, max, out)) {
  return binary(VectorOp::kHardtanhBackward, gradient(gradOutput), self, out, Rule::kSame,
                {number(min, "min"), number(max, "max")});
}
ACLNN_OP(aclnnLeakyRelu, (const aclTensor* self, const aclScalar* negativeSlope, aclTensor* out),
         (self, negativeSlope, out)) {
  return unary(VectorOp::kLeakyRelu, self, out, Rule::kSame,
               {number(negativeSlope, "negativeSlope")});
}
ACLNN_OP(aclnnInplaceLeakyRelu, (aclTensor * selfRef, const aclScalar* negativeSlope),
         (selfRef, negativeSlope)) {
  return unary(VectorOp::kLeakyRelu, selfRef, selfRef, Rule::kSame,
               {number(negativeSlope, "negativeSlope")});
}
ACLNN_OP(aclnnLeakyReluBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* negativeSlope,
          bool selfIsResult, aclTensor* out),
         (gradOutput, self, negativeSlope, selfIsResult, out)) {
  return binary(VectorOp::kLeakyReluBackward, gradient(gradOutput), self, out, Rule::kSame,
                {number(negativeSlope, "negativeSlope")});
}
ACLNN_OP(aclnnLogSigmoid, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kLogSigmoid, self, out);
}
ACLNN_OP(aclnnLogSigmoidForward, (const aclTensor* self, aclTensor* out, aclTensor* buffer),
         (self, out, buffer)) {
  return unary(VectorOp::kLogSigmoid, self, out);
}
ACLNN_OP(aclnnLogSigmoidBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* buffer,
          aclTensor* gradInput),
         (gradOutput, self, buffer, gradInput)) {
  return binary(VectorOp::kLogSigmoidBackward, gradient(gradOutput), self, gradInput);
}
ACLNN_OP(aclnnMish, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kMish, self, out);
}
ACLNN_OP(aclnnInplaceMish, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kMish, selfRef, selfRef);
}
ACLNN_OP(aclnnMishBackward,
         (const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput),
         (gradOutput, self, gradInput)) {
  return binary(VectorOp::kMishBackward, gradient(gradOutput), self, gradInput);
}
ACLNN_OP(aclnnPrelu, (const aclTensor* self, const aclTensor* weight, aclTensor* out),
         (self, weight, out)) {
  return prelu(self, weight, out);
}
ACLNN_OP(aclnnPreluBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* weight,
          aclTensor* gradInput, aclTensor* gradWeight),
         (gradOutput, self, weight, gradInput, gradWeight)) {
  return prelu_backward(gradOutput, self, weight, gradInput, gradWeight);
}
ACLNN_OP(aclnnRelu, (const aclTensor* self, const aclTensor* out), (self, out)) {
  return unary(VectorOp::kRelu, self, out, Rule::kSame);
}
ACLNN_OP(aclnnInplaceRelu, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kRelu, selfRef, selfRef, Rule::kSame);
}
ACLNN_OP(aclnnSigmoid, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kSigmoid, self, out);
}
ACLNN_OP(aclnnInplaceSigmoid, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kSigmoid, selfRef, selfRef);
}
ACLNN_OP(aclnnSigmoidBackward,
         (const aclTensor* gradOutput, const aclTensor* output, aclTensor* gradInput),
         (gradOutput, output, gradInput)) {
  return binary(VectorOp::kSigmoidBackward, gradient(gradOutput), output, gradInput);
}
ACLNN_OP(aclnnSilu, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kSilu, self, out);
}
ACLNN_OP(aclnnSiluBackward,
         (const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput),
         (gradOutput, self, gradInput)) {
  return binary(VectorOp::kSiluBackward, gradient(gradOutput), self, gradInput);
}
ACLNN_OP(aclnnSoftplus,
         (const aclTensor* self, const aclScalar* beta, const aclScalar* threshold, aclTensor* out),
         (self, beta, threshold, out)) {
  return unary(VectorOp::kSoftplus, self, out, Rule::kSame,
               {number(beta, "beta"), number(threshold, "threshold")});
}
ACLNN_OP(aclnnSoftplusBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* beta,
          const aclScalar* threshold, aclTensor* gradInput),
         (gradOutput, self, beta, threshold, gradInput)) {
  return binary(VectorOp::kSoftplusBackward, gradient(gradOutput), self, gradInput, Rule::kSame,
                {number(beta, "beta"), number(threshold, "threshold")});
}
ACLNN_OP(aclnnSoftshrink, (const aclTensor* self, const aclScalar* lambd, aclTensor* out),
         (self, lambd, out)) {
  return unary(VectorOp::kSoftshrink, self, out, Rule::kSame, {number(lambd, "lambd")});
}
ACLNN_OP(aclnnSoftshrinkBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* lambd,
          aclTensor* gradInput),
         (gradOutput, self, lambd, gradInput)) {
  return binary(VectorOp::kShrinkBackward, gradient(gradOutput), self, gradInput, Rule::kSame,
                {number(lambd, "lambd")});
}
ACLNN_OP(aclnnTanh, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kTanh, self, out);
}
ACLNN_OP(aclnnInplaceTanh, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kTanh, selfRef, selfRef);
}
ACLNN_OP(aclnnTanhBackward,
         (const aclTensor* gradOutput, const aclTensor* output, aclTensor* gradInput),
         (gradOutput, output, gradInput)) {
  return binary(VectorOp::kTanhBackward, gradient(gradOutput), output, gradInput);
}
ACLNN_OP(aclnnThreshold,
         (const aclTensor* self, const aclScalar* threshold, const aclScalar* value,
          aclTensor* out),
         (self, threshold, value, out)) {
  return unary(VectorOp::kThreshold, self, out, Rule::kSame,
               {number(threshold, "threshold"), number(value, "value")});
}
ACLNN_OP(aclnnInplaceThreshold,
         (aclTensor * selfRef, const aclScalar* threshold, const aclScalar* value),
         (selfRef, threshold, value)) {
  return unary(VectorOp::kThreshold, selfRef, selfRef, Rule::kSame,
               {number(threshold, "threshold"), number(value, "value")});
}
ACLNN_OP(aclnnThresholdBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* threshold,
          aclTensor* out),
         (gradOutput, self, threshold, out)) {
  return binary(VectorOp::kThresholdBackward, gradient(gradOutput), self, out, Rule::kSame,
                {number(threshold, "threshold")});
}

}  // namespace npu::aol
