// SPDX-License-Identifier: Apache-2.0
// Commands that select by a mask or by counts. Where the result has a size that only the data tells
// they pack what they select into the front of `out` and report how much that was.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "softnpu/base/tensor.h"
#include "softnpu/base/workers.h"

namespace npu::davinci {

/// How many elements were selected; negative until the command ran.
using Selected = std::shared_ptr<std::atomic<int64_t>>;

/// The elements of `in` where `mask` is not zero, in row-major order. `in` and `mask` have one
/// shape (broadcast by stride 0), `out` is 1-dimensional and holds as many.
struct MaskedSelect {
  base::TensorView in, mask, out;
  Selected selected;
};
void run(const MaskedSelect& command, base::Workers& workers);

/// Positions of the elements that are not zero, in row-major order: one column a dimension if
/// `by_column` (out is [count, rank]), else one row a dimension ([rank, count]); int64, contiguous.
struct Nonzero {
  base::TensorView in, out;
  bool by_column = true;
  Selected selected;
};
void run(const Nonzero& command, base::Workers& workers);

/// The elements of `self` where `mask` is not zero become the first elements of `source`, in
/// row-major order. `source` is 1-dimensional and apart from self. checked: too few elements.
struct MaskedScatter {
  base::TensorView self, mask, source;
};
void run(const MaskedScatter& command, base::Workers& workers);

/// repeats[0] times 0, repeats[1] times 1, and so on; both 1-dimensional, int64 or int32. checked:
/// a negative number, and a sum that is not out's size.
struct RepeatIndices {
  base::TensorView repeats, out;
};
void run(const RepeatIndices& command, base::Workers& workers);

}  // namespace npu::davinci
