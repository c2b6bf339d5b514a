// SPDX-License-Identifier: Apache-2.0
// Scaled dot product attention that keeps no matrix of scores: rows of queries are worked on in
// blocks, whose scores live in a worker's scratch, and the gradient computes them again.
#pragma once

#include "softnpu/davinci/commands.h"

namespace npu::davinci {

/// Which scores there are, and what is added to them. Views are [B, N, S, T] with strides of 0
/// where they are broadcast, or undefined.
struct AttentionScores {
  double scale = 1;
  TensorView bias;  // floating; scores are scale * q @ k + bias_scale * bias
  double bias_scale = 1;
  TensorView mask;       // bool or uint8, not 0: no score
  TensorView keep_bits;  // packed, in row-major order of [B, N, S, T]: what dropout keeps
  double keep_probability = 1;
  // Query i has scores for keys from i + diagonal - before to i + diagonal + after.
  int64_t diagonal = 0, before = kAll, after = kAll;

  static constexpr int64_t kAll = int64_t{1} << 40;
};

/// out = dropout(softmax(scores)) @ v on q [B, N, S, D], k [B, K, T, D], v [B, K, T, E], N a
/// multiple of K. A query without scores gets 0. row_max and row_sum [B, N, S, 8]: every one of the
/// 8 is written. float32 inside.
struct Attention {
  TensorView q, k, v, out;
  AttentionScores scores;
  TensorView row_max, row_sum;
};
void visit(AttentionScores& s, auto v) { v.read(s.bias, s.mask, s.keep_bits); }
void visit(Attention& c, auto v) {
  v.read(c.q, c.k, c.v);
  visit(c.scores, v);
  v.write(c.out, c.row_max, c.row_sum);
}
void run(const Attention& command, Workers& workers);

struct AttentionBackward {
  TensorView q, k, v, out, grad_out;
  AttentionScores scores;
  TensorView row_max, row_sum;
  TensorView grad_q, grad_k, grad_v;
};
void visit(AttentionBackward& c, auto v) {
  v.read(c.q, c.k, c.v, c.out, c.grad_out, c.row_max, c.row_sum);
  visit(c.scores, v);
  v.write(c.grad_q, c.grad_k, c.grad_v);
}
void run(const AttentionBackward& command, Workers& workers);

}  // namespace npu::davinci
