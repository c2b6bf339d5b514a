// SPDX-License-Identifier: Apache-2.0
// Nest: one loop nest over several views of the same shape, collapsed as far as their strides
// allow. Dimension 0 is the innermost; the order follows the first view's memory, so that it is
// written front to back. A flat index counts through the nest in that order.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "softnpu/base/tensor.h"

namespace npu::davinci {

constexpr int kMaxOperands = 4;

struct Nest {
  int operands = 0;
  int rank = 1;
  int64_t count = 1;
  std::array<int64_t, base::kMaxRank> dims{1};
  // strides[operand][dim], in elements
  std::array<std::array<int64_t, base::kMaxRank>, kMaxOperands> strides{};

  /// The operand's elements lie without gaps in flat order.
  bool is_flat(int operand) const;
  /// The operand is one element, broadcast.
  bool is_constant(int operand) const;
  /// Element offset of the operand at a flat index.
  int64_t offset(int operand, int64_t flat) const;
};

/// Views must share their dims. keep_order leaves the dimensions in row-major order.
Nest make_nest(std::span<const base::TensorView* const> views, bool keep_order = false);

/// Calls f(element offset, inner stride, run length) for the runs of one operand that make up flat
/// indices [begin, begin + n).
template <class F>
void for_each_run(const Nest& nest, int operand, int64_t begin, int64_t n, F f) {
  const auto& strides = nest.strides[operand];
  std::array<int64_t, base::kMaxRank> index{};
  int64_t rest = begin, offset = 0;
  for (int d = 0; d < nest.rank; ++d) {
    index[d] = rest % nest.dims[d];
    rest /= nest.dims[d];
    offset += index[d] * strides[d];
  }
  while (n > 0) {
    const int64_t room = nest.dims[0] - index[0];
    const int64_t run = room < n ? room : n;
    f(offset, strides[0], run);
    n -= run;
    offset -= index[0] * strides[0];
    index[0] = 0;
    for (int d = 1; d < nest.rank; ++d) {
      offset += strides[d];
      if (++index[d] < nest.dims[d]) break;
      offset -= index[d] * strides[d];
      index[d] = 0;
    }
  }
}

/// Copies n elements of `size` bytes from a strided run to contiguous memory, and back.
void gather_run(std::byte* dst, const std::byte* src, int64_t stride, int64_t n, size_t size);
void scatter_run(std::byte* dst, const std::byte* src, int64_t stride, int64_t n, size_t size);

}  // namespace npu::davinci
