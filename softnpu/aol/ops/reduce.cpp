// SPDX-License-Identifier: Apache-2.0
// Reductions and cumulative sums.
#include <algorithm>

#include "aclnnop/reduce.h"
#include "softnpu/aol/build/reduce.h"

namespace npu::aol {
namespace {

DType as_dtype(aclDataType dtype) { return static_cast<DType>(dtype); }

uint32_t mask_of(const aclIntArray* dims, const TensorView& in) {
  return dim_mask(dims == nullptr ? std::span<const int64_t>() : ints(dims, "dim"), in.rank, "dim");
}

/// Two reductions of the same dimensions.
Plan both(ReduceOp first, ReduceOp second, const aclTensor* self, const aclIntArray* dims,
          bool keepdim, const aclTensor* first_out, const aclTensor* second_out) {
  const TensorView in = view(self, "self");
  const uint32_t mask = mask_of(dims, in);
  Plan plan;
  add_reduce(plan, first, in, mask, keepdim, view(first_out, "minOut"));
  add_reduce(plan, second, in, mask, keepdim, view(second_out, "maxOut"));
  return plan;
}

Plan with_mean(ReduceOp op, const aclTensor* self, const aclIntArray* dims, int64_t correction,
               bool keepdim, const aclTensor* out, const aclTensor* mean) {
  const TensorView in = view(self, "self");
  const uint32_t mask = mask_of(dims, in);
  Plan plan;
  add_reduce(plan, op, in, mask, keepdim, view(out, "out"), static_cast<double>(correction));
  add_reduce(plan, ReduceOp::kMean, in, mask, keepdim, view(mean, "meanOut"));
  return plan;
}

Plan norm(const aclTensor* self, const Scalar& p, const aclIntArray* dims, bool keepdim,
          const aclTensor* out) {
  return reduce(ReduceOp::kNorm, self, dims, keepdim, out, {.parameter = p.f});
}

Plan nansum(const aclTensor* self, const aclIntArray* dims, bool keepdim, const aclTensor* out) {
  const TensorView in = view(self, "self");
  if (base::is_integral(in.dtype)) return reduce(ReduceOp::kSum, self, dims, keepdim, out);
  Plan plan;
  const TensorView clean = plan.temporary(working_type(in.dtype), in);
  const TensorView nan = plan.temporary(DType::kBool, in);
  add(plan, make_elementwise(VectorOp::kIsNan, {in}, nan, Rule::kTruth));
  add(plan, make_elementwise(VectorOp::kWhere, {nan, Scalar::of_int(0), in}, clean, Rule::kSame));
  add_reduce(plan, ReduceOp::kSum, clean, mask_of(dims, in), keepdim, view(out, "out"));
  return plan;
}

Plan cumsum(const aclTensor* self, int64_t dim, aclDataType dtype, const aclTensor* out) {
  const TensorView in = view(self, "self"), result = view(out, "out");
  expect_native(in, "self");
  expect(as_dtype(dtype) == DType::kUndefined || as_dtype(dtype) == result.dtype, "dtype is ",
         base::name_of(as_dtype(dtype)), " and out is ", base::name_of(result.dtype),
         "; they must be the same");
  expect_shape(result, Shape::of(in), "out");
  expect_no_overlap(result, "out", in, "self");
  const int along = wrap_dim(dim, in.rank, "dim");
  if (result.numel() == 0) return {};
  return davinci::Cumsum{at_least_1d(in), at_least_1d(result), along};
}

/// log(sum(exp(self))), with the maximum taken out so that nothing overflows.
Plan log_sum_exp(const aclTensor* self, const aclIntArray* dims, bool keepdim,
                 const aclTensor* out) {
  const TensorView in = view(self, "self"), result = view(out, "out");
  expect_native(in, "self");
  const uint32_t mask = mask_of(dims, in);
  Shape kept = Shape::of(in);
  for (int i = 0; i < in.rank; ++i) kept.dims[i] = (mask >> i & 1) != 0 ? 1 : in.dims[i];
  Plan plan;
  const DType type = working_type(in.dtype);
  const TensorView largest = plan.temporary(type, kept.span());
  const TensorView finite = plan.temporary(DType::kBool, kept.span());
  const TensorView shifted = plan.temporary(type, in);
  const TensorView total = plan.temporary(type, kept.span());
  if (in.numel() != 0) {
    add_reduce(plan, ReduceOp::kMax, in, mask, true, largest);
  } else {
    add(plan, make_fill(largest, Scalar::of_int(0)));
  }
  // An infinite maximum must stay in the sum: infinity minus itself is no number.
  add(plan, make_elementwise(VectorOp::kIsInf, {largest}, finite, Rule::kTruth));
  add(plan, make_elementwise(VectorOp::kWhere, {finite, Scalar::of_int(0), largest}, largest,
                             Rule::kSame));
  add(plan, make_elementwise(VectorOp::kSub, {in, largest}, shifted, Rule::kFloating,
                             {Scalar::of_int(1)}));
  add(plan, make_elementwise(VectorOp::kExp, {shifted}, shifted, Rule::kFloating));
  add_reduce(plan, ReduceOp::kSum, shifted, mask, true, total);
  add(plan, make_elementwise(VectorOp::kLog, {total}, total, Rule::kFloating));
  TensorView to = result;
  for (int i = 0; !keepdim && i < in.rank; ++i) {
    if ((mask >> i & 1) != 0) to = insert_dim(to, i);
  }
  add(plan,
      make_elementwise(VectorOp::kAdd, {total, largest}, to, Rule::kFloating, {Scalar::of_int(1)}));
  return plan;
}

Plan trace(const aclTensor* self, const aclTensor* out) {
  TensorView in = view(self, "self");
  expect_rank(in, 2, 2, "self");
  in.strides[0] += in.strides[1];
  in.dims[0] = std::min(in.dims[0], in.dims[1]);
  in = remove_dim(in, 1);
  Plan plan;
  add_reduce(plan, ReduceOp::kSum, in, 1, false, view(out, "out"));
  return plan;
}

}  // namespace

ACLNN_OP(aclnnAll, (const aclTensor* self, const aclIntArray* dim, bool keepdim, aclTensor* out),
         (self, dim, keepdim, out)) {
  return reduce(ReduceOp::kAll, self, dim, keepdim, out);
}
ACLNN_OP(aclnnAny, (const aclTensor* self, const aclIntArray* dim, bool keepdim, aclTensor* out),
         (self, dim, keepdim, out)) {
  return reduce(ReduceOp::kAny, self, dim, keepdim, out);
}
ACLNN_OP(aclnnAmax, (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclTensor* out),
         (self, dim, keepDim, out)) {
  return reduce(ReduceOp::kMax, self, dim, keepDim, out);
}
ACLNN_OP(aclnnAmin, (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclTensor* out),
         (self, dim, keepDim, out)) {
  return reduce(ReduceOp::kMin, self, dim, keepDim, out);
}
ACLNN_OP(aclnnAminmax,
         (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclTensor* minOut,
          aclTensor* maxOut),
         (self, dim, keepDim, minOut, maxOut)) {
  return both(ReduceOp::kMin, ReduceOp::kMax, self, dim, keepDim, minOut, maxOut);
}
ACLNN_OP(aclnnAminmaxAll, (const aclTensor* self, aclTensor* minOut, aclTensor* maxOut),
         (self, minOut, maxOut)) {
  return both(ReduceOp::kMin, ReduceOp::kMax, self, nullptr, false, minOut, maxOut);
}
ACLNN_OP(aclnnAminmaxDim,
         (const aclTensor* self, int64_t dim, bool keepDim, aclTensor* minOut, aclTensor* maxOut),
         (self, dim, keepDim, minOut, maxOut)) {
  Plan plan = reduce_dim(ReduceOp::kMin, self, dim, keepDim, minOut);
  const TensorView in = view(self, "self");
  add_reduce(plan, ReduceOp::kMax, in, 1u << wrap_dim(dim, in.rank, "dim"), keepDim,
             view(maxOut, "maxOut"));
  return plan;
}
ACLNN_OP(aclnnArgMax, (const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out),
         (self, dim, keepdim, out)) {
  return reduce_dim(ReduceOp::kArgMax, self, dim, keepdim, out);
}
ACLNN_OP(aclnnArgMin, (const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out),
         (self, dim, keepdim, out)) {
  return reduce_dim(ReduceOp::kArgMin, self, dim, keepdim, out);
}
ACLNN_OP(aclnnCumsum, (const aclTensor* self, int64_t dim, aclDataType dtype, aclTensor* out),
         (self, dim, dtype, out)) {
  return cumsum(self, dim, dtype, out);
}
ACLNN_OP(aclnnLinalgVectorNorm,
         (const aclTensor* self, const aclScalar* ord, const aclIntArray* dims, bool keepDims,
          const aclDataType dtype, aclTensor* out),
         (self, ord, dims, keepDims, dtype, out)) {
  return norm(self, number(ord, "ord"), dims, keepDims, out);
}
ACLNN_OP(aclnnLogSumExp,
         (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclTensor* out),
         (self, dim, keepDim, out)) {
  return log_sum_exp(self, dim, keepDim, out);
}
ACLNN_OP(aclnnMax, (const aclTensor* self, aclTensor* out), (self, out)) {
  return reduce_all(ReduceOp::kMax, self, out);
}
ACLNN_OP(aclnnMaxDim,
         (const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out, aclTensor* indices),
         (self, dim, keepdim, out, indices)) {
  return reduce_dim(ReduceOp::kMax, self, dim, keepdim, out, {.indices = indices});
}
ACLNN_OP(aclnnMean,
         (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclDataType dtype,
          aclTensor* out),
         (self, dim, keepDim, dtype, out)) {
  return reduce(ReduceOp::kMean, self, dim, keepDim, out, {.dtype = as_dtype(dtype)});
}
ACLNN_OP(aclnnMin, (const aclTensor* self, aclTensor* out), (self, out)) {
  return reduce_all(ReduceOp::kMin, self, out);
}
ACLNN_OP(aclnnMinDim,
         (const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out, aclTensor* indices),
         (self, dim, keepdim, out, indices)) {
  return reduce_dim(ReduceOp::kMin, self, dim, keepdim, out, {.indices = indices});
}
ACLNN_OP(aclnnNorm,
         (const aclTensor* self, const aclScalar* pScalar, const aclIntArray* dim, bool keepdim,
          aclTensor* out),
         (self, pScalar, dim, keepdim, out)) {
  return norm(self, number_or(pScalar, Scalar::of(2), "p"), dim, keepdim, out);
}
ACLNN_OP(aclnnProd, (const aclTensor* self, const aclDataType dtype, aclTensor* out),
         (self, dtype, out)) {
  return reduce_all(ReduceOp::kProd, self, out, {.dtype = as_dtype(dtype)});
}
ACLNN_OP(aclnnProdDim,
         (const aclTensor* self, int64_t dim, bool keepDim, const aclDataType dtype,
          aclTensor* out),
         (self, dim, keepDim, dtype, out)) {
  return reduce_dim(ReduceOp::kProd, self, dim, keepDim, out, {.dtype = as_dtype(dtype)});
}
ACLNN_OP(aclnnReduceNansum,
         (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclDataType dtype,
          aclTensor* out),
         (self, dim, keepDim, dtype, out)) {
  return nansum(self, dim, keepDim, out);
}
ACLNN_OP(aclnnReduceSum,
         (const aclTensor* self, const aclIntArray* dims, bool keepDims, aclDataType dtype,
          aclTensor* out),
         (self, dims, keepDims, dtype, out)) {
  return reduce(ReduceOp::kSum, self, dims, keepDims, out, {.dtype = as_dtype(dtype)});
}
ACLNN_OP(aclnnStd,
         (const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,
          aclTensor* out),
         (self, dim, correction, keepdim, out)) {
  return reduce(ReduceOp::kStd, self, dim, keepdim, out,
                {.parameter = static_cast<double>(correction)});
}
ACLNN_OP(aclnnStdMeanCorrection,
         (const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,
          aclTensor* stdOut, aclTensor* meanOut),
         (self, dim, correction, keepdim, stdOut, meanOut)) {
  return with_mean(ReduceOp::kStd, self, dim, correction, keepdim, stdOut, meanOut);
}
ACLNN_OP(aclnnTrace, (const aclTensor* self, aclTensor* out), (self, out)) {
  return trace(self, out);
}
ACLNN_OP(aclnnVarCorrection,
         (const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,
          aclTensor* out),
         (self, dim, correction, keepdim, out)) {
  return reduce(ReduceOp::kVar, self, dim, keepdim, out,
                {.parameter = static_cast<double>(correction)});
}
ACLNN_OP(aclnnVarMean,
         (const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,
          aclTensor* varOut, aclTensor* meanOut),
         (self, dim, correction, keepdim, varOut, meanOut)) {
  return with_mean(ReduceOp::kVar, self, dim, correction, keepdim, varOut, meanOut);
}

}  // namespace npu::aol
