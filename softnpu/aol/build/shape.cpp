// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/shape.h"

#include <algorithm>

namespace npu::aol {

Shape::Shape(std::span<const int64_t> sizes) : rank(static_cast<int>(sizes.size())) {
  expect(rank <= base::kMaxRank, "a shape of ", rank, " dimensions; at most ", base::kMaxRank,
         " are supported");
  std::copy(sizes.begin(), sizes.end(), dims.begin());
}

Shape Shape::of(const TensorView& view) {
  Shape shape;
  shape.rank = view.rank;
  shape.dims = view.dims;
  return shape;
}

int64_t Shape::numel() const {
  int64_t count = 1;
  for (const int64_t dim : span()) count *= dim;
  return count;
}

bool Shape::operator==(const Shape& other) const {
  return std::ranges::equal(span(), other.span());
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape.dims[i]);
  }
  return text + ']';
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (a.rank < b.rank) return broadcast(b, a);
  Shape result = a;
  const int skip = a.rank - b.rank;
  for (int i = 0; i < b.rank; ++i) {
    int64_t& dim = result.dims[skip + i];
    if (dim == b.dims[i] || b.dims[i] == 1) continue;
    expect(dim == 1, "shapes ", to_string(a), " and ", to_string(b),
           " do not broadcast: dimension ", skip + i, " is ", dim, " and ", b.dims[i]);
    dim = b.dims[i];
  }
  return result;
}

TensorView expand(const TensorView& view, const Shape& shape, const char* role) {
  TensorView result = view;
  const int skip = shape.rank - view.rank;
  bool fits = skip >= 0;
  for (int i = shape.rank - 1; fits && i >= 0; --i) {
    const int64_t dim = i < skip ? 1 : view.dims[i - skip];
    result.strides[i] = dim == 1 ? 0 : view.strides[i - skip];
    fits = dim == 1 || dim == shape.dims[i];
  }
  if (!fits) [[unlikely]] {
    expect(false, role, " is ", base::to_string(view), ", which does not broadcast to ",
           to_string(shape));
  }
  result.rank = static_cast<int8_t>(shape.rank);
  result.dims = shape.dims;
  return result;
}

void expect_shape(const TensorView& view, const Shape& shape, const char* role) {
  if (Shape::of(view) == shape) [[likely]] {
    return;
  }
  expect(false, role, " is ", base::to_string(view), "; its shape must be ", to_string(shape));
}

void expect_rank(const TensorView& view, int lowest, int highest, const char* role) {
  if (view.rank >= lowest && view.rank <= highest) [[likely]] {
    return;
  }
  expect(false, role, " is ", base::to_string(view), "; it must have ",
         lowest == highest ? std::to_string(lowest) : base::message(lowest, " to ", highest),
         " dimensions");
}

int wrap_dim(int64_t dim, int rank, const char* role) {
  const int64_t count = std::max(rank, 1);
  expect(dim >= -count && dim < count, role, " is ", dim, "; it must be in [", -count, ", ",
         count - 1, "]");
  return static_cast<int>(dim < 0 ? dim + count : dim);
}

uint32_t dim_mask(std::span<const int64_t> dims, int rank, const char* role) {
  if (dims.empty()) return (1u << std::max(rank, 1)) - 1;
  uint32_t mask = 0;
  for (const int64_t dim : dims) {
    const uint32_t bit = 1u << wrap_dim(dim, rank, role);
    expect((mask & bit) == 0, role, " names dimension ", dim, " twice");
    mask |= bit;
  }
  return mask;
}

TensorView insert_dim(TensorView view, int dim) {
  expect(view.rank < base::kMaxRank, "more than ", base::kMaxRank, " dimensions");
  for (int i = view.rank; i > dim; --i) {
    view.dims[i] = view.dims[i - 1];
    view.strides[i] = view.strides[i - 1];
  }
  view.dims[dim] = 1;
  view.strides[dim] = 0;
  ++view.rank;
  return view;
}

TensorView remove_dim(TensorView view, int dim) {
  for (int i = dim; i + 1 < view.rank; ++i) {
    view.dims[i] = view.dims[i + 1];
    view.strides[i] = view.strides[i + 1];
  }
  --view.rank;
  return view;
}

TensorView select(TensorView view, int dim, int64_t index) {
  view.data += index * view.strides[dim] * static_cast<int64_t>(base::size_of(view.dtype));
  return remove_dim(view, dim);
}

TensorView slice(TensorView view, int dim, int64_t start, int64_t length) {
  view.data += start * view.strides[dim] * static_cast<int64_t>(base::size_of(view.dtype));
  view.dims[dim] = length;
  return view;
}

TensorView transpose(TensorView view, int a, int b) {
  std::swap(view.dims[a], view.dims[b]);
  std::swap(view.strides[a], view.strides[b]);
  return view;
}

TensorView permute(const TensorView& view, std::span<const int> order) {
  TensorView result = view;
  for (int i = 0; i < view.rank; ++i) {
    result.dims[i] = view.dims[order[i]];
    result.strides[i] = view.strides[order[i]];
  }
  return result;
}

TensorView at_least_1d(TensorView view) { return view.rank == 0 ? insert_dim(view, 0) : view; }

bool flatten(TensorView& view, int first, int last) {
  int64_t count = 1, stride = 1;
  bool any = false;
  for (int i = last; i >= first; --i) {
    if (view.dims[i] == 1) continue;
    if (any && view.strides[i] != stride * count) return false;
    if (!any) stride = view.strides[i];
    any = true;
    count *= view.dims[i];
  }
  view.dims[first] = count;
  view.strides[first] = any ? stride : 0;
  for (int i = last; i > first; --i) view = remove_dim(view, i);
  return true;
}

TensorView contiguous_view(std::byte* data, DType dtype, const Shape& shape) {
  TensorView view;
  view.data = data;
  view.dtype = dtype;
  view.rank = static_cast<int8_t>(shape.rank);
  view.dims = shape.dims;
  int64_t stride = 1;
  for (int i = shape.rank - 1; i >= 0; --i) {
    view.strides[i] = stride;
    stride *= shape.dims[i];
  }
  return view;
}

namespace {

/// Elements fill their extent without gaps or sharing, in some order of dimensions.
bool dense(const TensorView& view) {
  const base::ByteExtent extent = base::extent_of(view);
  return extent.end - extent.begin ==
         view.numel() * static_cast<int64_t>(base::size_of(view.dtype));
}

bool same_elements(const TensorView& a, const TensorView& b) {
  if (a.data != b.data || !same_shape(a, b)) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (a.dims[i] != 1 && a.strides[i] != b.strides[i]) return false;
  }
  return base::size_of(a.dtype) == base::size_of(b.dtype);
}

}  // namespace

void expect_no_overlap(const TensorView& out, const char* out_role, const TensorView& in,
                       const char* in_role) {
  if (out.data == in.data && same_elements(out, in)) return;
  const base::ByteExtent a = base::extent_of(out), b = base::extent_of(in);
  if (a.begin == a.end || b.begin == b.end) return;
  if (out.data + a.end <= in.data + b.begin || in.data + b.end <= out.data + a.begin) return;
  // Interleaved views may share no element; finding out is as hard as in PyTorch, which also lets
  // them pass.
  expect(!dense(out) || !dense(in), out_role, " overlaps ", in_role,
         " partly; results would depend on the order of elements. Copy one of them first");
}

void expect_distinct_elements(const TensorView& out, const char* role) {
  for (int i = 0; i < out.rank; ++i) {
    if (out.dims[i] > 1 && out.strides[i] == 0) [[unlikely]] {
      expect(false, role,
             " is expanded: several of its elements share memory, so it cannot be "
             "written. Copy it first");
    }
  }
}

}  // namespace npu::aol
