// SPDX-License-Identifier: Apache-2.0
// Copying, converting, joining and rearranging.
#include <vector>

#include "aclnnop/move.h"
#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {
namespace {

Plan copy(const aclTensor* self, const aclTensor* out) {
  Plan plan;
  const TensorView to = view(out, "out");
  const TensorView from = view(self, "src");
  if (to.numel() == 0)
    expand(from, Shape::of(to), "src");  // only the check
  else
    add_copy(plan, from, to, "src");
  return plan;
}

Plan cat(std::vector<TensorView> parts, int64_t dim, const TensorView& out) {
  // PyTorch's old rule: tensors of shape [0] join with anything.
  std::erase_if(parts, [](const TensorView& v) { return v.rank == 1 && v.dims[0] == 0; });
  expect_distinct_elements(out, "out");
  if (parts.empty()) {
    expect(out.numel() == 0, "tensors has no elements, but out is ", base::to_string(out));
    return {};
  }
  const int along = wrap_dim(dim, parts[0].rank, "dim");
  Shape shape = Shape::of(parts[0]);
  shape.dims[along] = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const TensorView& part = parts[i];
    expect(part.defined() && part.rank == parts[0].rank && part.rank > 0, "tensors[", i,
           "] is null or has another number of dimensions than the others");
    for (int d = 0; d < part.rank; ++d) {
      expect(d == along || part.dims[d] == shape.dims[d], "tensors[", i, "] is ",
             base::to_string(part), "; dimension ", d, " must be ", shape.dims[d]);
    }
    shape.dims[along] += part.dims[along];
    expect_storable(part.dtype, out, "out");
    expect_no_overlap(out, "out", part, "tensors");
  }
  expect_shape(out, shape, "out");
  if (out.numel() == 0) return {};
  if (base::is_complex(out.dtype)) {  // as pairs of real numbers
    for (TensorView& part : parts) {
      expect_same_type(part, "tensors", out, "out");
      part = real_view(part);
    }
    return davinci::Cat{std::move(parts), real_view(out), along};
  }
  return davinci::Cat{std::move(parts), out, along};
}

Plan stack(const aclTensorList* tensors, int64_t dim, const aclTensor* out) {
  std::vector<TensorView> parts = views(tensors, "tensors");
  expect(!parts.empty(), "tensors is empty");
  const int along = wrap_dim(dim, parts[0].rank + 1, "dim");
  for (TensorView& part : parts) {
    expect(part.defined() && same_shape(part, parts[0]), "tensors must have equal shapes; found ",
           base::to_string(part), " beside ", base::to_string(parts[0]));
  }
  for (TensorView& part : parts) part = insert_dim(part, along);
  return cat(std::move(parts), along, view(out, "out"));
}

/// Dimension `dim` as two: [outer, size / outer].
TensorView split_dim(const TensorView& view, int dim, int64_t outer) {
  TensorView result = insert_dim(view, dim);
  const int64_t inner = view.dims[dim] / outer;
  result.dims[dim] = outer;
  result.strides[dim] = view.strides[dim] * inner;
  result.dims[dim + 1] = inner;
  return result;
}

Plan channel_shuffle(const aclTensor* self, int64_t groups, const aclTensor* out) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  expect_rank(in, 3, base::kMaxRank - 1, "self");
  expect(groups > 0 && in.dims[1] % groups == 0, "groups is ", groups, "; it must divide the ",
         in.dims[1], " channels");
  expect_shape(to, Shape::of(in), "out");
  Plan plan;
  if (to.numel() != 0) {
    add_copy(plan, transpose(split_dim(in, 1, groups), 1, 2),
             split_dim(to, 1, in.dims[1] / groups));
  }
  return plan;
}

Plan flip(const aclTensor* self, std::span<const int64_t> dims, const aclTensor* out) {
  TensorView in = view(self, "self");
  const TensorView to = view(out, "out");
  expect_shape(to, Shape::of(in), "out");
  expect_no_overlap(to, "out", in, "self");
  expect(in.data != to.data || in.numel() == 0, "out is self; flipping needs another tensor");
  Plan plan;
  if (in.numel() == 0) return plan;
  const uint32_t mask = dims.empty() ? 0 : dim_mask(dims, in.rank, "dims");
  for (int i = 0; i < in.rank; ++i) {
    if ((mask >> i & 1) == 0) continue;
    in = slice(in, i, in.dims[i] - 1, in.dims[i]);
    in.strides[i] = -in.strides[i];
  }
  add_copy(plan, in, to);
  return plan;
}

Plan repeat(const aclTensor* self, std::span<const int64_t> repeats, const aclTensor* out) {
  TensorView in = view(self, "self"), to = view(out, "out");
  expect(std::ssize(repeats) >= in.rank, "repeats has ", repeats.size(), " values; self, ",
         base::to_string(in), ", has more dimensions");
  Shape shape(repeats);
  while (in.rank < shape.rank) in = insert_dim(in, 0);
  for (int i = 0; i < shape.rank; ++i) {
    expect(repeats[i] >= 0, "repeats is ", repeats[i], "; it must not be negative");
    shape.dims[i] *= in.dims[i];
  }
  expect_shape(to, shape, "out");
  Plan plan;
  if (to.numel() == 0) return plan;
  // Each repeated dimension of out as [repeats, size]; in is broadcast along the first.
  for (int i = shape.rank - 1; i >= 0; --i) {
    if (repeats[i] == 1) continue;
    to = split_dim(to, i, repeats[i]);
    in = insert_dim(in, i);
  }
  add_copy(plan, in, to);
  return plan;
}

TensorView flat_view(const aclTensor* self) {
  TensorView in = at_least_1d(view(self, "self"));
  expect(flatten(in, 0, in.rank - 1), "self is ", base::to_string(in),
         " and not contiguous; copy it first");
  return in;
}

/// Every slice along dim `repeats` times.
Plan repeat_each(const TensorView& self, int dim, int64_t repeats, const aclTensor* out) {
  const TensorView to = view(out, "out"), in = at_least_1d(self);
  expect(repeats >= 0, "repeats is ", repeats, "; it must not be negative");
  Shape shape = Shape::of(in);
  shape.dims[dim] *= repeats;
  expect_shape(to, shape, "out");
  Plan plan;
  if (to.numel() != 0) add_copy(plan, insert_dim(in, dim + 1), split_dim(to, dim, in.dims[dim]));
  return plan;
}

/// The parts that wrap around and those that do not are copied apart, dimension after dimension.
void roll_parts(Plan& plan, const TensorView& in, const TensorView& out,
                std::span<const int64_t> shifts, std::span<const int64_t> dims, size_t next) {
  if (next == dims.size()) {
    if (out.numel() != 0) add_copy(plan, in, out);
    return;
  }
  const int dim = wrap_dim(dims[next], in.rank, "dims");
  const int64_t size = in.dims[dim];
  const int64_t shift = size == 0 ? 0 : ((shifts[next] % size) + size) % size;
  roll_parts(plan, slice(in, dim, 0, size - shift), slice(out, dim, shift, size - shift), shifts,
             dims, next + 1);
  if (shift != 0) {
    roll_parts(plan, slice(in, dim, size - shift, shift), slice(out, dim, 0, shift), shifts, dims,
               next + 1);
  }
}

Plan roll(const aclTensor* self, std::span<const int64_t> shifts, std::span<const int64_t> dims,
          const aclTensor* out) {
  TensorView in = at_least_1d(view(self, "x")), to = at_least_1d(view(out, "out"));
  expect_shape(to, Shape::of(in), "out");
  expect(in.data != to.data || in.numel() == 0, "out is x; rolling needs another tensor");
  constexpr int64_t kFirst[] = {0};
  Plan plan;
  if (dims.empty()) {
    expect(shifts.size() == 1, "shifts has ", shifts.size(),
           " values; without dims it must have one");
    expect(flatten(in, 0, in.rank - 1) && flatten(to, 0, to.rank - 1),
           "x and out must be contiguous without dims");
    dims = kFirst;
  }
  expect(shifts.size() == dims.size(), "shifts has ", shifts.size(), " values and dims ",
         dims.size());
  dim_mask(dims, in.rank, "dims");
  roll_parts(plan, in, to, shifts, dims, 0);
  return plan;
}

Plan split(const aclTensor* self, std::span<const int64_t> sizes, int64_t dim,
           const std::vector<TensorView>& parts) {
  const TensorView in = view(self, "self");
  const int along = wrap_dim(dim, in.rank, "dim");
  expect(in.rank > 0 && sizes.size() == parts.size(), "splitSize has ", sizes.size(),
         " values and out ", parts.size(), " tensors");
  Plan plan;
  int64_t start = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    expect(sizes[i] >= 0 && start + sizes[i] <= in.dims[along],
           "splitSize adds up to more than self has");
    expect(parts[i].defined(), "out[", i, "] is null");
    const TensorView part = slice(in, along, start, sizes[i]);
    expect_shape(parts[i], Shape::of(part), "out");
    if (part.numel() != 0) add_copy(plan, part, parts[i]);
    start += sizes[i];
  }
  expect(start == in.dims[along], "splitSize adds up to ", start, "; self has ", in.dims[along]);
  return plan;
}

Plan triangle(const aclTensor* self, int64_t diagonal, bool upper, const aclTensor* out) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  expect_native(in, "self");
  expect_rank(in, 2, base::kMaxRank, "self");
  expect_same_type(in, "self", to, "out");
  expect_shape(to, Shape::of(in), "out");
  expect_distinct_elements(to, "out");
  expect_no_overlap(to, "out", in, "self");
  if (to.numel() == 0) return {};
  return davinci::Triangle{in, to, diagonal, upper};
}

}  // namespace

ACLNN_OP(aclnnCast, (const aclTensor* self, const aclDataType dtype, aclTensor* out),
         (self, dtype, out)) {
  const TensorView to = view(out, "out");
  expect(static_cast<DType>(dtype) == to.dtype, "dtype is ",
         base::name_of(static_cast<DType>(dtype)), " and out is ", base::name_of(to.dtype),
         "; they must be the same");
  return copy(self, out);
}
ACLNN_OP(aclnnCat, (const aclTensorList* tensors, int64_t dim, aclTensor* out),
         (tensors, dim, out)) {
  return cat(views(tensors, "tensors"), dim, view(out, "out"));
}
ACLNN_OP(aclnnChannelShuffle, (const aclTensor* self, int64_t groups, aclTensor* out),
         (self, groups, out)) {
  return channel_shuffle(self, groups, out);
}
ACLNN_OP(aclnnInplaceCopy, (aclTensor * selfRef, const aclTensor* src), (selfRef, src)) {
  return copy(src, selfRef);
}
ACLNN_OP(aclnnFlip, (const aclTensor* self, const aclIntArray* dims, aclTensor* out),
         (self, dims, out)) {
  return flip(self, ints(dims, "dims"), out);
}
ACLNN_OP(aclnnRepeat, (const aclTensor* self, const aclIntArray* repeats, aclTensor* out),
         (self, repeats, out)) {
  return repeat(self, ints(repeats, "repeats"), out);
}
ACLNN_OP(aclnnRepeatInterleaveInt,
         (const aclTensor* self, int64_t repeats, int64_t outputSize, aclTensor* out),
         (self, repeats, outputSize, out)) {
  return repeat_each(flat_view(self), 0, repeats, out);
}
ACLNN_OP(aclnnRepeatInterleaveIntWithDim,
         (const aclTensor* self, int64_t repeats, int64_t dim, int64_t outputSize, aclTensor* out),
         (self, repeats, dim, outputSize, out)) {
  const TensorView in = view(self, "self");
  return repeat_each(in, wrap_dim(dim, in.rank, "dim"), repeats, out);
}
ACLNN_OP(aclnnRoll,
         (const aclTensor* x, const aclIntArray* shifts, const aclIntArray* dims, aclTensor* out),
         (x, shifts, dims, out)) {
  return roll(x, ints(shifts, "shifts"), ints(dims, "dims"), out);
}
ACLNN_OP(aclnnSplitWithSize,
         (const aclTensor* self, const aclIntArray* splitSize, int64_t dim, aclTensorList* out),
         (self, splitSize, dim, out)) {
  return split(self, ints(splitSize, "splitSize"), dim, views(out, "out"));
}
ACLNN_OP(aclnnStack, (const aclTensorList* tensors, int64_t dim, aclTensor* out),
         (tensors, dim, out)) {
  return stack(tensors, dim, out);
}
ACLNN_OP(aclnnTril, (const aclTensor* self, int64_t diagonal, aclTensor* out),
         (self, diagonal, out)) {
  return triangle(self, diagonal, false, out);
}
ACLNN_OP(aclnnInplaceTril, (const aclTensor* selfRef, int64_t diagonal), (selfRef, diagonal)) {
  return triangle(selfRef, diagonal, false, selfRef);
}
ACLNN_OP(aclnnTriu, (const aclTensor* self, int64_t diagonal, aclTensor* out),
         (self, diagonal, out)) {
  return triangle(self, diagonal, true, out);
}
ACLNN_OP(aclnnInplaceTriu, (aclTensor * selfRef, int64_t diagonal), (selfRef, diagonal)) {
  return triangle(selfRef, diagonal, true, selfRef);
}

}  // namespace npu::aol
