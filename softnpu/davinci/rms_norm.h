// SPDX-License-Identifier: Apache-2.0
// Root-mean-square norm over the last dimensions, and its gradient; float32 inside.
#pragma once

#include "softnpu/davinci/commands.h"

namespace npu::davinci {

/// out = in * rstd * weight, rstd = 1 / sqrt(mean(in^2) + epsilon) of each line.
struct RmsNorm {
  TensorView in, weight, out, rstd;
  int normalized_rank = 1;
  double epsilon = 1e-6;
};
void visit(RmsNorm& c, auto v) {
  v.read(c.in, c.weight);
  v.write(c.out, c.rstd);
}
void run(const RmsNorm& command, Workers& workers);

struct RmsNormBackward {
  TensorView grad_out, in, rstd, weight;
  TensorView grad_in, grad_weight;
  int normalized_rank = 1;
};
void visit(RmsNormBackward& c, auto v) {
  v.read(c.grad_out, c.in, c.rstd, c.weight);
  v.write(c.grad_in, c.grad_weight);
}
void run(const RmsNormBackward& command, Workers& workers);

}  // namespace npu::davinci
