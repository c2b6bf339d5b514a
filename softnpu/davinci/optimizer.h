// SPDX-License-Identifier: Apache-2.0
// Whole optimiser steps over lists of tensors: one pass over the memory of each. Lists of one
// command have the same length, their tensors at one place the same shape and any strides; float32,
// and half types with float32 inside.
#pragma once

#include <vector>

#include "softnpu/davinci/commands.h"

namespace npu::davinci {

/// Adam and AdamW as PyTorch's fused forms compute them. `steps` holds the number of steps before
/// this one; where found_inf is 1, nothing happens; gradients are divided by grad_scale in place.
struct AdamStep {
  std::vector<TensorView> params, grads, exp_avgs, exp_avg_sqs;
  std::vector<TensorView> max_exp_avg_sqs;  // of amsgrad, else empty
  std::vector<TensorView> steps;            // one element each
  TensorView grad_scale, found_inf;         // one float32, or undefined
  double lr = 0, beta1 = 0, beta2 = 0, weight_decay = 0, epsilon = 0;
  bool decoupled = false;  // AdamW: the decay is of the parameters, not in the gradients
  bool maximize = false;
};
void visit(AdamStep& c, auto v) {
  v.update(c.params, c.exp_avgs, c.exp_avg_sqs, c.max_exp_avg_sqs);
  c.grad_scale.defined() ? v.update(c.grads) : v.read(c.grads);
  v.read(c.steps, c.grad_scale, c.found_inf);
}
void run(const AdamStep& command, Workers& workers);

struct SgdStep {
  std::vector<TensorView> params, grads;
  std::vector<TensorView> momentum_buffers;  // empty without momentum
  TensorView grad_scale;
  double lr = 0, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
  bool first = false;  // buffers begin as the gradients
};
void visit(SgdStep& c, auto v) {
  v.update(c.params, c.momentum_buffers);
  c.grad_scale.defined() ? v.update(c.grads) : v.read(c.grads);
  v.read(c.grad_scale);
}
void run(const SgdStep& command, Workers& workers);

}  // namespace npu::davinci
