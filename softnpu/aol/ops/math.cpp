// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor, element by element.
#include <cmath>

#include "aclnnop/math.h"
#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {
namespace {

/// Integers are whole already.
Plan rounding(VectorOp op, const aclTensor* self, const aclTensor* out) {
  const bool whole = base::is_integral(view(self, "self").dtype);
  return unary(whole ? VectorOp::kCopy : op, self, out, Rule::kSame);
}

Plan round_decimals(const aclTensor* self, int64_t decimals, const aclTensor* out) {
  if (base::is_integral(view(self, "self").dtype) && decimals >= 0)
    return rounding(VectorOp::kCopy, self, out);
  const Scalar power = Scalar::of(std::pow(10.0, std::abs(static_cast<double>(decimals))));
  return unary(VectorOp::kRoundDecimals, self, out, Rule::kSame,
               {power, Scalar::of_int(decimals > 0)});
}

Plan nan_to_num(const aclTensor* self, double nan, double posinf, double neginf,
                const aclTensor* out) {
  if (base::is_integral(view(self, "self").dtype)) return rounding(VectorOp::kCopy, self, out);
  return unary(VectorOp::kNanToNum, self, out, Rule::kSame,
               {Scalar::of(nan), Scalar::of(posinf), Scalar::of(neginf)});
}

Plan logit(const aclTensor* self, double eps, const aclTensor* out) {
  if (eps < 0) return unary(VectorOp::kLogit, self, out);
  // Clamped to [eps, 1 - eps] first, in a temporary of the type that is computed in.
  const TensorView in = view(self, "self"), result = view(out, "out");
  Plan plan;
  const TensorView clamped = plan.temporary(working_type(in.dtype), in);
  add(plan, make_elementwise(VectorOp::kClamp, {in, Scalar::of(eps), Scalar::of(1 - eps)}, clamped,
                             Rule::kFloating));
  add(plan, make_elementwise(VectorOp::kLogit, {clamped}, result, Rule::kFloating));
  return plan;
}

}  // namespace

ACLNN_OP(aclnnAbs, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kAbs, self, out, Rule::kSame);
}
ACLNN_OP(aclnnAcos, (const aclTensor* input, aclTensor* out), (input, out)) {
  return unary(VectorOp::kAcos, input, out);
}
ACLNN_OP(aclnnInplaceAcos, (aclTensor * inputRef), (inputRef)) {
  return unary(VectorOp::kAcos, inputRef, inputRef);
}
ACLNN_OP(aclnnAcosh, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kAcosh, self, out);
}
ACLNN_OP(aclnnInplaceAcosh, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kAcosh, selfRef, selfRef);
}
ACLNN_OP(aclnnAsin, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kAsin, self, out);
}
ACLNN_OP(aclnnInplaceAsin, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kAsin, selfRef, selfRef);
}
ACLNN_OP(aclnnAsinh, (const aclTensor* input, aclTensor* out), (input, out)) {
  return unary(VectorOp::kAsinh, input, out);
}
ACLNN_OP(aclnnInplaceAsinh, (aclTensor * inputRef), (inputRef)) {
  return unary(VectorOp::kAsinh, inputRef, inputRef);
}
ACLNN_OP(aclnnAtan, (const aclTensor* input, aclTensor* out), (input, out)) {
  return unary(VectorOp::kAtan, input, out);
}
ACLNN_OP(aclnnInplaceAtan, (aclTensor * inputRef), (inputRef)) {
  return unary(VectorOp::kAtan, inputRef, inputRef);
}
ACLNN_OP(aclnnAtanh, (const aclTensor* input, aclTensor* out), (input, out)) {
  return unary(VectorOp::kAtanh, input, out);
}
ACLNN_OP(aclnnInplaceAtanh, (aclTensor * inputRef), (inputRef)) {
  return unary(VectorOp::kAtanh, inputRef, inputRef);
}
ACLNN_OP(aclnnCeil, (const aclTensor* self, aclTensor* out), (self, out)) {
  return rounding(VectorOp::kCeil, self, out);
}
ACLNN_OP(aclnnInplaceCeil, (aclTensor * selfRef), (selfRef)) {
  return rounding(VectorOp::kCeil, selfRef, selfRef);
}
ACLNN_OP(aclnnCos, (const aclTensor* input, aclTensor* out), (input, out)) {
  return unary(VectorOp::kCos, input, out);
}
ACLNN_OP(aclnnInplaceCos, (aclTensor * inputRef), (inputRef)) {
  return unary(VectorOp::kCos, inputRef, inputRef);
}
ACLNN_OP(aclnnCosh, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kCosh, self, out);
}
ACLNN_OP(aclnnInplaceCosh, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kCosh, selfRef, selfRef);
}
ACLNN_OP(aclnnErf, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kErf, self, out);
}
ACLNN_OP(aclnnInplaceErf, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kErf, selfRef, selfRef);
}
ACLNN_OP(aclnnErfc, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kErfc, self, out);
}
ACLNN_OP(aclnnInplaceErfc, (const aclTensor* selfRef), (selfRef)) {
  return unary(VectorOp::kErfc, selfRef, selfRef);
}
ACLNN_OP(aclnnErfinv, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kErfinv, self, out);
}
ACLNN_OP(aclnnInplaceErfinv, (const aclTensor* selfRef), (selfRef)) {
  return unary(VectorOp::kErfinv, selfRef, selfRef);
}
ACLNN_OP(aclnnExp, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kExp, self, out);
}
ACLNN_OP(aclnnInplaceExp, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kExp, selfRef, selfRef);
}
ACLNN_OP(aclnnExp2, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kExp2, self, out);
}
ACLNN_OP(aclnnInplaceExp2, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kExp2, selfRef, selfRef);
}
ACLNN_OP(aclnnExpm1, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kExpm1, self, out);
}
ACLNN_OP(aclnnInplaceExpm1, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kExpm1, selfRef, selfRef);
}
ACLNN_OP(aclnnFloor, (const aclTensor* self, aclTensor* out), (self, out)) {
  return rounding(VectorOp::kFloor, self, out);
}
ACLNN_OP(aclnnInplaceFloor, (aclTensor * selfRef), (selfRef)) {
  return rounding(VectorOp::kFloor, selfRef, selfRef);
}
ACLNN_OP(aclnnFrac, (const aclTensor* input, aclTensor* out), (input, out)) {
  return unary(VectorOp::kFrac, input, out);
}
ACLNN_OP(aclnnInplaceFrac, (aclTensor * inputRef), (inputRef)) {
  return unary(VectorOp::kFrac, inputRef, inputRef);
}
ACLNN_OP(aclnnLog, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kLog, self, out);
}
ACLNN_OP(aclnnInplaceLog, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kLog, selfRef, selfRef);
}
ACLNN_OP(aclnnLog10, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kLog10, self, out);
}
ACLNN_OP(aclnnInplaceLog10, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kLog10, selfRef, selfRef);
}
ACLNN_OP(aclnnLog1p, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kLog1p, self, out);
}
ACLNN_OP(aclnnInplaceLog1p, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kLog1p, selfRef, selfRef);
}
ACLNN_OP(aclnnLog2, (const aclTensor* self, const aclTensor* out), (self, out)) {
  return unary(VectorOp::kLog2, self, out);
}
ACLNN_OP(aclnnInplaceLog2, (const aclTensor* selfRef), (selfRef)) {
  return unary(VectorOp::kLog2, selfRef, selfRef);
}
ACLNN_OP(aclnnLogit, (const aclTensor* input, double eps, const aclTensor* out),
         (input, eps, out)) {
  return logit(input, eps, out);
}
ACLNN_OP(aclnnLogitGrad,
         (const aclTensor* x, const aclTensor* dy, double eps, const aclTensor* out),
         (x, dy, eps, out)) {
  return binary(VectorOp::kLogitBackward, dy, x, out, Rule::kFloating, {Scalar::of(eps)});
}
ACLNN_OP(aclnnNanToNum,
         (const aclTensor* self, float nan, float posinf, float neginf, aclTensor* out),
         (self, nan, posinf, neginf, out)) {
  return nan_to_num(self, nan, posinf, neginf, out);
}
ACLNN_OP(aclnnInplaceNanToNum, (aclTensor * selfRef, float nan, float posinf, float neginf),
         (selfRef, nan, posinf, neginf)) {
  return nan_to_num(selfRef, nan, posinf, neginf, selfRef);
}
ACLNN_OP(aclnnNeg, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kNeg, self, out, Rule::kSame);
}
ACLNN_OP(aclnnReciprocal, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kReciprocal, self, out);
}
ACLNN_OP(aclnnInplaceReciprocal, (const aclTensor* selfRef), (selfRef)) {
  return unary(VectorOp::kReciprocal, selfRef, selfRef);
}
ACLNN_OP(aclnnRound, (const aclTensor* self, aclTensor* out), (self, out)) {
  return rounding(VectorOp::kRound, self, out);
}
ACLNN_OP(aclnnRoundDecimals, (const aclTensor* self, int64_t decimals, aclTensor* out),
         (self, decimals, out)) {
  return round_decimals(self, decimals, out);
}
ACLNN_OP(aclnnInplaceRoundDecimals, (aclTensor * selfRef, int64_t decimals), (selfRef, decimals)) {
  return round_decimals(selfRef, decimals, selfRef);
}
ACLNN_OP(aclnnRsqrt, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kRsqrt, self, out);
}
ACLNN_OP(aclnnInplaceRsqrt, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kRsqrt, selfRef, selfRef);
}
ACLNN_OP(aclnnSign, (const aclTensor* self, aclTensor* result), (self, result)) {
  return unary(VectorOp::kSign, self, result, Rule::kSame);
}
ACLNN_OP(aclnnSignbit, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kSignBit, self, out, Rule::kTruth);
}
ACLNN_OP(aclnnSin, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kSin, self, out);
}
ACLNN_OP(aclnnInplaceSin, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kSin, selfRef, selfRef);
}
ACLNN_OP(aclnnSinc, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kSinc, self, out);
}
ACLNN_OP(aclnnInplaceSinc, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kSinc, selfRef, selfRef);
}
ACLNN_OP(aclnnSinh, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kSinh, self, out);
}
ACLNN_OP(aclnnInplaceSinh, (aclTensor * selfRef), (selfRef)) {
  return unary(VectorOp::kSinh, selfRef, selfRef);
}
ACLNN_OP(aclnnSqrt, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kSqrt, self, out);
}
ACLNN_OP(aclnnInplaceSqrt, (aclTensor * self), (self)) {
  return unary(VectorOp::kSqrt, self, self);
}
ACLNN_OP(aclnnTan, (const aclTensor* self, aclTensor* out), (self, out)) {
  return unary(VectorOp::kTan, self, out);
}
ACLNN_OP(aclnnInplaceTan, (const aclTensor* selfRef), (selfRef)) {
  return unary(VectorOp::kTan, selfRef, selfRef);
}
ACLNN_OP(aclnnTrunc, (const aclTensor* self, aclTensor* out), (self, out)) {
  return rounding(VectorOp::kTrunc, self, out);
}

}  // namespace npu::aol
