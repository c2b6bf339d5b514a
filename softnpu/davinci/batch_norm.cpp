// SPDX-License-Identifier: Apache-2.0
// Batch norm: one task a channel, which stays in the cache between the passes over it. Statistics
// merge tile by tile (Chan's form of Welford's method), so a large mean costs no accuracy, and the
// order is that of the channel's elements, whatever the number of workers.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "softnpu/davinci/lines.h"

namespace npu::davinci {
namespace {

// Several tensors [N, C, spatial...] of one shape, cut into channels and those into lines.
class Channels {
 public:
  Channels(std::span<const TensorView* const> views, DType compute)
      : count_(views[0]->dims[1]), compute_(compute) {
    std::array<TensorView, kMaxOperands> channel;
    std::array<const TensorView*, kMaxOperands> pointers{};
    for (size_t i = 0; i < views.size(); ++i) {
      channel[i] = *views[i];
      channel[i].dims[1] = 1;
      pointers[i] = &channel[i];
      stride_[i] = views[i]->strides[1];
    }
    nest_ = make_nest({pointers.data(), views.size()});
    length_ = nest_.dims[0];
    lines_.reserve(views.size());
    for (size_t i = 0; i < views.size(); ++i) {
      lines_.emplace_back(*views[i], length_, nest_.strides[i][0], compute);
    }
  }

  int64_t count() const { return count_; }
  int64_t elements() const { return nest_.count; }  // of one channel
  int64_t length() const { return length_; }        // of one line
  size_t buffer_bytes() const { return lines_[0].buffer_bytes(); }

  const std::byte* load(int operand, int64_t channel, int64_t first, std::byte* buffer) const {
    return lines_[operand].load(offset(operand, channel, first), buffer);
  }
  std::byte* target(int operand, int64_t channel, int64_t first, std::byte* buffer) const {
    return lines_[operand].target(offset(operand, channel, first), buffer);
  }
  void store(int operand, int64_t channel, int64_t first, const std::byte* line) const {
    lines_[operand].store(offset(operand, channel, first), line);
  }
  /// f(index of the line's first element) for each line of a channel.
  template <class F>
  void for_each_line(F f) const {
    for (int64_t first = 0; first < nest_.count; first += length_) f(first);
  }

  /// Mean and summed squared distances of a channel.
  ReduceState statistics(int operand, int64_t channel, std::byte* buffer) const {
    const ReduceTile tile = kernels().reduce_tile(ReduceOp::kVar, compute_);
    const auto size = static_cast<int64_t>(base::size_of(compute_));
    ReduceState state;
    for_each_line([&](int64_t first) {
      const std::byte* line = load(operand, channel, first, buffer);
      for (int64_t i = 0; i < length_; i += kTileElements) {
        tile(&state, line + i * size, std::min<int64_t>(kTileElements, length_ - i), i, 0);
      }
    });
    return state;
  }

 private:
  int64_t offset(int operand, int64_t channel, int64_t first) const {
    return channel * stride_[operand] + nest_.offset(operand, first);
  }

  Nest nest_;
  int64_t count_, length_ = 0;
  DType compute_;
  std::array<int64_t, kMaxOperands> stride_{};
  std::vector<LineView> lines_;
};

// One number a channel: weights, statistics. Undefined reads as `otherwise`, and is not written.
double get(const TensorView& view, int64_t channel, double otherwise) {
  return view.defined() ? load_number(view, channel * view.strides[0]) : otherwise;
}
void put(const TensorView& view, int64_t channel, double value) {
  if (view.defined()) store_number(view, channel * view.strides[0], value);
}

struct Normalisation {
  double mean = 0, inverse_deviation = 1;
};

Normalisation normalisation_of(const BatchNorm& command, const Channels& channels, int64_t channel,
                               std::byte* buffer) {
  if (!command.training) {
    return {get(command.running_mean, channel, 0),
            1 / std::sqrt(get(command.running_var, channel, 1) + command.epsilon)};
  }
  const ReduceState s = channels.statistics(1, channel, buffer);
  const auto n = static_cast<double>(s.count);
  const double keep = 1 - command.momentum;
  put(command.running_mean, channel,
      keep * get(command.running_mean, channel, 0) + command.momentum * s.mean);
  put(command.running_var, channel,
      keep * get(command.running_var, channel, 1) + command.momentum * (s.distances / (n - 1)));
  return {s.mean, 1 / std::sqrt(s.distances / n + command.epsilon)};
}

Normalisation normalisation_of(const BatchNormBackward& command, int64_t channel) {
  if (command.training) {
    return {get(command.save_mean, channel, 0), get(command.save_invstd, channel, 1)};
  }
  return {get(command.running_mean, channel, 0),
          1 / std::sqrt(get(command.running_var, channel, 1) + command.epsilon)};
}

}  // namespace

void run(const BatchNorm& command, Workers& workers) {
  const DType compute = compute_type(command.in.dtype);
  const TensorView* views[] = {&command.out, &command.in};
  const Channels channels(views, compute);
  if (channels.elements() == 0) return;
  Scratch scratch(workers, channels.buffer_bytes());
  workers.parallel_for(channels.count(), 1, [&](int64_t begin, int64_t end, int worker) {
    std::byte* buffer = scratch.of(worker);
    for (int64_t channel = begin; channel < end; ++channel) {
      const auto [mean, inverse_deviation] = normalisation_of(command, channels, channel, buffer);
      put(command.save_mean, channel, mean);
      put(command.save_invstd, channel, inverse_deviation);
      const double scale = get(command.weight, channel, 1) * inverse_deviation;
      const double shift = get(command.bias, channel, 0);
      channels.for_each_line([&](int64_t first) {
        const std::byte* in = channels.load(1, channel, first, buffer);
        std::byte* out = channels.target(0, channel, first, buffer);
        kernels().batch_norm_line(compute, out, in, channels.length(), mean, scale, shift);
        channels.store(0, channel, first, out);
      });
    }
  });
}

// With g = grad_out, d = in - mean, r = 1 / deviation and sums over the channel's n elements:
//   grad_bias = sum g,  grad_weight = r * sum g d,
//   grad_in = weight * r * (g - (sum g) / n - d * r^2 * (sum g d) / n),
// without the two means where the statistics were not the batch's own.
void run(const BatchNormBackward& command, Workers& workers) {
  const DType compute = compute_type(command.in.dtype);
  const bool wants_input = command.grad_in.defined();
  const TensorView* views[] = {wants_input ? &command.grad_in : &command.grad_out,
                               &command.grad_out, &command.in};
  const Channels channels(views, compute);
  Scratch scratch(workers, 2 * (channels.buffer_bytes() + 64));
  workers.parallel_for(channels.count(), 1, [&](int64_t begin, int64_t end, int worker) {
    std::byte* first_buffer = scratch.of(worker);
    std::byte* second_buffer = first_buffer + (channels.buffer_bytes() + 63) / 64 * 64;
    for (int64_t channel = begin; channel < end; ++channel) {
      const auto [mean, inverse_deviation] = normalisation_of(command, channel);
      double sum = 0, dot = 0;
      channels.for_each_line([&](int64_t first) {
        const std::byte* gradient = channels.load(1, channel, first, first_buffer);
        const std::byte* in = channels.load(2, channel, first, second_buffer);
        kernels().batch_norm_sums_line(compute, gradient, in, channels.length(), mean, &sum, &dot);
      });
      put(command.grad_bias, channel, sum);
      put(command.grad_weight, channel, dot * inverse_deviation);
      if (!wants_input) continue;
      const auto n = static_cast<double>(channels.elements());
      const double a = get(command.weight, channel, 1) * inverse_deviation;
      const double b = command.training ? -a * inverse_deviation * inverse_deviation * dot / n : 0;
      const double c = command.training ? -a * sum / n : 0;
      channels.for_each_line([&](int64_t first) {
        const std::byte* gradient = channels.load(1, channel, first, first_buffer);
        const std::byte* in = channels.load(2, channel, first, second_buffer);
        std::byte* out = channels.target(0, channel, first, first_buffer);
        kernels().batch_norm_backward_line(compute, out, gradient, in, channels.length(), mean, a,
                                           b, c);
        channels.store(0, channel, first, out);
      });
    }
  });
}

}  // namespace npu::davinci
