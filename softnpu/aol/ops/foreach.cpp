// SPDX-License-Identifier: Apache-2.0
// One function over lists of tensors.
#include <utility>

#include "aclnnop/foreach.h"
#include "softnpu/aol/build/foreach.h"
#include "softnpu/aol/build/reduce.h"

namespace npu::aol {
namespace {

const Params kOne = {Scalar::of_int(1)};  // alpha of the forms that have none

std::pair<std::vector<TensorView>, std::vector<TensorView>> pairs(const aclTensorList* from,
                                                                  const aclTensorList* to) {
  auto in = views(from, "x"), out = views(to, "out");
  expect(in.size() == out.size(), "x has ", in.size(), " tensors and out ", out.size());
  for (size_t i = 0; i < in.size(); ++i) {
    expect(in[i].defined() && out[i].defined(), "x[", i, "] or out[", i, "] is null");
  }
  return {std::move(in), std::move(out)};
}

Plan foreach_copy(const aclTensorList* from, const aclTensorList* to) {
  const auto [in, out] = pairs(from, to);
  davinci::Foreach command;
  for (size_t i = 0; i < in.size(); ++i) {
    expect_native(in[i], "x");
    expect_native(out[i], "out");
    expect_shape(out[i], Shape::of(in[i]), "out");
    if (out[i].numel() != 0) command.items.push_back(make_copy(in[i], out[i]));
  }
  if (command.items.empty()) return {};
  return command;
}

Plan foreach_zero(const aclTensorList* list) {
  davinci::Foreach command;
  for (const TensorView& tensor : views(list, "x")) {
    expect(tensor.defined(), "an element of x is null");
    if (tensor.numel() != 0) command.items.push_back(make_fill(tensor, Scalar::of_int(0)));
  }
  if (command.items.empty()) return {};
  return command;
}

Plan foreach_norm(const aclTensorList* list, double p, const aclTensorList* to) {
  const auto [in, out] = pairs(list, to);
  Plan plan;
  for (size_t i = 0; i < in.size(); ++i) {
    TensorView result = out[i];
    expect(result.numel() == 1, "out[", i, "] is ", base::to_string(result),
           "; it must have one element");
    result.rank = 0;
    add_reduce(plan, ReduceOp::kNorm, in[i], dim_mask({}, in[i].rank, "x"), false, result, p);
  }
  return plan;
}

VectorOp rounding(int64_t mode) {
  switch (mode) {
    case 1:
      return VectorOp::kRound;
    case 2:
      return VectorOp::kFloor;
    case 3:
      return VectorOp::kCeil;
    case 5:
      return VectorOp::kTrunc;
    default:
      base::fail(ACLNN_ERR_PARAM_INVALID, "roundMode is ", mode,
                 "; supported: 1 (to nearest even), 2 (down), 3 (up), 5 (to zero)");
  }
}

}  // namespace

ACLNN_OP(aclnnForeachAbs, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kAbs, {x}, out);
}
ACLNN_OP(aclnnForeachAcos, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kAcos, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachAddList,
         (const aclTensorList* x1, const aclTensorList* x2, const aclTensor* alpha,
          aclTensorList* out),
         (x1, x2, alpha, out)) {
  return foreach_op(VectorOp::kAddcmul, {x1, x2, alpha}, out, Rule::kSame, kOne);
}
ACLNN_OP(aclnnForeachAddListV2,
         (const aclTensorList* x1, const aclTensorList* x2, const aclScalar* alpha,
          aclTensorList* out),
         (x1, x2, alpha, out)) {
  return foreach_op(VectorOp::kAdd, {x1, x2}, out, Rule::kSame, {number(alpha, "alpha")});
}
ACLNN_OP(aclnnForeachAddScalar,
         (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out),
         (x, scalar, out)) {
  return foreach_op(VectorOp::kAdd, {x, scalar}, out, Rule::kSame, kOne);
}
ACLNN_OP(aclnnForeachAddScalarList,
         (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
         (x, scalars, out)) {
  return foreach_op(VectorOp::kAdd, {x, scalars}, out, Rule::kSame, kOne);
}
ACLNN_OP(aclnnForeachAddScalarV2,
         (const aclTensorList* x, const aclScalar* scalar, aclTensorList* out), (x, scalar, out)) {
  return foreach_op(VectorOp::kAdd, {x, scalar}, out, Rule::kSame, kOne);
}
ACLNN_OP(aclnnForeachAddcdivScalarV2,
         (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
          const aclScalar* scalar, aclTensorList* out),
         (x1, x2, x3, scalar, out)) {
  return foreach_op(VectorOp::kAddcdiv, {x1, x2, x3}, out, Rule::kSame, {number(scalar, "scalar")});
}
ACLNN_OP(aclnnForeachAddcmulScalarV2,
         (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
          const aclScalar* scalar, aclTensorList* out),
         (x1, x2, x3, scalar, out)) {
  return foreach_op(VectorOp::kAddcmul, {x1, x2, x3}, out, Rule::kSame, {number(scalar, "scalar")});
}
ACLNN_OP(aclnnForeachAsin, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kAsin, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachAtan, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kAtan, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachCopy, (const aclTensorList* x, aclTensorList* out), (x, out)) {
  return foreach_copy(x, out);
}
ACLNN_OP(aclnnForeachCos, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kCos, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachCosh, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kCosh, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachDivList,
         (const aclTensorList* x1, const aclTensorList* x2, aclTensorList* out), (x1, x2, out)) {
  return foreach_op(VectorOp::kDiv, {x1, x2}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachDivScalar,
         (const aclTensorList* x, const aclTensor* scalar, aclTensorList* out), (x, scalar, out)) {
  return foreach_op(VectorOp::kDiv, {x, scalar}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachDivScalarList,
         (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
         (x, scalars, out)) {
  return foreach_op(VectorOp::kDiv, {x, scalars}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachDivScalarV2,
         (const aclTensorList* x, const aclScalar* scalar, aclTensorList* out), (x, scalar, out)) {
  return foreach_op(VectorOp::kDiv, {x, scalar}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachErf, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kErf, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachErfc, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kErfc, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachExp, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kExp, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachExpm1, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kExpm1, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachLerpList,
         (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* weight,
          aclTensorList* out),
         (x1, x2, weight, out)) {
  return foreach_op(VectorOp::kLerp, {x1, x2, weight}, out);
}
ACLNN_OP(aclnnForeachLerpScalar,
         (const aclTensorList* x1, const aclTensorList* x2, const aclScalar* weight,
          aclTensorList* out),
         (x1, x2, weight, out)) {
  return foreach_op(VectorOp::kLerp, {x1, x2, weight}, out);
}
ACLNN_OP(aclnnForeachLog, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kLog, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachLog10, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kLog10, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachLog1p, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kLog1p, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachLog2, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kLog2, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachMaximumList,
         (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* out),
         (x1, x2, out)) {
  return foreach_op(VectorOp::kMaximum, {x1, x2}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMaximumScalar,
         (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out),
         (x, scalar, out)) {
  return foreach_op(VectorOp::kMaximum, {x, scalar}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMaximumScalarList,
         (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
         (x, scalars, out)) {
  return foreach_op(VectorOp::kMaximum, {x, scalars}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMaximumScalarV2,
         (const aclTensorList* x, const aclScalar* scalar, aclTensorList* out), (x, scalar, out)) {
  return foreach_op(VectorOp::kMaximum, {x, scalar}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMinimumList,
         (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* out),
         (x1, x2, out)) {
  return foreach_op(VectorOp::kMinimum, {x1, x2}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMinimumScalar,
         (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out),
         (x, scalar, out)) {
  return foreach_op(VectorOp::kMinimum, {x, scalar}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMinimumScalarList,
         (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
         (x, scalars, out)) {
  return foreach_op(VectorOp::kMinimum, {x, scalars}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMinimumScalarV2,
         (const aclTensorList* x, const aclScalar* scalar, aclTensorList* out), (x, scalar, out)) {
  return foreach_op(VectorOp::kMinimum, {x, scalar}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMulList,
         (const aclTensorList* x1, const aclTensorList* x2, aclTensorList* out), (x1, x2, out)) {
  return foreach_op(VectorOp::kMul, {x1, x2}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMulScalar,
         (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out),
         (x, scalar, out)) {
  return foreach_op(VectorOp::kMul, {x, scalar}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMulScalarList,
         (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
         (x, scalars, out)) {
  return foreach_op(VectorOp::kMul, {x, scalars}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachMulScalarV2,
         (const aclTensorList* x, const aclScalar* scalar, aclTensorList* out), (x, scalar, out)) {
  return foreach_op(VectorOp::kMul, {x, scalar}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachNeg, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kNeg, {x}, out);
}
ACLNN_OP(aclnnForeachNorm,
         (const aclTensorList* x, const aclScalar* scalar, const aclTensorList* out),
         (x, scalar, out)) {
  return foreach_norm(x, number(scalar, "scalar").f, out);
}
ACLNN_OP(aclnnForeachPowList,
         (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* out),
         (x1, x2, out)) {
  return foreach_op(VectorOp::kPow, {x1, x2}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachPowScalar,
         (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out),
         (x, scalar, out)) {
  return foreach_op(VectorOp::kPow, {x, scalar}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachPowScalarAndTensor,
         (const aclScalar* scalar, const aclTensorList* x, const aclTensorList* out),
         (scalar, x, out)) {
  return foreach_op(VectorOp::kPow, {scalar, x}, out);
}
ACLNN_OP(aclnnForeachPowScalarList,
         (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
         (x, scalars, out)) {
  return foreach_op(VectorOp::kPow, {x, scalars}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachPowScalarV2,
         (const aclTensorList* x, const aclScalar* scalar, aclTensorList* out), (x, scalar, out)) {
  return foreach_op(VectorOp::kPow, {x, scalar}, out, Rule::kSame);
}
ACLNN_OP(aclnnForeachReciprocal, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kReciprocal, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachRoundOffNumberV2,
         (const aclTensorList* x, const aclScalar* roundMode, aclTensorList* out),
         (x, roundMode, out)) {
  return foreach_op(rounding(number(roundMode, "roundMode").i), {x}, out);
}
ACLNN_OP(aclnnForeachSigmoid, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kSigmoid, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachSign, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kSign, {x}, out);
}
ACLNN_OP(aclnnForeachSin, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kSin, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachSinh, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kSinh, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachSqrt, (const aclTensorList* x, aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kSqrt, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachSubList,
         (const aclTensorList* x1, const aclTensorList* x2, const aclTensor* alpha,
          const aclTensorList* out),
         (x1, x2, alpha, out)) {
  return foreach_op(VectorOp::kAddcmul, {x1, x2, alpha}, out, Rule::kSame, {Scalar::of_int(-1)});
}
ACLNN_OP(aclnnForeachSubListV2,
         (const aclTensorList* x1, const aclTensorList* x2, const aclScalar* alpha,
          aclTensorList* out),
         (x1, x2, alpha, out)) {
  return foreach_op(VectorOp::kSub, {x1, x2}, out, Rule::kSame, {number(alpha, "alpha")});
}
ACLNN_OP(aclnnForeachSubScalar,
         (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out),
         (x, scalar, out)) {
  return foreach_op(VectorOp::kSub, {x, scalar}, out, Rule::kSame, kOne);
}
ACLNN_OP(aclnnForeachSubScalarList,
         (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
         (x, scalars, out)) {
  return foreach_op(VectorOp::kSub, {x, scalars}, out, Rule::kSame, kOne);
}
ACLNN_OP(aclnnForeachSubScalarV2,
         (const aclTensorList* x, const aclScalar* scalar, aclTensorList* out), (x, scalar, out)) {
  return foreach_op(VectorOp::kSub, {x, scalar}, out, Rule::kSame, kOne);
}
ACLNN_OP(aclnnForeachTan, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kTan, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachTanh, (const aclTensorList* x, const aclTensorList* out), (x, out)) {
  return foreach_op(VectorOp::kTanh, {x}, out, Rule::kFloating);
}
ACLNN_OP(aclnnForeachZeroInplace, (const aclTensorList* x), (x)) { return foreach_zero(x); }

}  // namespace npu::aol
