// SPDX-License-Identifier: Apache-2.0
// Attention plans: layouts, masks and sparse modes of CANN's flash attention.
#pragma once

#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {

/// What both directions are called with. `pse_type`: 0 adds pse to the scaled scores, 1 before the
/// scale.
struct AttentionArgs {
  const aclTensor *query, *key, *value;
  const aclTensor *pse, *drop_mask, *padding_mask, *atten_mask;
  const aclIntArray* prefix;
  double scale, keep_prob;
  int64_t pre_tokens, next_tokens, heads;
  const char* layout;
  int64_t sparse_mode, pse_type;
};

Plan attention(const AttentionArgs& args, const aclTensor* softmax_max,
               const aclTensor* softmax_sum, const aclTensor* out);
Plan attention_backward(const AttentionArgs& args, const aclTensor* dy,
                        const aclTensor* softmax_max, const aclTensor* softmax_sum,
                        const aclTensor* out, const aclTensor* dq, const aclTensor* dk,
                        const aclTensor* dv, const aclTensor* dpse);

}  // namespace npu::aol
