// SPDX-License-Identifier: Apache-2.0
// Drawing categories by weight: a plain value like commands.h's.
#pragma once

#include "softnpu/davinci/commands.h"

namespace npu::davinci {

/// out[r, :] = categories drawn by the weights in row r of `weights` (floating point), int64. With
/// replacement, draw i (in row-major order) uses words 2i and 2i + 1 of the Philox stream; without,
/// element i of weights uses word i: a seed gives the same draws whatever the number of threads.
/// checked: weights that are negative or not finite, and rows without a positive one.
struct Multinomial {
  TensorView weights, out;
  bool replacement = false;
  uint64_t seed = 0, offset = 0;
};
void run(const Multinomial& command, Workers& workers);

}  // namespace npu::davinci
