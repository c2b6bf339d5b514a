// SPDX-License-Identifier: Apache-2.0
// Batch norm of a range of channels. A channel is small enough for its second pass to find it in
// the caches. Channels-last maps are read kPanel channels at a time.
#include <math.h>

#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/lane_sums.h"
#include "softnpu/davinci/kernels/micro_kernel.h"
#include "softnpu/davinci/kernels/norm_blocks.h"

namespace npu::davinci::NPU_ISA {
namespace {

struct Channel {
  double mean, invstd;
};

Channel running_channel(const BatchNormProblem& p, int64_t c) {
  return {read_scalar(p.running_mean, c), 1 / sqrt(read_scalar(p.running_var, c) + p.epsilon)};
}

/// Turns the moments of the batch into what the forward pass uses and remembers.
Channel finish_statistics(const BatchNormProblem& p, int64_t c, const Moments& m) {
  const Channel channel{m.mean, 1 / sqrt(m.squares / m.count + p.epsilon)};
  write_scalar(p.mean, c, channel.mean);
  write_scalar(p.invstd, c, channel.invstd);
  const auto update = [&](const Matrix& running, double value) {
    if (running.data == nullptr) return;
    write_scalar(running, c, (1 - p.momentum) * read_scalar(running, c) + p.momentum * value);
  };
  update(p.running_mean, m.mean);
  update(p.running_var, m.squares / (m.count - 1));
  return channel;
}

double weight_of(const BatchNormProblem& p, int64_t c) {
  return p.weight.data == nullptr ? 1 : read_scalar(p.weight, c);
}

template <class Compute>
void forward_channel(const BatchNormProblem& p, int64_t c) {
  alignas(64) Compute scratch[2][kNormBlock];
  Channel channel;
  if (p.training) {
    Moments moments;
    for_each_run(p.in, p.batches, kNormBlock,
                 [&](int64_t n, int64_t d, int64_t h, int64_t w, int64_t length) {
                   const Compute* x = read_run(p.in, offset_of(p.in, n, c, d, h, w), p.in.stride[2],
                                               length, scratch[0]);
                   const double mean =
                       lane_sum<Compute>(length, [&](int64_t i) { return x[i]; }) / length;
                   const auto center = static_cast<Compute>(mean);
                   const double squares = lane_sum<Compute>(
                       length, [&](int64_t i) { return (x[i] - center) * (x[i] - center); });
                   const double shift = mean - center;  // the rounding of center
                   moments.add(static_cast<double>(length), mean, squares - length * shift * shift);
                 });
    channel = finish_statistics(p, c, moments);
  } else {
    channel = running_channel(p, c);
  }
  const auto mean = static_cast<Compute>(channel.mean);
  const auto scale = static_cast<Compute>(channel.invstd * weight_of(p, c));
  const auto bias = static_cast<Compute>(p.bias.data == nullptr ? 0 : read_scalar(p.bias, c));
  for_each_run(
      p.in, p.batches, kNormBlock, [&](int64_t n, int64_t d, int64_t h, int64_t w, int64_t length) {
        const Compute* x =
            read_run(p.in, offset_of(p.in, n, c, d, h, w), p.in.stride[2], length, scratch[0]);
        write_run(p.out, offset_of(p.out, n, c, d, h, w), p.out.stride[2], length, scratch[1],
                  [&](Compute* y) {
                    for (int64_t i = 0; i < length; ++i) y[i] = (x[i] - mean) * scale + bias;
                  });
      });
}

/// dx = (dy - offset - (x - mean) * slope) * scale.
struct Gradient {
  double mean, offset, slope, scale;
};

/// From the sums of dy and of dy * (x - mean); writes the parameters' gradients.
Gradient finish_gradient(const BatchNormProblem& p, int64_t c, const Channel& channel, double sum,
                         double product) {
  write_scalar(p.grad_bias, c, sum);
  write_scalar(p.grad_weight, c, product * channel.invstd);
  const double scale = channel.invstd * weight_of(p, c);
  if (!p.training) return {channel.mean, 0, 0, scale};
  const auto count = static_cast<double>(p.count());
  return {channel.mean, sum / count, product * channel.invstd * channel.invstd / count, scale};
}

Channel backward_channel_statistics(const BatchNormProblem& p, int64_t c) {
  if (!p.training) return running_channel(p, c);
  return {read_scalar(p.mean, c), read_scalar(p.invstd, c)};
}

template <class Compute>
void backward_channel(const BatchNormProblem& p, int64_t c) {
  alignas(64) Compute scratch[3][kNormBlock];
  const Channel channel = backward_channel_statistics(p, c);
  const auto mean = static_cast<Compute>(channel.mean);
  double sum = 0, product = 0;
  for_each_run(
      p.in, p.batches, kNormBlock, [&](int64_t n, int64_t d, int64_t h, int64_t w, int64_t length) {
        const Compute* x =
            read_run(p.in, offset_of(p.in, n, c, d, h, w), p.in.stride[2], length, scratch[0]);
        const Compute* g = read_run(p.grad_out, offset_of(p.grad_out, n, c, d, h, w),
                                    p.grad_out.stride[2], length, scratch[1]);
        sum += lane_sum<Compute>(length, [&](int64_t i) { return g[i]; });
        product += lane_sum<Compute>(length, [&](int64_t i) { return g[i] * (x[i] - mean); });
      });
  const Gradient gradient = finish_gradient(p, c, channel, sum, product);
  if (p.grad_in.data == nullptr) return;
  const auto offset = static_cast<Compute>(gradient.offset);
  const auto slope = static_cast<Compute>(gradient.slope);
  const auto scale = static_cast<Compute>(gradient.scale);
  for_each_run(
      p.in, p.batches, kNormBlock, [&](int64_t n, int64_t d, int64_t h, int64_t w, int64_t length) {
        const Compute* x =
            read_run(p.in, offset_of(p.in, n, c, d, h, w), p.in.stride[2], length, scratch[0]);
        const Compute* g = read_run(p.grad_out, offset_of(p.grad_out, n, c, d, h, w),
                                    p.grad_out.stride[2], length, scratch[1]);
        write_run(p.grad_in, offset_of(p.grad_in, n, c, d, h, w), p.grad_in.stride[2], length,
                  scratch[2], [&](Compute* dx) {
                    for (int64_t i = 0; i < length; ++i) {
                      dx[i] = (g[i] - offset - (x[i] - mean) * slope) * scale;
                    }
                  });
      });
}

// Channels-last: blocks of kRows positions x kPanel channels.
constexpr int64_t kRows = 64;
using Block = float[kRows * kPanel];

/// One value a channel of the panel, as two vectors.
struct PanelVec {
  float value[kPanel] = {};
  Vec low() const { return load(value); }
  Vec high() const { return load(value + kLanes); }
};

/// Rows of a panel: where they are, if they are whole floats, else in scratch.
struct PanelRows {
  const float* data;
  int64_t ld;
};

Matrix rows_of(const ConvMap& m, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  const int64_t size = m.dtype == DType::kFloat ? 4 : 2;
  return {static_cast<char*>(m.data) + offset_of(m, n, c, d, h, w) * size, m.dtype, m.stride[2], 1};
}

bool in_place(const Matrix& m, int64_t columns) {
  return m.dtype == DType::kFloat && columns == kPanel;
}

PanelRows read_rows(const Matrix& m, int64_t rows, int64_t columns, float* scratch) {
  if (in_place(m, columns)) return {static_cast<const float*>(m.data), m.row_stride};
  load_matrix(m, 0, 0, rows, columns, scratch, kPanel);
  return {scratch, kPanel};
}

/// Calls row(r, dst) for each row of dst and brings them to memory.
template <class F>
[[gnu::always_inline]] inline void write_rows(const Matrix& m, int64_t rows, int64_t columns,
                                              float* scratch, F&& row) {
  const bool direct = in_place(m, columns);
  float* dst = direct ? static_cast<float*>(m.data) : scratch;
  const int64_t ld = direct ? m.row_stride : kPanel;
  for (int64_t r = 0; r < rows; ++r) row(r, dst + r * ld);
  if (!direct) store_matrix(scratch, kPanel, m, 0, 0, rows, columns);
}

void add_panel_moments(PanelRows x, int64_t rows, int64_t columns, Moments* moments) {
  Vec sum[2] = {}, squares[2] = {};
  for (int64_t r = 0; r < rows; ++r) {
    sum[0] += load(x.data + r * x.ld);
    sum[1] += load(x.data + r * x.ld + kLanes);
  }
  PanelVec mean, square;
  const Vec center[2] = {sum[0] / broadcast(static_cast<float>(rows)),
                         sum[1] / broadcast(static_cast<float>(rows))};
  Vec rest[2] = {};  // what the rounding of center left out
  for (int64_t r = 0; r < rows; ++r) {
    const Vec d0 = load(x.data + r * x.ld) - center[0],
              d1 = load(x.data + r * x.ld + kLanes) - center[1];
    rest[0] += d0;
    rest[1] += d1;
    squares[0] += d0 * d0;
    squares[1] += d1 * d1;
  }
  PanelVec error;
  for (int half = 0; half < 2; ++half) {
    store(mean.value + half * kLanes, center[half]);
    store(error.value + half * kLanes, rest[half]);
    store(square.value + half * kLanes, squares[half]);
  }
  for (int64_t j = 0; j < columns; ++j) {
    const double shift = static_cast<double>(error.value[j]) / static_cast<double>(rows);
    moments[j].add(static_cast<double>(rows), mean.value[j] + shift,
                   square.value[j] - static_cast<double>(rows) * shift * shift);
  }
}

void forward_panel(const BatchNormProblem& p, int64_t c, int64_t columns) {
  alignas(64) Block x = {}, y;
  PanelVec mean, scale, bias;
  Moments moments[kPanel];
  if (p.training) {
    for_each_run(p.in, p.batches, kRows,
                 [&](int64_t n, int64_t d, int64_t h, int64_t w, int64_t rows) {
                   add_panel_moments(read_rows(rows_of(p.in, n, c, d, h, w), rows, columns, x),
                                     rows, columns, moments);
                 });
  }
  for (int64_t j = 0; j < columns; ++j) {
    const Channel channel =
        p.training ? finish_statistics(p, c + j, moments[j]) : running_channel(p, c + j);
    mean.value[j] = static_cast<float>(channel.mean);
    scale.value[j] = static_cast<float>(channel.invstd * weight_of(p, c + j));
    bias.value[j] = p.bias.data == nullptr ? 0 : static_cast<float>(read_scalar(p.bias, c + j));
  }
  const Vec mean0 = mean.low(), mean1 = mean.high(), scale0 = scale.low(), scale1 = scale.high();
  const Vec bias0 = bias.low(), bias1 = bias.high();
  for_each_run(
      p.in, p.batches, kRows, [&](int64_t n, int64_t d, int64_t h, int64_t w, int64_t rows) {
        const PanelRows in = read_rows(rows_of(p.in, n, c, d, h, w), rows, columns, x);
        write_rows(rows_of(p.out, n, c, d, h, w), rows, columns, y, [&](int64_t r, float* dst) {
          const float* row = in.data + r * in.ld;
          store(dst, (load(row) - mean0) * scale0 + bias0);
          store(dst + kLanes, (load(row + kLanes) - mean1) * scale1 + bias1);
        });
      });
}

void backward_panel(const BatchNormProblem& p, int64_t c, int64_t columns) {
  alignas(64) Block x = {}, g = {}, dx;
  PanelVec mean, offset, slope, scale;
  double sums[kPanel] = {}, products[kPanel] = {};
  Channel channels[kPanel];
  for (int64_t j = 0; j < columns; ++j) {
    channels[j] = backward_channel_statistics(p, c + j);
    mean.value[j] = static_cast<float>(channels[j].mean);
  }
  const Vec mean0 = mean.low(), mean1 = mean.high();
  for_each_run(
      p.in, p.batches, kRows, [&](int64_t n, int64_t d, int64_t h, int64_t w, int64_t rows) {
        const PanelRows in = read_rows(rows_of(p.in, n, c, d, h, w), rows, columns, x);
        const PanelRows grad = read_rows(rows_of(p.grad_out, n, c, d, h, w), rows, columns, g);
        Vec sum[2] = {}, product[2] = {};
        for (int64_t r = 0; r < rows; ++r) {
          const float *xr = in.data + r * in.ld, *gr = grad.data + r * grad.ld;
          const Vec g0 = load(gr), g1 = load(gr + kLanes);
          sum[0] += g0;
          sum[1] += g1;
          product[0] += g0 * (load(xr) - mean0);
          product[1] += g1 * (load(xr + kLanes) - mean1);
        }
        for (int64_t j = 0; j < columns; ++j) {
          sums[j] += sum[j / kLanes][j % kLanes];
          products[j] += product[j / kLanes][j % kLanes];
        }
      });
  for (int64_t j = 0; j < columns; ++j) {
    const Gradient gradient = finish_gradient(p, c + j, channels[j], sums[j], products[j]);
    offset.value[j] = static_cast<float>(gradient.offset);
    slope.value[j] = static_cast<float>(gradient.slope);
    scale.value[j] = static_cast<float>(gradient.scale);
  }
  if (p.grad_in.data == nullptr) return;
  const Vec offset0 = offset.low(), offset1 = offset.high(), slope0 = slope.low();
  const Vec slope1 = slope.high(), scale0 = scale.low(), scale1 = scale.high();
  for_each_run(
      p.in, p.batches, kRows, [&](int64_t n, int64_t d, int64_t h, int64_t w, int64_t rows) {
        const PanelRows in = read_rows(rows_of(p.in, n, c, d, h, w), rows, columns, x);
        const PanelRows grad = read_rows(rows_of(p.grad_out, n, c, d, h, w), rows, columns, g);
        write_rows(
            rows_of(p.grad_in, n, c, d, h, w), rows, columns, dx, [&](int64_t r, float* dst) {
              const float *xr = in.data + r * in.ld, *gr = grad.data + r * grad.ld;
              const Vec first = (load(gr) - offset0 - (load(xr) - mean0) * slope0) * scale0;
              store(dst + kLanes,
                    (load(gr + kLanes) - offset1 - (load(xr + kLanes) - mean1) * slope1) * scale1);
              store(dst, first);
            });
      });
}

bool by_panels(const BatchNormProblem& p) {
  const auto last = [](const ConvMap& m) { return m.data == nullptr || m.channel_stride == 1; };
  return p.channels > 1 && p.in.dtype != DType::kDouble && last(p.in) && last(p.out) &&
         last(p.grad_out) && last(p.grad_in);
}

}  // namespace

void batch_norm_forward(const BatchNormProblem& p, int64_t begin, int64_t end) {
  if (by_panels(p)) {
    for (int64_t c = begin; c < end; c += kPanel) {
      forward_panel(p, c, end - c < kPanel ? end - c : kPanel);
    }
    return;
  }
  for (int64_t c = begin; c < end; ++c) {
    p.in.dtype == DType::kDouble ? forward_channel<double>(p, c) : forward_channel<float>(p, c);
  }
}

void batch_norm_backward(const BatchNormProblem& p, int64_t begin, int64_t end) {
  if (by_panels(p)) {
    for (int64_t c = begin; c < end; c += kPanel) {
      backward_panel(p, c, end - c < kPanel ? end - c : kPanel);
    }
    return;
  }
  for (int64_t c = begin; c < end; ++c) {
    p.in.dtype == DType::kDouble ? backward_channel<double>(p, c) : backward_channel<float>(p, c);
  }
}

}  // namespace npu::davinci::NPU_ISA
