// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "softnpu/davinci/convolution_plan.h"

namespace npu::davinci {
namespace {

/// Calls f for each forward problem that the command consists of.
template <class F>
void for_each_problem(const Convolution& command, F&& f) {
  if (!command.shape.transposed) {
    ConvProblem p = conv::problem_of(command.in, command.weight, command.out, command.shape);
    conv::set_bias(p, command.bias);
    return f(p);
  }
  ConvProblem p = conv::problem_of(command.out, command.weight, command.in, command.shape);
  conv::set_bias(p, command.bias);
  conv::for_each_phase(p, f);
}

}  // namespace

size_t workspace_bytes(const Convolution& command) {
  size_t bytes = 0;
  for_each_problem(command,
                   [&](const ConvProblem& p) { bytes = std::max(bytes, conv::forward_bytes(p)); });
  return bytes;
}

void run(const Convolution& command, Workers& workers, std::byte* workspace) {
  for_each_problem(command, [&](const ConvProblem& p) { conv::forward(p, workers, workspace); });
}

}  // namespace npu::davinci
