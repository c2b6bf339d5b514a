// SPDX-License-Identifier: Apache-2.0
// Batch and layer norm plans.
#pragma once

#include "softnpu/aol/build/shape.h"
#include "softnpu/aol/build/types.h"

namespace npu::aol {

struct BatchNormArgs {
  const aclTensor* input;
  const aclTensor* weight;
  const aclTensor* bias;
  const aclTensor* running_mean;
  const aclTensor* running_var;
  bool training;
  double eps;
};
Plan batch_norm(const BatchNormArgs& args, double momentum, const aclTensor* out,
                const aclTensor* save_mean, const aclTensor* save_invstd);
Plan batch_norm_backward(const aclTensor* grad_out, const BatchNormArgs& args,
                         const aclTensor* save_mean, const aclTensor* save_invstd,
                         const aclBoolArray* mask, const aclTensor* grad_input,
                         const aclTensor* grad_weight, const aclTensor* grad_bias);

Plan layer_norm(const aclTensor* input, const aclIntArray* normalized, const aclTensor* weight,
                const aclTensor* bias, double eps, const aclTensor* out, const aclTensor* mean,
                const aclTensor* rstd);
Plan layer_norm_backward(const aclTensor* grad_out, const aclTensor* input,
                         const aclIntArray* normalized, const aclTensor* mean,
                         const aclTensor* rstd, const aclTensor* weight, const aclTensor* bias,
                         const aclBoolArray* mask, const aclTensor* grad_input,
                         const aclTensor* grad_weight, const aclTensor* grad_bias);

Plan rms_norm(const aclTensor* x, const aclTensor* gamma, double eps, const aclTensor* out,
              const aclTensor* rstd);
/// x = x1 + x2, out = rms_norm(x).
Plan add_rms_norm(const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma, double eps,
                  const aclTensor* out, const aclTensor* rstd, const aclTensor* x);
Plan rms_norm_backward(const aclTensor* dy, const aclTensor* x, const aclTensor* rstd,
                       const aclTensor* gamma, const aclTensor* dx, const aclTensor* dgamma);

/// What group norm is told beside the tensors: channels in `groups`, `positions` of each.
struct GroupSizes {
  int64_t batch, channels, positions, groups;
};
Plan group_norm(const aclTensor* self, const aclTensor* gamma, const aclTensor* beta,
                const GroupSizes& sizes, double eps, const aclTensor* out, const aclTensor* mean,
                const aclTensor* rstd);
Plan group_norm_backward(const aclTensor* grad_out, const aclTensor* input, const aclTensor* mean,
                         const aclTensor* rstd, const aclTensor* gamma, const GroupSizes& sizes,
                         const aclBoolArray* mask, const aclTensor* grad_input,
                         const aclTensor* grad_gamma, const aclTensor* grad_beta);

}  // namespace npu::aol
