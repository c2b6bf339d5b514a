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
  const auto scale = static_cast<float>(number(command.grad_scale, 1));
  const auto sign = command.maximize ? -1.f : 1.f;
  const auto decay = static_cast<float>(command.decoupled ? 0 : command.weight_decay);
  const auto shrink =
      static_cast<float>(command.decoupled ? 1 - command.lr * command.weight_decay : 1);
  const auto keep1 = static_cast<float>(1 - command.beta1);
  const auto beta2 = static_cast<float>(command.beta2);
  const auto keep2 = static_cast<float>(1 - command.beta2);
  const auto epsilon = static_cast<float>(command.epsilon);
  for_each_tile(command.params, workers, [&](size_t t, int64_t begin, int64_t n) {
    Tile buffers[5];
    float* p = params[t].load(begin, n, buffers[0]);
    float* g = grads[t].load(begin, n, buffers[1]);
    float* m = firsts[t].load(begin, n, buffers[2]);
    float* v = seconds[t].load(begin, n, buffers[3]);
    const double steps = number(command.steps[t], 0) + 1;
    const auto size = static_cast<float>(command.lr / (1 - std::pow(command.beta1, steps)));
    const auto root = static_cast<float>(std::sqrt(1 - std::pow(command.beta2, steps)));
    if (scaled) {
      for (int64_t i = 0; i < n; ++i) g[i] /= scale;
      grads[t].store(begin, n, g);
    }
    for (int64_t i = 0; i < n; ++i) {
      const float grad = sign * g[i] + decay * p[i];
      m[i] += keep1 * (grad - m[i]);
      v[i] = beta2 * v[i] + keep2 * grad * grad;
    }
    const float* second = v;
    if (!largest.empty()) {
      float* top = largest[t].load(begin, n, buffers[4]);
      for (int64_t i = 0; i < n; ++i) top[i] = top[i] > v[i] ? top[i] : v[i];
      largest[t].store(begin, n, top);
      second = top;
    }
    for (int64_t i = 0; i < n; ++i) {
      p[i] = p[i] * shrink - size * m[i] / (std::sqrt(second[i]) / root + epsilon);
    }
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
