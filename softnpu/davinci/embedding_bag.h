// SPDX-License-Identifier: Apache-2.0
// Bags of embeddings, and norms of the embeddings that are used: plain values like commands.h's.
#pragma once

#include "softnpu/davinci/commands.h"

namespace npu::davinci {

enum class BagMode : uint8_t { kSum = 0, kMean = 1, kMax = 2 };  // PyTorch's numbers

/// Row b of out is the sum, mean or maximum of the weight rows that indices[offsets[b]] ..
/// indices[offsets[b + 1] - 1] name, without padding_idx; the last bag ends where the indices do,
/// or, if `ends_at_last_offset`, at the last offset. offset2bag, sizes, max_indices (of rows of
/// weight, [bags, width]) are optional and integers. checked: indices, and offsets that do not
/// ascend.
struct EmbeddingBag {
  TensorView weight, indices, offsets, sample_weights;
  TensorView out, offset2bag, sizes, max_indices;
  BagMode mode{};
  int64_t padding_idx = -1;
  bool ends_at_last_offset = false;
};
void run(const EmbeddingBag& command, Workers& workers);

/// Scales the rows of weight that indices name and whose p-norm is above the limit to it. checked.
struct EmbeddingRenorm {
  TensorView weight, indices;
  double limit = 0, p = 2;
};
void run(const EmbeddingRenorm& command, Workers& workers);

}  // namespace npu::davinci
