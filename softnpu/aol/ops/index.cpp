// SPDX-License-Identifier: Apache-2.0
// Gathering, scattering, indexing and sorting.
#include "aclnnop/index.h"
#include "softnpu/aol/build/index.h"

namespace npu::aol {
namespace {

Input source_of(const aclTensor* tensor) { return {view(tensor, "source"), "source"}; }

Plan embedding_backward(const aclTensor* grad, const aclTensor* indices, uint64_t num_weights,
                        int64_t padding_idx, bool scale_by_frequency, const aclTensor* out) {
  TensorView g = view(grad, "grad"), positions = view(indices, "indices");
  const TensorView to = view(out, "out");
  expect_index(positions, "indices");
  expect_floating(g, "grad");
  expect_rank(to, 2, 2, "out");
  expect_rank(g, 1, base::kMaxRank, "grad");
  const int64_t width = g.dims[g.rank - 1];
  expect_shape(to, {static_cast<int64_t>(num_weights), width}, "out");
  expect(g.numel() == positions.numel() * width, "grad is ", base::to_string(g), " and indices ",
         base::to_string(positions), "; grad must have one row for each index");
  Plan plan;
  if (g.numel() == 0) {
    add(plan, make_fill(to, Scalar::of_int(0)));
    return plan;
  }
  const auto flat = [&](TensorView v, int last) {  // dimensions up to `last` as one
    if (last < 0) return insert_dim(v, 0);
    if (flatten(v, 0, last)) return v;
    TensorView copy = plan.temporary(v.dtype, v);
    add(plan, make_copy(v, copy));
    flatten(copy, 0, last);
    return copy;
  };
  g = flat(g, g.rank - 2);
  positions = flat(positions, positions.rank - 1);
  plan.then(davinci::EmbeddingBackward{g, positions, to, padding_idx, scale_by_frequency});
  return plan;
}

Plan masked_fill(const aclTensor* self, const aclTensor* mask, const Input& value) {
  const TensorView to = view(self, "selfRef"), chosen = view(mask, "mask");
  expect_type(chosen, {DType::kBool, DType::kUInt8}, "mask");
  Plan plan;
  add(plan, make_elementwise(VectorOp::kWhere, {{chosen, "mask"}, value, {to, "selfRef"}}, to,
                             Rule::kSame));
  return plan;
}

Plan masked_scale(const aclTensor* self, const aclTensor* mask, float scale, const aclTensor* out) {
  const Input inputs[] = {
      Scalar::of(0), {view(self, "self"), "self"}, {view(mask, "mask"), "mask"}};
  Plan plan;
  add(plan, make_elementwise(VectorOp::kAddcmul, inputs, view(out, "out"), Rule::kSame,
                             {Scalar::of(scale)}));
  return plan;
}

/// out = self == 0 .. classes - 1 along a new dimension ? on : off
Plan one_hot(const aclTensor* self, int64_t classes, const aclTensor* on, const aclTensor* off,
             int64_t axis, const aclTensor* out) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  expect_type(in, {DType::kInt64, DType::kInt32, DType::kUInt8}, "self");
  expect(axis >= -1 && axis <= in.rank, "axis is ", axis, "; it must be in [-1, ",
         static_cast<int>(in.rank), "]");
  const int place = axis == -1 ? in.rank : static_cast<int>(axis);
  TensorView spread = insert_dim(in, place);
  Shape shape = Shape::of(spread);
  shape.dims[place] = classes;
  expect_shape(to, shape, "out");
  Plan plan;
  if (to.numel() == 0) return plan;
  const auto first = [](const aclTensor* tensor, const char* role) {
    TensorView v = view(tensor, role);
    expect(v.numel() >= 1, role, " has no elements");
    v.rank = 0;
    return Input(v, role);
  };
  const int64_t count[] = {classes};
  TensorView numbers = plan.temporary(DType::kInt64, count);
  plan.then(davinci::Arange{numbers, Scalar::of_int(0), Scalar::of_int(1)});
  for (int i = place + 1; i < spread.rank; ++i) numbers = insert_dim(numbers, numbers.rank);
  const TensorView hit = plan.temporary(DType::kBool, to);
  add(plan, make_elementwise(VectorOp::kEq, {spread, numbers}, hit, Rule::kTruth));
  add(plan, make_elementwise(VectorOp::kWhere, {hit, first(on, "onValue"), first(off, "offValue")},
                             to, Rule::kSame));
  return plan;
}

Plan sort(const aclTensor* self, int64_t dim, bool descending, const aclTensor* values,
          const aclTensor* indices) {
  const TensorView in = view(self, "self"), to = view(values, "valuesOut"),
                   positions = view(indices, "indicesOut");
  expect_native(in, "self");
  expect_same_type(in, "self", to, "valuesOut");
  expect_shape(to, Shape::of(in), "valuesOut");
  expect_shape(positions, Shape::of(in), "indicesOut");
  expect_type(positions, {DType::kInt64}, "indicesOut");
  const int along = wrap_dim(dim, in.rank, "dim");
  if (in.numel() == 0) return {};
  return davinci::Sort{at_least_1d(in), at_least_1d(to), at_least_1d(positions), along, descending};
}

Plan top_k(const aclTensor* self, int64_t k, int64_t dim, bool largest, const aclTensor* values,
           const aclTensor* indices) {
  const TensorView in = at_least_1d(view(self, "self"));
  const TensorView to = at_least_1d(view(values, "valuesOut")),
                   positions = at_least_1d(view(indices, "indicesOut"));
  expect_native(in, "self");
  expect_same_type(in, "self", to, "valuesOut");
  const int along = wrap_dim(dim, in.rank, "dim");
  expect(k >= 0 && k <= in.dims[along], "k is ", k, "; self has ", in.dims[along],
         " elements along dimension ", along);
  Shape shape = Shape::of(in);
  shape.dims[along] = k;
  expect_shape(to, shape, "valuesOut");
  expect_shape(positions, shape, "indicesOut");
  expect_type(positions, {DType::kInt64}, "indicesOut");
  if (to.numel() == 0) return {};
  return davinci::TopK{in, to, positions, along, k, largest};
}

/// Elements by their position in self's row-major order.
Plan take(const aclTensor* self, const aclTensor* index, const aclTensor* out) {
  TensorView in = at_least_1d(view(self, "self"));
  const TensorView positions = view(index, "index"), to = view(out, "out");
  expect_index(positions, "index");
  expect_same_type(in, "self", to, "out");
  expect_shape(to, Shape::of(positions), "out");
  Plan plan;
  if (to.numel() == 0) return plan;
  in = flat_view(plan, in);
  plan.then(davinci::Index{in, {at_least_1d(positions)}, at_least_1d(to)});
  return plan;
}

}  // namespace

ACLNN_OP(aclnnEmbedding, (const aclTensor* weight, const aclTensor* indices, const aclTensor* out),
         (weight, indices, out)) {
  return index_select(weight, 0, indices, out);
}
ACLNN_OP(aclnnEmbeddingDenseBackward,
         (const aclTensor* grad, const aclTensor* indices, uint64_t numWeights, uint64_t paddingIdx,
          bool scaleGradByFreq, const aclTensor* out),
         (grad, indices, numWeights, paddingIdx, scaleGradByFreq, out)) {
  return embedding_backward(grad, indices, numWeights, static_cast<int64_t>(paddingIdx),
                            scaleGradByFreq, out);
}
ACLNN_OP(aclnnGather, (const aclTensor* self, int64_t dim, const aclTensor* index, aclTensor* out),
         (self, dim, index, out)) {
  return gather(self, dim, index, out);
}
ACLNN_OP(aclnnGatherV3,
         (const aclTensor* self, int64_t dim, const aclTensor* index, int64_t batchDims,
          int64_t mode, aclTensor* out),
         (self, dim, index, batchDims, mode, out)) {
  expect(batchDims == 0, "batchDims is ", batchDims, "; only 0 is supported");
  return index_select(self, dim, index, out);
}
ACLNN_OP(aclnnIndex, (const aclTensor* self, const aclTensorList* indices, aclTensor* out),
         (self, indices, out)) {
  return npu::aol::index(self, indices, out);
}
ACLNN_OP(aclnnIndexAdd,
         (const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* source,
          const aclScalar* alpha, aclTensor* out),
         (self, dim, index, source, alpha, out)) {
  return index_along(self, dim, index, source_of(source), true,
                     number_or(alpha, Scalar::of_int(1), "alpha"), out);
}
ACLNN_OP(aclnnIndexAddV2,
         (const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* source,
          const aclScalar* alpha, int64_t mode, aclTensor* out),
         (self, dim, index, source, alpha, mode, out)) {
  return index_along(self, dim, index, source_of(source), true,
                     number_or(alpha, Scalar::of_int(1), "alpha"), out);
}
ACLNN_OP(aclnnIndexCopy,
         (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclTensor* source,
          aclTensor* outRef),
         (selfRef, dim, index, source, outRef)) {
  return index_along(selfRef, dim, index, source_of(source), false, Scalar::of_int(1), outRef);
}
ACLNN_OP(aclnnInplaceIndexCopy,
         (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclTensor* source),
         (selfRef, dim, index, source)) {
  return index_along(selfRef, dim, index, source_of(source), false, Scalar::of_int(1), selfRef);
}
ACLNN_OP(aclnnIndexFill,
         (const aclTensor* self, int64_t dim, const aclTensor* index, const aclScalar* value,
          aclTensor* out),
         (self, dim, index, value, out)) {
  return index_along(self, dim, index, number(value, "value"), false, Scalar::of_int(1), out);
}
ACLNN_OP(aclnnInplaceIndexFill,
         (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclScalar* value),
         (selfRef, dim, index, value)) {
  return index_along(selfRef, dim, index, number(value, "value"), false, Scalar::of_int(1),
                     selfRef);
}
ACLNN_OP(aclnnIndexPutImpl,
         (aclTensor * selfRef, const aclTensorList* indices, const aclTensor* values,
          bool accumulate, bool unsafe),
         (selfRef, indices, values, accumulate, unsafe)) {
  return index_put(selfRef, indices, values, accumulate);
}
ACLNN_OP(aclnnIndexSelect,
         (const aclTensor* self, int64_t dim, const aclTensor* index, aclTensor* out),
         (self, dim, index, out)) {
  expect_rank(view(index, "index"), 0, 1, "index");
  return index_select(self, dim, index, out);
}
ACLNN_OP(aclnnInplaceMaskedFillScalar,
         (aclTensor * selfRef, const aclTensor* mask, const aclScalar* value),
         (selfRef, mask, value)) {
  return masked_fill(selfRef, mask, number(value, "value"));
}
ACLNN_OP(aclnnInplaceMaskedFillTensor,
         (aclTensor * selfRef, const aclTensor* mask, const aclTensor* value),
         (selfRef, mask, value)) {
  return masked_fill(selfRef, mask, Input(view(value, "value"), "value"));
}
ACLNN_OP(aclnnMaskedScale,
         (const aclTensor* self, const aclTensor* mask, float scale, aclTensor* out),
         (self, mask, scale, out)) {
  return masked_scale(self, mask, scale, out);
}
ACLNN_OP(aclnnOneHot,
         (const aclTensor* self, int numClasses, const aclTensor* onValue,
          const aclTensor* offValue, int64_t axis, aclTensor* out),
         (self, numClasses, onValue, offValue, axis, out)) {
  return one_hot(self, numClasses, onValue, offValue, axis, out);
}
ACLNN_OP(aclnnInplacePut,
         (aclTensor * selfRef, const aclTensor* index, const aclTensor* source, bool accumulate),
         (selfRef, index, source, accumulate)) {
  return put(selfRef, index, source, accumulate);
}
ACLNN_OP(aclnnScatter,
         (const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* src,
          int64_t reduce, aclTensor* out),
         (self, dim, index, src, reduce, out)) {
  return scatter(self, dim, index, source_of(src), reduce, out);
}
ACLNN_OP(aclnnInplaceScatter,
         (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclTensor* src,
          int64_t reduce),
         (selfRef, dim, index, src, reduce)) {
  return scatter(selfRef, dim, index, source_of(src), reduce, selfRef);
}
ACLNN_OP(aclnnScatterAdd,
         (const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* src,
          aclTensor* out),
         (self, dim, index, src, out)) {
  return scatter(self, dim, index, source_of(src), 1, out);
}
ACLNN_OP(aclnnScatterReduce,
         (const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* src,
          int64_t reduce, bool includeSelf, aclTensor* out),
         (self, dim, index, src, reduce, includeSelf, out)) {
  return scatter_reduce(self, dim, index, src, reduce, includeSelf, out);
}
ACLNN_OP(aclnnInplaceScatterReduce,
         (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclTensor* src,
          int64_t reduce, bool includeSelf),
         (selfRef, dim, index, src, reduce, includeSelf)) {
  return scatter_reduce(selfRef, dim, index, src, reduce, includeSelf, selfRef);
}
ACLNN_OP(aclnnScatterValue,
         (const aclTensor* self, int64_t dim, const aclTensor* index, const aclScalar* value,
          int64_t reduce, aclTensor* out),
         (self, dim, index, value, reduce, out)) {
  return scatter(self, dim, index, number(value, "value"), reduce, out);
}
ACLNN_OP(aclnnInplaceScatterValue,
         (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclScalar* value,
          int64_t reduce),
         (selfRef, dim, index, value, reduce)) {
  return scatter(selfRef, dim, index, number(value, "value"), reduce, selfRef);
}
ACLNN_OP(aclnnSort,
         (const aclTensor* self, bool stable, int64_t dim, bool descending, aclTensor* valuesOut,
          aclTensor* indicesOut),
         (self, stable, dim, descending, valuesOut, indicesOut)) {
  return sort(self, dim, descending, valuesOut, indicesOut);
}
ACLNN_OP(aclnnTake, (const aclTensor* self, const aclTensor* index, aclTensor* out),
         (self, index, out)) {
  return take(self, index, out);
}
ACLNN_OP(aclnnTopk,
         (const aclTensor* self, int64_t k, int64_t dim, bool largest, bool sorted,
          aclTensor* valuesOut, aclTensor* indicesOut),
         (self, k, dim, largest, sorted, valuesOut, indicesOut)) {
  return top_k(self, k, dim, largest, valuesOut, indicesOut);
}
ACLNN_OP(aclnnTopkV2,
         (const aclTensor* self, int64_t k, int64_t dim, bool largest, bool sorted, bool stable,
          aclTensor* valuesOut, aclTensor* indicesOut),
         (self, k, dim, largest, sorted, stable, valuesOut, indicesOut)) {
  return top_k(self, k, dim, largest, valuesOut, indicesOut);
}

}  // namespace npu::aol
