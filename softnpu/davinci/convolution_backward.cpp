// SPDX-License-Identifier: Apache-2.0
// The gradients of a convolution. A transposed convolution is the data gradient of a plain one with
// input and output exchanged, so its own data gradient is that plain convolution.
#include <algorithm>

#include "softnpu/davinci/convolution_plan.h"

namespace npu::davinci {
namespace {

/// Calls f for each forward problem of the data gradient.
template <class F>
void for_each_data_problem(const ConvolutionBackward& command, F&& f) {
  if (!command.grad_in.defined()) return;
  if (command.shape.transposed) {
    return f(conv::problem_of(command.grad_out, command.weight, command.grad_in, command.shape));
  }
  conv::for_each_phase(
      conv::problem_of(command.grad_in, command.weight, command.grad_out, command.shape), f);
}

ConvProblem weight_problem(const ConvolutionBackward& command) {
  const bool transposed = command.shape.transposed;
  return conv::problem_of(transposed ? command.grad_out : command.in, command.grad_weight,
                          transposed ? command.in : command.grad_out, command.shape);
}

}  // namespace

size_t workspace_bytes(const ConvolutionBackward& command) {
  size_t bytes = 0;
  for_each_data_problem(
      command, [&](const ConvProblem& p) { bytes = std::max(bytes, conv::forward_bytes(p)); });
  if (command.grad_weight.defined()) {
    bytes = std::max(bytes, conv::weight_gradient_bytes(weight_problem(command)));
  }
  return bytes;
}

void run(const ConvolutionBackward& command, Workers& workers, std::byte* workspace) {
  for_each_data_problem(command,
                        [&](const ConvProblem& p) { conv::forward(p, workers, workspace); });
  // The weight gradient sums its output side on the way: for a transposed one that is the input.
  const bool together = command.grad_weight.defined() && !command.shape.transposed;
  if (command.grad_weight.defined()) {
    conv::weight_gradient(weight_problem(command), together ? command.grad_bias : TensorView{},
                          workers, workspace);
  }
  if (command.grad_bias.defined() && !together) {
    conv::bias_gradient(command.grad_out, command.grad_bias, workers);
  }
}

}  // namespace npu::davinci
