// SPDX-License-Identifier: Apache-2.0
// Arithmetic on tensors and numbers.
#include <numbers>

#include "aclnnop/arithmetic.h"
#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {
namespace {

Plan add_relu(const aclTensor* self, const aclTensor* other, const aclScalar* alpha,
              const aclTensor* out) {
  Plan plan = scaled(VectorOp::kAdd, self, other, alpha, out);
  const TensorView sum = view(out, "out");
  add(plan, make_elementwise(VectorOp::kRelu, {sum}, sum, Rule::kSame));
  return plan;
}

Plan with_value(VectorOp op, const aclTensor* self, const aclTensor* tensor1,
                const aclTensor* tensor2, const aclScalar* value, const aclTensor* out) {
  return ternary(op, self, tensor1, tensor2, out, Rule::kSame, {number(value, "value")});
}

template <class Other>
Plan divide(const aclTensor* self, const Other* other, int mode, const aclTensor* out) {
  expect(mode >= 0 && mode <= 2, "mode is ", mode, "; allowed: 0 (none), 1 (trunc), 2 (floor)");
  if (mode == 0) return binary(VectorOp::kDiv, self, other, out, Rule::kFloating);
  return binary(mode == 1 ? VectorOp::kDivTrunc : VectorOp::kDivFloor, self, other, out);
}

Plan power(const aclTensor* self, const aclScalar* exponent, const aclTensor* out) {
  const Scalar e = number(exponent, "exponent");
  const bool whole = base::is_integral(view(self, "self").dtype) && base::is_integral(e.dtype);
  expect(!whole || e.i >= 0, "exponent is ", e.i, "; integers have no negative integer powers");
  return binary(VectorOp::kPow, self, exponent, out);
}

template <class Bound>
Plan clamp(const aclTensor* self, const Bound* lowest, const Bound* highest, const aclTensor* out) {
  expect(lowest != nullptr || highest != nullptr, "at least one of the bounds must not be null");
  if (highest == nullptr) return binary(VectorOp::kMaximum, self, lowest, out);
  if (lowest == nullptr) return binary(VectorOp::kMinimum, self, highest, out);
  return ternary(VectorOp::kClamp, self, Operand(lowest, "clipValueMin"),
                 Operand(highest, "clipValueMax"), out);
}

/// log2(2^self + 2^other), by the natural form.
Plan log_add_exp2(const aclTensor* self, const aclTensor* other, const aclTensor* out) {
  const TensorView a = view(self, "self"), b = view(other, "other"), to = view(out, "out");
  const DType type = working_type(promote(a.dtype, b.dtype));
  const Scalar ln2 = Scalar::of(std::numbers::ln2);
  Plan plan;
  const TensorView x = plan.temporary(type, a), y = plan.temporary(type, b);
  const TensorView sum = plan.temporary(type, to);
  add(plan, make_elementwise(VectorOp::kMul, {a, ln2}, x, Rule::kFloating));
  add(plan, make_elementwise(VectorOp::kMul, {{b, "other"}, ln2}, y, Rule::kFloating));
  add(plan, make_elementwise(VectorOp::kLogaddexp, {x, y}, sum, Rule::kFloating));
  add(plan, make_elementwise(VectorOp::kMul, {sum, Scalar::of(std::numbers::log2e)}, to,
                             Rule::kFloating));
  return plan;
}

}  // namespace

ACLNN_OP(aclnnAdd,
         (const aclTensor* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out),
         (self, other, alpha, out)) {
  return scaled(VectorOp::kAdd, self, other, alpha, out);
}
ACLNN_OP(aclnnInplaceAdd,
         (const aclTensor* selfRef, const aclTensor* other, const aclScalar* alpha),
         (selfRef, other, alpha)) {
  return scaled(VectorOp::kAdd, selfRef, other, alpha, selfRef);
}
ACLNN_OP(aclnnAdds,
         (const aclTensor* self, const aclScalar* other, const aclScalar* alpha, aclTensor* out),
         (self, other, alpha, out)) {
  return scaled(VectorOp::kAdd, self, other, alpha, out);
}
ACLNN_OP(aclnnInplaceAdds,
         (const aclTensor* selfRef, const aclScalar* other, const aclScalar* alpha),
         (selfRef, other, alpha)) {
  return scaled(VectorOp::kAdd, selfRef, other, alpha, selfRef);
}
ACLNN_OP(aclnnSub,
         (const aclTensor* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out),
         (self, other, alpha, out)) {
  return scaled(VectorOp::kSub, self, other, alpha, out);
}
ACLNN_OP(aclnnInplaceSub, (aclTensor * selfRef, const aclTensor* other, const aclScalar* alpha),
         (selfRef, other, alpha)) {
  return scaled(VectorOp::kSub, selfRef, other, alpha, selfRef);
}
ACLNN_OP(aclnnSubs,
         (const aclTensor* self, const aclScalar* other, const aclScalar* alpha, aclTensor* out),
         (self, other, alpha, out)) {
  return scaled(VectorOp::kSub, self, other, alpha, out);
}
ACLNN_OP(aclnnInplaceSubs, (aclTensor * selfRef, const aclScalar* other, const aclScalar* alpha),
         (selfRef, other, alpha)) {
  return scaled(VectorOp::kSub, selfRef, other, alpha, selfRef);
}
ACLNN_OP(aclnnAddV3,
         (const aclScalar* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out),
         (self, other, alpha, out)) {
  return scaled(VectorOp::kAdd, self, other, alpha, out);
}
ACLNN_OP(aclnnAddRelu,
         (const aclTensor* self, const aclTensor* other, aclScalar* alpha, aclTensor* out),
         (self, other, alpha, out)) {
  return add_relu(self, other, alpha, out);
}
ACLNN_OP(aclnnInplaceAddRelu, (aclTensor * selfRef, const aclTensor* other, aclScalar* alpha),
         (selfRef, other, alpha)) {
  return add_relu(selfRef, other, alpha, selfRef);
}
ACLNN_OP(aclnnRsub,
         (const aclTensor* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out),
         (self, other, alpha, out)) {
  return scaled(VectorOp::kSub, other, self, alpha, out);
}
ACLNN_OP(aclnnRsubs,
         (const aclTensor* self, const aclScalar* other, const aclScalar* alpha, aclTensor* out),
         (self, other, alpha, out)) {
  return scaled(VectorOp::kSub, Operand(other, "other"), Operand(self, "self"), alpha, out);
}
ACLNN_OP(aclnnAddcdiv,
         (const aclTensor* self, const aclTensor* tensor1, const aclTensor* tensor2,
          const aclScalar* value, const aclTensor* out),
         (self, tensor1, tensor2, value, out)) {
  return with_value(VectorOp::kAddcdiv, self, tensor1, tensor2, value, out);
}
ACLNN_OP(aclnnInplaceAddcdiv,
         (const aclTensor* selfRef, const aclTensor* tensor1, const aclTensor* tensor2,
          const aclScalar* value),
         (selfRef, tensor1, tensor2, value)) {
  return with_value(VectorOp::kAddcdiv, selfRef, tensor1, tensor2, value, selfRef);
}
ACLNN_OP(aclnnAddcmul,
         (const aclTensor* self, const aclTensor* tensor1, const aclTensor* tensor2,
          const aclScalar* value, aclTensor* out),
         (self, tensor1, tensor2, value, out)) {
  return with_value(VectorOp::kAddcmul, self, tensor1, tensor2, value, out);
}
ACLNN_OP(aclnnInplaceAddcmul,
         (const aclTensor* selfRef, const aclTensor* tensor1, const aclTensor* tensor2,
          const aclScalar* value),
         (selfRef, tensor1, tensor2, value)) {
  return with_value(VectorOp::kAddcmul, selfRef, tensor1, tensor2, value, selfRef);
}
ACLNN_OP(aclnnMul, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kMul, self, other, out);
}
ACLNN_OP(aclnnInplaceMul, (aclTensor * selfRef, const aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kMul, selfRef, other, selfRef);
}
ACLNN_OP(aclnnMuls, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kMul, self, other, out);
}
ACLNN_OP(aclnnInplaceMuls, (aclTensor * selfRef, const aclScalar* other), (selfRef, other)) {
  return binary(VectorOp::kMul, selfRef, other, selfRef);
}
ACLNN_OP(aclnnDiv, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kDiv, self, other, out, Rule::kFloating);
}
ACLNN_OP(aclnnInplaceDiv, (aclTensor * selfRef, const aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kDiv, selfRef, other, selfRef, Rule::kFloating);
}
ACLNN_OP(aclnnDivs, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kDiv, self, other, out, Rule::kFloating);
}
ACLNN_OP(aclnnInplaceDivs, (aclTensor * selfRef, const aclScalar* other), (selfRef, other)) {
  return binary(VectorOp::kDiv, selfRef, other, selfRef, Rule::kFloating);
}
ACLNN_OP(aclnnDivMod, (const aclTensor* self, const aclTensor* other, int mode, aclTensor* out),
         (self, other, mode, out)) {
  return divide(self, other, mode, out);
}
ACLNN_OP(aclnnInplaceDivMod, (aclTensor * selfRef, const aclTensor* other, int mode),
         (selfRef, other, mode)) {
  return divide(selfRef, other, mode, selfRef);
}
ACLNN_OP(aclnnDivMods, (const aclTensor* self, const aclScalar* other, int mode, aclTensor* out),
         (self, other, mode, out)) {
  return divide(self, other, mode, out);
}
ACLNN_OP(aclnnInplaceDivMods, (aclTensor * selfRef, const aclScalar* other, int mode),
         (selfRef, other, mode)) {
  return divide(selfRef, other, mode, selfRef);
}
ACLNN_OP(aclnnFloorDivide, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kDivFloor, self, other, out);
}
ACLNN_OP(aclnnInplaceFloorDivide, (aclTensor * selfRef, const aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kDivFloor, selfRef, other, selfRef);
}
ACLNN_OP(aclnnFloorDivides, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kDivFloor, self, other, out);
}
ACLNN_OP(aclnnInplaceFloorDivides, (aclTensor * selfRef, const aclScalar* other),
         (selfRef, other)) {
  return binary(VectorOp::kDivFloor, selfRef, other, selfRef);
}
ACLNN_OP(aclnnFmodScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kFmod, self, other, out);
}
ACLNN_OP(aclnnInplaceFmodScalar, (aclTensor * selfRef, const aclScalar* other), (selfRef, other)) {
  return binary(VectorOp::kFmod, selfRef, other, selfRef);
}
ACLNN_OP(aclnnFmodTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kFmod, self, other, out);
}
ACLNN_OP(aclnnInplaceFmodTensor, (aclTensor * selfRef, const aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kFmod, selfRef, other, selfRef);
}
ACLNN_OP(aclnnRemainderScalarTensor,
         (const aclScalar* self, const aclTensor* other, aclTensor* out), (self, other, out)) {
  return binary(VectorOp::kRemainder, self, other, out);
}
ACLNN_OP(aclnnRemainderTensorScalar,
         (const aclTensor* self, const aclScalar* other, aclTensor* out), (self, other, out)) {
  return binary(VectorOp::kRemainder, self, other, out);
}
ACLNN_OP(aclnnInplaceRemainderTensorScalar, (aclTensor * selfRef, const aclScalar* other),
         (selfRef, other)) {
  return binary(VectorOp::kRemainder, selfRef, other, selfRef);
}
ACLNN_OP(aclnnRemainderTensorTensor,
         (const aclTensor* self, const aclTensor* other, aclTensor* out), (self, other, out)) {
  return binary(VectorOp::kRemainder, self, other, out);
}
ACLNN_OP(aclnnInplaceRemainderTensorTensor, (aclTensor * selfRef, const aclTensor* other),
         (selfRef, other)) {
  return binary(VectorOp::kRemainder, selfRef, other, selfRef);
}
ACLNN_OP(aclnnPowScalarTensor,
         (const aclScalar* self, const aclTensor* exponent, const aclTensor* out),
         (self, exponent, out)) {
  return binary(VectorOp::kPow, self, exponent, out);
}
ACLNN_OP(aclnnPowTensorTensor, (const aclTensor* self, const aclTensor* exponent, aclTensor* out),
         (self, exponent, out)) {
  return binary(VectorOp::kPow, self, exponent, out);
}
ACLNN_OP(aclnnInplacePowTensorTensor, (const aclTensor* self, const aclTensor* exponent),
         (self, exponent)) {
  return binary(VectorOp::kPow, self, exponent, self);
}
ACLNN_OP(aclnnPowTensorScalar,
         (const aclTensor* self, const aclScalar* exponent, const aclTensor* out),
         (self, exponent, out)) {
  return power(self, exponent, out);
}
ACLNN_OP(aclnnInplacePowTensorScalar, (const aclTensor* self, const aclScalar* exponent),
         (self, exponent)) {
  return power(self, exponent, self);
}
ACLNN_OP(aclnnLerp,
         (const aclTensor* self, const aclTensor* end, const aclTensor* weight, aclTensor* out),
         (self, end, weight, out)) {
  return ternary(VectorOp::kLerp, self, Operand(end, "end"), Operand(weight, "weight"), out);
}
ACLNN_OP(aclnnInplaceLerp, (aclTensor * selfRef, const aclTensor* end, const aclTensor* weight),
         (selfRef, end, weight)) {
  return ternary(VectorOp::kLerp, selfRef, Operand(end, "end"), Operand(weight, "weight"), selfRef);
}
ACLNN_OP(aclnnLerps,
         (const aclTensor* self, const aclTensor* end, const aclScalar* weight, aclTensor* out),
         (self, end, weight, out)) {
  return ternary(VectorOp::kLerp, self, Operand(end, "end"), Operand(weight, "weight"), out);
}
ACLNN_OP(aclnnInplaceLerps, (aclTensor * selfRef, const aclTensor* end, const aclScalar* weight),
         (selfRef, end, weight)) {
  return ternary(VectorOp::kLerp, selfRef, Operand(end, "end"), Operand(weight, "weight"), selfRef);
}
ACLNN_OP(aclnnMaximum, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kMaximum, self, other, out);
}
ACLNN_OP(aclnnMinimum, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kMinimum, self, other, out);
}
ACLNN_OP(aclnnClamp,
         (const aclTensor* self, const aclScalar* clipValueMin, const aclScalar* clipValueMax,
          aclTensor* out),
         (self, clipValueMin, clipValueMax, out)) {
  return clamp(self, clipValueMin, clipValueMax, out);
}
ACLNN_OP(aclnnClampMax, (const aclTensor* self, const aclScalar* clipValueMax, aclTensor* out),
         (self, clipValueMax, out)) {
  return binary(VectorOp::kMinimum, self, clipValueMax, out);
}
ACLNN_OP(aclnnInplaceClampMax, (const aclTensor* selfRef, const aclScalar* clipValueMax),
         (selfRef, clipValueMax)) {
  return binary(VectorOp::kMinimum, selfRef, clipValueMax, selfRef);
}
ACLNN_OP(aclnnClampMaxTensor, (const aclTensor* self, const aclTensor* max, aclTensor* out),
         (self, max, out)) {
  return binary(VectorOp::kMinimum, self, max, out);
}
ACLNN_OP(aclnnInplaceClampMaxTensor, (aclTensor * selfRef, const aclTensor* max), (selfRef, max)) {
  return binary(VectorOp::kMinimum, selfRef, max, selfRef);
}
ACLNN_OP(aclnnClampMin, (const aclTensor* self, const aclScalar* clipValueMin, aclTensor* out),
         (self, clipValueMin, out)) {
  return binary(VectorOp::kMaximum, self, clipValueMin, out);
}
ACLNN_OP(aclnnClampMinTensor,
         (const aclTensor* self, const aclTensor* clipValueMin, aclTensor* out),
         (self, clipValueMin, out)) {
  return binary(VectorOp::kMaximum, self, clipValueMin, out);
}
ACLNN_OP(aclnnInplaceClampMinTensor, (aclTensor * selfRef, const aclTensor* clipValueMin),
         (selfRef, clipValueMin)) {
  return binary(VectorOp::kMaximum, selfRef, clipValueMin, selfRef);
}
ACLNN_OP(aclnnClampTensor,
         (const aclTensor* self, const aclTensor* clipValueMin, const aclTensor* clipValueMax,
          aclTensor* out),
         (self, clipValueMin, clipValueMax, out)) {
  return clamp(self, clipValueMin, clipValueMax, out);
}
ACLNN_OP(aclnnAtan2, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kAtan2, self, other, out, Rule::kFloating);
}
ACLNN_OP(aclnnInplaceAtan2, (aclTensor * selfRef, aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kAtan2, selfRef, other, selfRef, Rule::kFloating);
}
ACLNN_OP(aclnnGcd, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kGcd, self, other, out);
}
ACLNN_OP(aclnnLogAddExp, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kLogaddexp, self, other, out, Rule::kFloating);
}
ACLNN_OP(aclnnLogAddExp2, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return log_add_exp2(self, other, out);
}
ACLNN_OP(aclnnXLogYScalarOther, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kXlogy, self, other, out, Rule::kFloating);
}
ACLNN_OP(aclnnInplaceXLogYScalarOther, (aclTensor * selfRef, const aclScalar* other),
         (selfRef, other)) {
  return binary(VectorOp::kXlogy, selfRef, other, selfRef, Rule::kFloating);
}
ACLNN_OP(aclnnXLogYScalarSelf, (const aclScalar* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kXlogy, self, other, out, Rule::kFloating);
}
ACLNN_OP(aclnnXLogYTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kXlogy, self, other, out, Rule::kFloating);
}

}  // namespace npu::aol
