// SPDX-License-Identifier: Apache-2.0
// Shapes and views: broadcasting, dimension arguments, reshaping views without moving data, and
// what may overlap.
#pragma once

#include <span>

#include "softnpu/aol/build/args.h"

namespace npu::aol {

struct Shape {
  int rank = 0;
  std::array<int64_t, base::kMaxRank> dims{};

  Shape() = default;
  Shape(std::span<const int64_t> sizes);       // NOLINT
  Shape(std::initializer_list<int64_t> sizes)  // NOLINT
      : Shape(std::span(sizes.begin(), sizes.size())) {}
  static Shape of(const TensorView& view);

  int64_t numel() const;
  std::span<const int64_t> span() const { return {dims.data(), static_cast<size_t>(rank)}; }
  bool operator==(const Shape& other) const;
};
std::string to_string(const Shape& shape);

/// The common shape; throws when there is none.
Shape broadcast(const Shape& a, const Shape& b);
/// `view` with stride 0 where it is broadcast; throws when it does not fit.
TensorView expand(const TensorView& view, const Shape& shape, const char* role);
inline bool same_shape(const TensorView& a, const TensorView& b) {
  return a.rank == b.rank && std::equal(a.dims.begin(), a.dims.begin() + a.rank, b.dims.begin());
}
void expect_shape(const TensorView& view, const Shape& shape, const char* role);
void expect_rank(const TensorView& view, int lowest, int highest, const char* role);

/// `dim` counted from the front; 0-dimensional tensors have one dimension here, as in PyTorch.
int wrap_dim(int64_t dim, int rank, const char* role);
/// Bits of the dimensions; all of them for an empty list. Duplicates are refused.
uint32_t dim_mask(std::span<const int64_t> dims, int rank, const char* role);

// Views of the same data.
TensorView insert_dim(TensorView view, int dim);  // of size 1
TensorView remove_dim(TensorView view, int dim);
TensorView select(TensorView view, int dim, int64_t index);
TensorView slice(TensorView view, int dim, int64_t start, int64_t length);
TensorView transpose(TensorView view, int a, int b);
TensorView permute(const TensorView& view, std::span<const int> order);
/// Rank 1 for rank 0.
TensorView at_least_1d(TensorView view);
/// The view with dimensions [first, last] as one; false when its strides do not allow it.
bool flatten(TensorView& view, int first, int last);
/// A contiguous view of `dims` on the same data.
TensorView contiguous_view(std::byte* data, DType dtype, const Shape& shape);

/// Throws unless writing `out` while reading `in` is safe: apart, or the very same view.
void expect_no_overlap(const TensorView& out, const char* out_role, const TensorView& in,
                       const char* in_role);
/// Throws when two elements of `out` share memory.
void expect_distinct_elements(const TensorView& out, const char* role);

}  // namespace npu::aol
