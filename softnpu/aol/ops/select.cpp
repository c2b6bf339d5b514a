// SPDX-License-Identifier: Apache-2.0
// Operators that select by a mask or by counts. Where the result has a size that only the data
// tells `out` is described with the most that can come; once the stream is synchronised,
// aclGetViewShape(out) gives the size that came.
#include "softnpu/davinci/select.h"

#include "aclnnop/index.h"
#include "softnpu/aol/build/elementwise.h"
#include "softnpu/aol/build/selected.h"

namespace npu::ge {

// clang-format off
void visit(davinci::MaskedSelect& c, auto v) { v.read(c.in, c.mask); v.write(c.out); }
void visit(davinci::Nonzero& c, auto v) { v.read(c.in); v.write(c.out); }
void visit(davinci::MaskedScatter& c, auto v) { v.read(c.mask, c.source); v.update(c.self); }
void visit(davinci::RepeatIndices& c, auto v) { v.read(c.repeats); v.write(c.out); }
// clang-format on

}  // namespace npu::ge

namespace npu::aol {
namespace {

/// Ties dimension `dim` of `out` to a count that a command will report.
davinci::Selected counted_by(const aclTensor* out, int dim, int64_t count) {
  davinci::Selected selected = make_selected(count);
  tie_size(out, dim, selected);
  return selected;
}

constexpr int64_t kUnknown = -1;

Plan masked_select(const aclTensor* self, const aclTensor* mask, const aclTensor* out) {
  const TensorView in = view(self, "self"), chosen = view(mask, "mask"), to = view(out, "out");
  expect_type(chosen, {DType::kBool, DType::kUInt8}, "mask");
  expect_same_type(in, "self", to, "out");
  const Shape shape = broadcast(Shape::of(in), Shape::of(chosen));
  expect_shape(to, {shape.numel()}, "out");
  expect_distinct_elements(to, "out");
  expect_no_overlap(to, "out", in, "self");
  Plan plan;
  if (shape.numel() == 0) {
    counted_by(out, 0, 0);
    return plan;
  }
  plan.then(davinci::MaskedSelect{expand(in, shape, "self"), expand(chosen, shape, "mask"), to,
                                  counted_by(out, 0, kUnknown)});
  return plan;
}

Plan nonzero(const aclTensor* self, const aclTensor* out, bool by_column) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  expect_type(to, {DType::kInt64}, "out");
  expect(!base::is_complex(in.dtype), "self is ", base::to_string(in),
         "; complex tensors are not supported");
  const int64_t most = in.numel();
  expect_shape(to, by_column ? Shape{most, in.rank} : Shape{in.rank, most}, "out");
  expect(to.is_contiguous(), "out is ", base::to_string(to), "; it must be contiguous");
  const int counted = by_column ? 0 : 1;
  Plan plan;
  if (most == 0) {
    counted_by(out, counted, 0);
    return plan;
  }
  plan.then(davinci::Nonzero{in, to, by_column, counted_by(out, counted, kUnknown)});
  return plan;
}

Plan masked_scatter(const aclTensor* self, const aclTensor* mask, const aclTensor* source) {
  const TensorView to = view(self, "selfRef"), chosen = view(mask, "mask");
  const TensorView from = view(source, "source");
  expect_type(chosen, {DType::kBool, DType::kUInt8}, "mask");
  expect_same_type(to, "selfRef", from, "source");
  expect_distinct_elements(to, "selfRef");
  expect_no_overlap(to, "selfRef", from, "source");
  const TensorView mask_view = expand(chosen, Shape::of(to), "mask");
  Plan plan;
  if (to.numel() == 0) return plan;
  TensorView flat = flat_view(plan, from, from.data == to.data);
  plan.then(davinci::MaskedScatter{to, mask_view, flat});
  return plan;
}

/// Positions along a dimension of `size`, each as often as `repeats` says: `total` int64 numbers.
TensorView repeated_positions(Plan& plan, const aclTensor* repeats, int64_t size, int64_t total) {
  TensorView times = at_least_1d(view(repeats, "repeats"));
  expect_index(times, "repeats");
  expect_rank(times, 1, 1, "repeats");
  expect(times.dims[0] == size || times.dims[0] == 1, "repeats has ", times.dims[0],
         " elements; it must have 1 or ", size);
  times = expand(times, {size}, "repeats");
  const TensorView positions = plan.temporary(DType::kInt64, Shape{total}.span());
  plan.then(davinci::RepeatIndices{times, positions});
  return positions;
}

/// `in` with each slice along dim repeated.
Plan repeat_interleave(Plan plan, const TensorView& in, const aclTensor* repeats, int dim,
                       int64_t output_size, const aclTensor* out) {
  const TensorView to = view(out, "out");
  expect_same_type(in, "self", to, "out");
  Shape shape = Shape::of(in);
  shape.dims[dim] = to.rank == in.rank ? to.dims[dim] : output_size;
  expect(output_size == shape.dims[dim], "outputSize is ", output_size, "; out, ",
         base::to_string(to), ", has another size in dimension ", dim);
  expect_shape(to, shape, "out");
  expect_distinct_elements(to, "out");
  expect_no_overlap(to, "out", in, "self");
  const TensorView positions = repeated_positions(plan, repeats, in.dims[dim], output_size);
  if (to.numel() != 0) plan.then(davinci::IndexSelect{in, positions, to, dim});
  return plan;
}

}  // namespace

ACLNN_OP(aclnnMaskedSelect, (const aclTensor* self, const aclTensor* mask, aclTensor* out),
         (self, mask, out)) {
  return masked_select(self, mask, out);
}
ACLNN_OP(aclnnNonzero, (const aclTensor* self, aclTensor* out), (self, out)) {
  return nonzero(self, out, true);
}
ACLNN_OP(aclnnNonzeroV2, (const aclTensor* self, aclTensor* out), (self, out)) {
  return nonzero(self, out, false);
}

ACLNN_OP(aclnnInplaceMaskedScatter,
         (aclTensor * selfRef, const aclTensor* mask, const aclTensor* source),
         (selfRef, mask, source)) {
  return masked_scatter(selfRef, mask, source);
}
ACLNN_OP(aclnnRepeatInterleave,
         (const aclTensor* self, const aclTensor* repeats, int64_t outputSize, aclTensor* out),
         (self, repeats, outputSize, out)) {
  Plan plan;
  const TensorView flat = flat_view(plan, view(self, "self"));
  return repeat_interleave(std::move(plan), flat, repeats, 0, outputSize, out);
}
ACLNN_OP(aclnnRepeatInterleaveTensor,
         (const aclTensor* repeats, int64_t outputSize, aclTensor* out),
         (repeats, outputSize, out)) {
  const TensorView times = view(repeats, "repeats"), to = view(out, "out");
  expect_index(times, "repeats");
  expect_rank(times, 1, 1, "repeats");
  expect_index(to, "out");
  expect_shape(to, {outputSize}, "out");
  expect_distinct_elements(to, "out");
  expect_no_overlap(to, "out", times, "repeats");
  return davinci::RepeatIndices{times, to};
}
ACLNN_OP(aclnnRepeatInterleaveWithDim,
         (const aclTensor* self, const aclTensor* repeats, int64_t dim, int64_t outputSize,
          aclTensor* out),
         (self, repeats, dim, outputSize, out)) {
  const TensorView in = view(self, "self");
  const int along = wrap_dim(dim, in.rank, "dim");
  return repeat_interleave({}, at_least_1d(in), repeats, along, outputSize, out);
}

}  // namespace npu::aol
