// SPDX-License-Identifier: Apache-2.0
// The different elements, or slices, of a tensor. How many there are only the data tells: results
// are packed into the front of their memory (see select.h).
#pragma once

#include "softnpu/davinci/select.h"

namespace npu::davinci {

/// Which group each element (in row-major order; dim < 0) or slice along dim is in, and one of each
/// group: groups in ascending order, or, if `consecutive`, as runs of equal neighbours. Every NaN
/// is a group of its own. values has in's shape with the number of groups along dim; inverse (one
/// for each element or slice) and counts are int64. Outputs are contiguous; inverse and counts
/// optional.
struct Unique {
  base::TensorView in, values, inverse, counts;
  int dim = -1;
  bool consecutive = false;
  Selected selected;
};
size_t workspace_bytes(const Unique& command);
void run(const Unique& command, base::Workers& workers, std::byte* workspace);

}  // namespace npu::davinci
