// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, bits and choices.
#include "aclnnop/logic.h"
#include "softnpu/aol/build/elementwise.h"
#include "softnpu/aol/build/reduce.h"

namespace npu::aol {
namespace {

Plan equal(const aclTensor* self, const aclTensor* other, const aclTensor* out) {
  const TensorView a = view(self, "self"), b = view(other, "other"), result = view(out, "out");
  expect(result.numel() == 1, "out is ", base::to_string(result), "; it must have one element");
  Plan plan;
  if (!same_shape(a, b) || a.numel() == 0) {
    plan.then(make_fill(result, Scalar::of_int(same_shape(a, b))));
    return plan;
  }
  const TensorView matches = plan.temporary(DType::kBool, a);
  add(plan, make_elementwise(VectorOp::kEq, {{a, "self"}, {b, "other"}}, matches, Rule::kTruth));
  const TensorView flat = contiguous_view(matches.data, DType::kBool, {a.numel()});
  const TensorView answer = contiguous_view(result.data, result.dtype, {1});
  add_reduce(plan, ReduceOp::kAll, flat, 1, true, answer);
  return plan;
}

/// Whether a number is among the elements.
Plan is_in(const aclScalar* element, const aclTensor* test_elements, bool invert,
           const aclTensor* out) {
  const TensorView tests = view(test_elements, "testElements"), result = view(out, "out");
  expect(result.numel() == 1, "out is ", base::to_string(result), "; it must have one element");
  Plan plan;
  const TensorView matches = plan.temporary(DType::kBool, tests);
  const Input wanted(number(element, "element"));
  add(plan, make_elementwise(invert ? VectorOp::kNe : VectorOp::kEq,
                             {{tests, "testElements"}, wanted}, matches, Rule::kTruth));
  const TensorView flat = contiguous_view(matches.data, DType::kBool, {tests.numel()});
  const TensorView answer = contiguous_view(result.data, result.dtype, {1});
  add_reduce(plan, invert ? ReduceOp::kAll : ReduceOp::kAny, flat, 1, true, answer);
  return plan;
}

Plan bitwise_not(const aclTensor* self, const aclTensor* out) {
  const bool truth = view(self, "self").dtype == DType::kBool;
  return unary(truth ? VectorOp::kLogicalNot : VectorOp::kBitwiseNot, self, out, Rule::kSame);
}

template <class Bits>
Plan shift(VectorOp op, const aclTensor* self, const Bits* bits, const aclTensor* out) {
  const auto width = static_cast<int64_t>(8 * base::size_of(view(self, "self").dtype));
  return binary(op, self, Operand(bits, "shiftBits"), out, Rule::kSame, {Scalar::of_int(width)});
}

}  // namespace

ACLNN_OP(aclnnEqScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kEq, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceEqScalar, (const aclTensor* selfRef, const aclScalar* other),
         (selfRef, other)) {
  return binary(VectorOp::kEq, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnEqTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kEq, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceEqTensor, (const aclTensor* selfRef, const aclTensor* other),
         (selfRef, other)) {
  return binary(VectorOp::kEq, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnNeScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kNe, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceNeScalar, (aclTensor * selfRef, const aclScalar* other), (selfRef, other)) {
  return binary(VectorOp::kNe, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnNeTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kNe, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceNeTensor, (aclTensor * selfRef, const aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kNe, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnLtScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kLt, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceLtScalar, (const aclTensor* selfRef, const aclScalar* other),
         (selfRef, other)) {
  return binary(VectorOp::kLt, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnLtTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kLt, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceLtTensor, (const aclTensor* selfRef, const aclTensor* other),
         (selfRef, other)) {
  return binary(VectorOp::kLt, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnLeScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kLe, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceLeScalar, (aclTensor * selfRef, const aclScalar* other), (selfRef, other)) {
  return binary(VectorOp::kLe, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnLeTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kLe, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceLeTensor, (aclTensor * selfRef, const aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kLe, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnGtScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kGt, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceGtScalar, (aclTensor * selfRef, const aclScalar* other), (selfRef, other)) {
  return binary(VectorOp::kGt, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnGtTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kGt, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceGtTensor, (const aclTensor* selfRef, const aclTensor* other),
         (selfRef, other)) {
  return binary(VectorOp::kGt, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnGeScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kGe, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceGeScalar, (aclTensor * selfRef, const aclScalar* other), (selfRef, other)) {
  return binary(VectorOp::kGe, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnGeTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kGe, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceGeTensor, (aclTensor * selfRef, const aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kGe, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnEqual, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return equal(self, other, out);
}
ACLNN_OP(aclnnIsClose,
         (const aclTensor* self, const aclTensor* other, double rtol, double atol, bool equalNan,
          aclTensor* out),
         (self, other, rtol, atol, equalNan, out)) {
  return binary(VectorOp::kIsClose, self, other, out, Rule::kFloatingTruth,
                {Scalar::of(rtol), Scalar::of(atol), Scalar::of_int(equalNan)});
}
ACLNN_OP(aclnnIsFinite, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kIsFinite, self, out, Rule::kFloatingTruth);
}
ACLNN_OP(aclnnIsInScalarTensor,
         (const aclScalar* element, const aclTensor* testElements, bool assumeUnique, bool invert,
          aclTensor* out),
         (element, testElements, assumeUnique, invert, out)) {
  return is_in(element, testElements, invert, out);
}
ACLNN_OP(aclnnIsInTensorScalar,
         (const aclTensor* element, const aclScalar* testElement, bool assumeUnique, bool invert,
          aclTensor* out),
         (element, testElement, assumeUnique, invert, out)) {
  return binary(invert ? VectorOp::kNe : VectorOp::kEq, element, testElement, out, Rule::kTruth);
}
ACLNN_OP(aclnnIsNegInf, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kIsNegInf, self, out, Rule::kFloatingTruth);
}
ACLNN_OP(aclnnIsPosInf, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kIsPosInf, self, out, Rule::kFloatingTruth);
}
ACLNN_OP(aclnnLogicalAnd, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kLogicalAnd, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceLogicalAnd, (aclTensor * selfRef, const aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kLogicalAnd, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnLogicalOr, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kLogicalOr, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceLogicalOr, (aclTensor * selfRef, const aclTensor* other), (selfRef, other)) {
  return binary(VectorOp::kLogicalOr, selfRef, other, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnLogicalXor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kLogicalXor, self, other, out, Rule::kTruth);
}
ACLNN_OP(aclnnLogicalNot, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kLogicalNot, self, out, Rule::kTruth);
}
ACLNN_OP(aclnnInplaceLogicalNot, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kLogicalNot, selfRef, selfRef, Rule::kTruth);
}
ACLNN_OP(aclnnBitwiseAndScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kBitwiseAnd, self, other, out, Rule::kSame);
}
ACLNN_OP(aclnnInplaceBitwiseAndScalar, (const aclTensor* selfRef, const aclScalar* other),
         (selfRef, other)) {
  return binary(VectorOp::kBitwiseAnd, selfRef, other, selfRef, Rule::kSame);
}
ACLNN_OP(aclnnBitwiseAndTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kBitwiseAnd, self, other, out, Rule::kSame);
}
ACLNN_OP(aclnnInplaceBitwiseAndTensor, (const aclTensor* selfRef, const aclTensor* other),
         (selfRef, other)) {
  return binary(VectorOp::kBitwiseAnd, selfRef, other, selfRef, Rule::kSame);
}
ACLNN_OP(aclnnBitwiseOrScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kBitwiseOr, self, other, out, Rule::kSame);
}
ACLNN_OP(aclnnBitwiseOrTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kBitwiseOr, self, other, out, Rule::kSame);
}
ACLNN_OP(aclnnBitwiseXorScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kBitwiseXor, self, other, out, Rule::kSame);
}
ACLNN_OP(aclnnInplaceBitwiseXorScalar, (aclTensor * selfRef, const aclScalar* other),
         (selfRef, other)) {
  return binary(VectorOp::kBitwiseXor, selfRef, other, selfRef, Rule::kSame);
}
ACLNN_OP(aclnnBitwiseXorTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
         (self, other, out)) {
  return binary(VectorOp::kBitwiseXor, self, other, out, Rule::kSame);
}
ACLNN_OP(aclnnInplaceBitwiseXorTensor, (aclTensor * selfRef, const aclTensor* other),
         (selfRef, other)) {
  return binary(VectorOp::kBitwiseXor, selfRef, other, selfRef, Rule::kSame);
}
ACLNN_OP(aclnnBitwiseNot, (const aclTensor* self, aclTensor* out), (self, out)) {
  return bitwise_not(self, out);
}
ACLNN_OP(aclnnLeftShift, (const aclTensor* self, const aclTensor* shiftBits, aclTensor* out),
         (self, shiftBits, out)) {
  return shift(VectorOp::kShiftLeft, self, shiftBits, out);
}
ACLNN_OP(aclnnLeftShifts, (const aclTensor* self, const aclScalar* shiftBits, aclTensor* out),
         (self, shiftBits, out)) {
  return shift(VectorOp::kShiftLeft, self, shiftBits, out);
}
ACLNN_OP(aclnnRightShift, (const aclTensor* input, const aclTensor* shiftBits, aclTensor* out),
         (input, shiftBits, out)) {
  return shift(VectorOp::kShiftRight, input, shiftBits, out);
}
ACLNN_OP(aclnnSWhere,
         (const aclTensor* condition, const aclTensor* self, const aclTensor* other,
          aclTensor* out),
         (condition, self, other, out)) {
  return ternary(VectorOp::kWhere, Operand(condition, "condition"), Operand(self, "self"),
                 Operand(other, "other"), out);
}

}  // namespace npu::aol
