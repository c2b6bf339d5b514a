// SPDX-License-Identifier: Apache-2.0
// Plans of softmax and of losses.
#pragma once

#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {

using davinci::Reduction;

Reduction as_reduction(int64_t value);

Plan softmax(const aclTensor* self, int64_t dim, bool log, const aclTensor* out);
Plan softmax_backward(const aclTensor* grad_out, const aclTensor* output, int64_t dim, bool log,
                      const aclTensor* grad_input);

/// One number an element, then the reduction. `weight` (may be null) multiplies the elements.
Plan elementwise_loss(VectorOp op, std::initializer_list<Operand> operands, const aclTensor* weight,
                      int64_t reduction, const aclTensor* out, const Params& params = {});
/// The same on views, added to a plan.
void add_loss(Plan& plan, VectorOp op, std::span<const Input> inputs, const TensorView& weight,
              Reduction reduction, const TensorView& out, const Params& params = {});
/// grad * d(element) / d(self), with s0 = 1 or 1 / elements: inputs are (grad, self, target).
Plan loss_backward(VectorOp op, const aclTensor* grad_out, const aclTensor* self,
                   const aclTensor* target, const aclTensor* weight, int64_t reduction,
                   const aclTensor* grad_input, const Params& params = {});
/// 1, or 1 / elements of `self` for the mean.
double loss_norm(Reduction reduction, const TensorView& self);

struct NllArgs {
  const aclTensor* self;
  const aclTensor* target;
  const aclTensor* weight;
  int64_t reduction;
  int64_t ignore_index;
};
Plan nll_loss(const NllArgs& args, const aclTensor* out, const aclTensor* total_weight);
Plan nll_loss_backward(const aclTensor* grad_out, const NllArgs& args,
                       const aclTensor* total_weight, const aclTensor* grad_input);

}  // namespace npu::aol
