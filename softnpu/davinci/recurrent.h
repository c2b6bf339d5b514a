// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent layer after its matrix products, and its gradient: rows are sequences.
// Gates lie side by side in PyTorch's order, [B, 4H] as i, f, g, o and [B, 3H] as r, z, n. Any
// strides; float32, and half types with float32 inside. Undefined views: not there, not wanted.
#pragma once

#include <array>

#include "softnpu/davinci/commands.h"

namespace npu::davinci {

/// c' = f c + i g, h' = o tanh(c') of gates = activation(gates + more_gates + biases).
struct LstmCell {
  TensorView gates, more_gates;  // [B, 4H]
  TensorView bias, more_bias;    // [4H]
  TensorView cx, hy, cy;
  std::array<TensorView, 4> activated;
  TensorView tanh_cy;
};
void visit(LstmCell& c, auto v) {
  v.read(c.gates, c.more_gates, c.bias, c.more_bias, c.cx);
  v.write(c.hy, c.cy, c.activated, c.tanh_cy);
}
void run(const LstmCell& command, Workers& workers);

/// grad_gates are the gradients of the sums before activation.
struct LstmCellBackward {
  TensorView grad_hy, more_grad_hy, grad_cy;
  std::array<TensorView, 4> activated;
  TensorView cx, cy;
  TensorView grad_gates, grad_cx;
};
void visit(LstmCellBackward& c, auto v) {
  v.read(c.grad_hy, c.more_grad_hy, c.grad_cy, c.activated, c.cx, c.cy);
  v.write(c.grad_gates, c.grad_cx);
}
void run(const LstmCellBackward& command, Workers& workers);

/// n = tanh(gates_n + r hidden_n), h' = n + z (h - n); hidden_n is that part of hidden_gates with
/// its bias.
struct GruCell {
  TensorView gates, hidden_gates;  // [B, 3H]
  TensorView bias, hidden_bias;    // [3H]
  TensorView hx, hy;
  std::array<TensorView, 3> activated;  // r, z, n
  TensorView hidden_n;
};
void visit(GruCell& c, auto v) {
  v.read(c.gates, c.hidden_gates, c.bias, c.hidden_bias, c.hx);
  v.write(c.hy, c.activated, c.hidden_n);
}
void run(const GruCell& command, Workers& workers);

struct GruCellBackward {
  TensorView grad_hy, more_grad_hy;
  std::array<TensorView, 3> activated;
  TensorView hidden_n, hx;
  TensorView grad_gates, grad_hidden_gates, grad_hx;
};
void visit(GruCellBackward& c, auto v) {
  v.read(c.grad_hy, c.more_grad_hy, c.activated, c.hidden_n, c.hx);
  v.write(c.grad_gates, c.grad_hidden_gates, c.grad_hx);
}
void run(const GruCellBackward& command, Workers& workers);

}  // namespace npu::davinci
