// SPDX-License-Identifier: Apache-2.0
// Optimiser steps, a tile of a tensor at a time: memory decides their speed.
#include "softnpu/davinci/optimizer.h"

#include <algorithm>
#include <cmath>

#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kTaskElements = 1 << 14;

using Tile = std::array<float, kTileElements>;

/// A tensor as a row of elements in row-major order, read and written as floats by tiles.
class Elements {
 public:
  explicit Elements(const TensorView& view) : view_(view) {
    const TensorView* views[] = {&view};
    nest_ = make_nest(views, true);
    flat_ = nest_.is_flat(0);
  }

  /// The elements in place, or converted into `buffer`.
  float* load(int64_t begin, int64_t n, Tile& buffer) const {
    if (flat_ && view_.dtype == DType::kFloat) return view_.as<float>() + begin;
    alignas(64) std::array<std::byte, sizeof(Tile)> packed;
    const auto size = static_cast<int64_t>(base::size_of(view_.dtype));
    std::byte* to = packed.data();
    for_each_run(nest_, 0, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
      gather_run(to, view_.data + offset * size, stride, run, static_cast<size_t>(size));
      to += run * size;
    });
    kernels().convert_tile(DType::kFloat, view_.dtype)(buffer.data(), packed.data(), n);
    return buffer.data();
  }
  /// Writes back what load() gave; nothing to do where that was in place.
  void store(int64_t begin, int64_t n, const float* from) const {
    if (flat_ && view_.dtype == DType::kFloat) return;
    alignas(64) std::array<std::byte, sizeof(Tile)> packed;
    const auto size = static_cast<int64_t>(base::size_of(view_.dtype));
    kernels().convert_tile(view_.dtype, DType::kFloat)(packed.data(), from, n);
    const std::byte* next = packed.data();
    for_each_run(nest_, 0, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
      scatter_run(view_.data + offset * size, next, stride, run, static_cast<size_t>(size));
      next += run * size;
    });
  }

 private:
  TensorView view_;
  Nest nest_;
  bool flat_ = false;
};

/// out = op(a, b); `scalar` is s0.
void apply(VectorOp op, float* out, const float* a, const float* b, int64_t n, double scalar = 1) {
  ComputeScalar scalars[4] = {};
  scalars[0].f32 = static_cast<float>(scalar);
  kernels().vector_tile(op, DType::kFloat)(out, a, b, nullptr, scalars, n);
}

double number(const TensorView& view, double otherwise) {
  if (!view.defined()) return otherwise;
  double value = 0;
  kernels().convert_tile(DType::kDouble, view.dtype)(&value, view.data, 1);
  return value;
}

/// f(tensor, begin, n) for tiles of all tensors.
template <class F>
void for_each_tile(const std::vector<TensorView>& tensors, Workers& workers, F f) {
  std::vector<int64_t> first(tensors.size() + 1, 0);  // task numbers
  for (size_t i = 0; i < tensors.size(); ++i) {
    first[i + 1] = first[i] + (tensors[i].numel() + kTaskElements - 1) / kTaskElements;
  }
  workers.parallel_for(first.back(), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t task = begin; task < end; ++task) {
      const auto next = std::upper_bound(first.begin(), first.end(), task);
      const auto tensor = static_cast<size_t>(next - first.begin()) - 1;
      const int64_t start = (task - first[tensor]) * kTaskElements;
      const int64_t stop = std::min(tensors[tensor].numel(), start + kTaskElements);
      for (int64_t i = start; i < stop; i += kTileElements) {
        f(tensor, i, std::min<int64_t>(kTileElements, stop - i));
      }
    }
  });
}

std::vector<Elements> elements_of(const std::vector<TensorView>& tensors) {
  return {tensors.begin(), tensors.end()};
}

}  // namespace

void run(const AdamStep& command, Workers& workers) {
  if (number(command.found_inf, 0) == 1) return;
  const auto params = elements_of(command.params), grads = elements_of(command.grads);
  const auto firsts = elements_of(command.exp_avgs), seconds = elements_of(command.exp_avg_sqs);
  const auto largest = elements_of(command.max_exp_avg_sqs);
  const bool scaled = command.grad_scale.defined();
  const double scale = number(command.grad_scale, 1);
  Tile scales, zeros{}, epsilons;
  scales.fill(static_cast<float>(scale));
  epsilons.fill(static_cast<float>(command.epsilon));
  const double decay = command.lr * command.weight_decay;
  for_each_tile(command.params, workers, [&](size_t t, int64_t begin, int64_t n) {
    Tile buffers[5], grad, scratch;
    float* p = params[t].load(begin, n, buffers[0]);
    float* g = grads[t].load(begin, n, buffers[1]);
    float* m = firsts[t].load(begin, n, buffers[2]);
    float* v = seconds[t].load(begin, n, buffers[3]);
    const double steps = number(command.steps[t], 0) + 1;
    const double size = command.lr / (1 - std::pow(command.beta1, steps));
    const double root = std::sqrt(1 - std::pow(command.beta2, steps));
    if (scaled) {
      apply(VectorOp::kDiv, g, g, scales.data(), n);
      grads[t].store(begin, n, g);
    }
    float* s = scratch.data();
    apply(VectorOp::kAdd, grad.data(), zeros.data(), g, n, command.maximize ? -1 : 1);
    if (command.decoupled) {
      apply(VectorOp::kAdd, p, zeros.data(), p, n, 1 - decay);
    } else if (command.weight_decay != 0) {
      apply(VectorOp::kAdd, grad.data(), grad.data(), p, n, command.weight_decay);
    }
    // Both averages move towards the new value by 1 - beta.
    apply(VectorOp::kSub, s, grad.data(), m, n);
    apply(VectorOp::kAdd, m, m, s, n, 1 - command.beta1);
    apply(VectorOp::kMul, s, grad.data(), grad.data(), n);
    apply(VectorOp::kSub, s, s, v, n);
    apply(VectorOp::kAdd, v, v, s, n, 1 - command.beta2);
    const float* second = v;
    if (!largest.empty()) {
      float* top = largest[t].load(begin, n, buffers[4]);
      apply(VectorOp::kMaximum, top, top, v, n);
      largest[t].store(begin, n, top);
      second = top;
    }
    apply(VectorOp::kSqrt, s, second, nullptr, n);
    apply(VectorOp::kAdd, s, epsilons.data(), s, n, 1 / root);
    ComputeScalar scalars[4] = {};
    scalars[0].f32 = static_cast<float>(-size);
    kernels().vector_tile(VectorOp::kAddcdiv, DType::kFloat)(p, p, m, s, scalars, n);
    params[t].store(begin, n, p);
    firsts[t].store(begin, n, m);
    seconds[t].store(begin, n, v);
  });
}

void run(const SgdStep& command, Workers& workers) {
  const auto params = elements_of(command.params), grads = elements_of(command.grads);
  const auto buffers = elements_of(command.momentum_buffers);
  const bool scaled = command.grad_scale.defined();
  const auto scale = static_cast<float>(number(command.grad_scale, 1));
  const auto sign = command.maximize ? -1.f : 1.f;
  const auto decay = static_cast<float>(command.weight_decay);
  const auto momentum = static_cast<float>(command.momentum);
  const auto keep = static_cast<float>(1 - command.dampening);
  const auto lr = static_cast<float>(command.lr);
  for_each_tile(command.params, workers, [&](size_t t, int64_t begin, int64_t n) {
    Tile tiles[3], steps;
    float* p = params[t].load(begin, n, tiles[0]);
    float* g = grads[t].load(begin, n, tiles[1]);
    if (scaled) {
      for (int64_t i = 0; i < n; ++i) g[i] /= scale;
      grads[t].store(begin, n, g);
    }
    for (int64_t i = 0; i < n; ++i) steps[static_cast<size_t>(i)] = sign * g[i] + decay * p[i];
    float* step = steps.data();
    if (!buffers.empty()) {
      float* m = buffers[t].load(begin, n, tiles[2]);
      for (int64_t i = 0; i < n; ++i) {
        m[i] = command.first ? step[i] : momentum * m[i] + keep * step[i];
        step[i] = command.nesterov ? step[i] + momentum * m[i] : m[i];
      }
      buffers[t].store(begin, n, m);
    }
    for (int64_t i = 0; i < n; ++i) p[i] -= lr * step[i];
    params[t].store(begin, n, p);
  });
}

}  // namespace npu::davinci
