// SPDX-License-Identifier: Apache-2.0
// Convolution with few channels a group, where no matrix product pays. A band of output rows of one
// plane at a time: its input is staged as floats with zeros for padding, the columns of a row
// sorted by their phase of the stride, so that each tap reads contiguous floats.
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/conv_stage.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int kRows = 4;  // sums kept in registers
constexpr int kTaps = 4;

int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t in_vectors(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

/// Where a band begins, and its size.
struct Place {
  int64_t batch, depth, row, column, rows, width;
};

/// Calls f for the bands of all depths of one batch.
template <class F>
[[gnu::always_inline]] inline void for_each_band(const ConvProblem& p, const DepthwiseBand& band,
                                                 int64_t batch, F&& f) {
  for (int64_t depth = 0; depth < p.out.size[0]; ++depth) {
    for (int64_t row = 0; row < p.out.size[1]; row += band.rows) {
      for (int64_t column = 0; column < p.out.size[2]; column += band.width) {
        f(Place{batch, depth, row, column, at_most(band.rows, p.out.size[1] - row),
                at_most(band.width, p.out.size[2] - column)});
      }
    }
  }
}

/// One row of the input, `src` its column 0 (nullptr: a row of padding), from column `left` on.
template <class T>
void stage_row(const ConvProblem& p, const DepthwiseBand& band, const T* src, int64_t left,
               float* dst) {
  const int64_t stride = p.stride[2];
  for (int64_t phase = 0; phase < stride; ++phase, dst += band.phase_width) {
    const int64_t first = left + phase;  // column of dst[0]
    int64_t begin = first < 0 ? (-first + stride - 1) / stride : 0;
    int64_t end = p.in.size[2] <= first ? 0 : (p.in.size[2] - first + stride - 1) / stride;
    begin = at_most(begin, band.phase_width);
    end = src == nullptr || end < begin ? begin : at_most(end, band.phase_width);
    memset(dst, 0, begin * sizeof(float));
    if (end > begin) {
      load_block(src + (first + begin * stride) * p.in.stride[2], 0, stride * p.in.stride[2], 1,
                 end - begin, dst + begin, 0);
    }
    memset(dst + end, 0, (band.phase_width - end) * sizeof(float));
  }
}

template <class T>
void stage_input(const ConvProblem& p, const DepthwiseBand& band, const Place& at, int64_t channel,
                 float* dst) {
  const int64_t in_rows = (at.rows - 1) * p.stride[1] + (p.kernel[1] - 1) * p.dilation[1] + 1;
  const int64_t first = at.row * p.stride[1] - p.padding[1];
  const int64_t left = at.column * p.stride[2] - p.padding[2];
  for (int64_t kd = 0; kd < p.kernel[0]; ++kd) {
    const int64_t d = at.depth * p.stride[0] - p.padding[0] + kd * p.dilation[0];
    float* row = dst + kd * band.plane;
    for (int64_t h = first; h < first + in_rows; ++h, row += band.pitch) {
      const bool inside = d >= 0 && d < p.in.size[0] && h >= 0 && h < p.in.size[1];
      const void* src = address(p.in, at.batch, channel, d, h, 0);
      stage_row(p, band, inside ? static_cast<const T*>(src) : nullptr, left, row);
    }
  }
}

/// Where a tap's elements begin in the staged input.
int64_t tap_offset(const ConvProblem& p, const DepthwiseBand& band, int64_t kd, int64_t kh,
                   int64_t kw) {
  const int64_t column = kw * p.dilation[2];
  return kd * band.plane + kh * p.dilation[1] * band.pitch +
         column % p.stride[2] * band.phase_width + column / p.stride[2];
}

struct Taps {
  int64_t count = 0;
  int64_t offset[kConvMaxPieces];
  float weight[kConvMaxPieces];
};

template <class T>
void load_taps(const ConvProblem& p, const DepthwiseBand& band, const T* weight, Taps& taps) {
  taps.count = 0;
  for (int64_t kd = 0; kd < p.kernel[0]; ++kd) {
    for (int64_t kh = 0; kh < p.kernel[1]; ++kh) {
      for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
        taps.offset[taps.count] = tap_offset(p, band, kd, kh, kw);
        taps.weight[taps.count++] = load_one(weight + kd * p.weight_stride[0] +
                                             kh * p.weight_stride[1] + kw * p.weight_stride[2]);
      }
    }
  }
}

/// sums[row][...] (+)= the taps over `rows` rows.
template <int rows>
void add_taps(const Taps& taps, const float* input, int64_t row_step, int64_t width, float start,
              bool first, float* sums, int64_t ld) {
  for (int64_t j = 0; j < width; j += kLanes) {
    Vec sum[rows];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) sum[r] = first ? broadcast(start) : load(sums + r * ld + j);
    for (int64_t t = 0; t < taps.count; ++t) {
      const Vec w = broadcast(taps.weight[t]);
      const float* x = input + taps.offset[t] + j;
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) sum[r] += w * load(x + r * row_step);
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) store(sums + r * ld + j, sum[r]);
  }
}

template <class T>
void forward_plane(const ConvProblem& p, const DepthwiseBand& band, int64_t batch, int64_t group,
                   int64_t output) {
  alignas(64) float input[kDepthwiseFloats], sums[kDepthwiseFloats];
  Taps taps;
  const int64_t channel_out = group * p.outputs + output;
  const T* weight = static_cast<const T*>(p.weight) + group * p.weight_group_stride +
                    output * p.weight_out_stride;
  const float bias =
      p.bias == nullptr ? 0 : load_one(static_cast<const T*>(p.bias) + channel_out * p.bias_stride);
  if (p.channels == 1) load_taps(p, band, weight, taps);
  for_each_band(p, band, batch, [&](const Place& at) {
    const int64_t ld = in_vectors(at.width), row_step = p.stride[1] * band.pitch;
    for (int64_t c = 0; c < p.channels; ++c) {
      if (p.channels > 1) load_taps(p, band, weight + c * p.weight_in_stride, taps);
      stage_input<T>(p, band, at, group * p.channels + c, input);
      int64_t r = 0;
      for (; r + kRows <= at.rows; r += kRows) {
        add_taps<kRows>(taps, input + r * row_step, row_step, at.width, bias, c == 0, sums + r * ld,
                        ld);
      }
      for (; r < at.rows; ++r) {
        add_taps<1>(taps, input + r * row_step, row_step, at.width, bias, c == 0, sums + r * ld,
                    ld);
      }
    }
    const void* out = address(p.out, batch, channel_out, at.depth, at.row, at.column);
    store_block(sums, ld, at.rows, at.width, static_cast<T*>(const_cast<void*>(out)),
                p.out.stride[1], p.out.stride[2]);
  });
}

/// total[t] += the sum of gradient * input for `count` taps next to one another.
template <int count>
void add_products(const ConvProblem& p, const Place& at, const float* const (&taps)[kTaps],
                  int64_t row_step, const float* gradient, int64_t ld, double* total) {
  Vec sum[count] = {};
  const int64_t rest = at.width % kLanes, full = at.width - rest;
  IntVec lane;
  for (int i = 0; i < kLanes; ++i) lane[i] = i;
  const IntVec inside = lane < static_cast<int32_t>(rest);
  for (int64_t r = 0; r < at.rows; ++r) {
    const float* g = gradient + r * ld;
    for (int64_t j = 0; j < full; j += kLanes) {
      const Vec dy = load(g + j);
#pragma GCC unroll 4
      for (int t = 0; t < count; ++t) sum[t] += dy * load(taps[t] + r * row_step + j);
    }
    if (rest == 0) continue;
    const Vec dy = load(g + full);
#pragma GCC unroll 4
    for (int t = 0; t < count; ++t) {  // what lies behind the row may be infinite
      sum[t] += dy * select(inside, load(taps[t] + r * row_step + full), Vec{});
    }
  }
  for (int t = 0; t < count; ++t) total[t] += static_cast<double>(sum_lanes(sum[t]));
}

template <class T>
void weight_gradient(const ConvProblem& p, const DepthwiseBand& band, int64_t group, int64_t output,
                     int64_t channel) {
  alignas(64) float input[kDepthwiseFloats], gradient[kDepthwiseFloats];
  double total[kConvMaxPieces] = {};
  const int64_t row_step = p.stride[1] * band.pitch;
  for (int64_t n = 0; n < p.batches; ++n) {
    for_each_band(p, band, n, [&](const Place& at) {
      const int64_t ld = in_vectors(at.width);
      const void* dy = address(p.out, n, group * p.outputs + output, at.depth, at.row, at.column);
      memset(gradient, 0, at.rows * ld * sizeof(float));
      load_block(static_cast<const T*>(dy), p.out.stride[1], p.out.stride[2], at.rows, at.width,
                 gradient, ld);
      stage_input<T>(p, band, at, group * p.channels + channel, input);
      const auto add = [&]<int count>(int64_t first) {
        const float* taps[kTaps] = {};
        for (int t = 0; t < count; ++t) {
          const int64_t tap = first + t;
          taps[t] = input + tap_offset(p, band, tap / (p.kernel[1] * p.kernel[2]),
                                       tap / p.kernel[2] % p.kernel[1], tap % p.kernel[2]);
        }
        add_products<count>(p, at, taps, row_step, gradient, ld, total + first);
      };
      int64_t tap = 0;
      for (; tap + kTaps <= p.taps(); tap += kTaps) add.template operator()<kTaps>(tap);
      for (; tap < p.taps(); ++tap) add.template operator()<1>(tap);
    });
  }
  T* weight = static_cast<T*>(p.weight) + group * p.weight_group_stride +
              output * p.weight_out_stride + channel * p.weight_in_stride;
  for (int64_t tap = 0; tap < p.taps(); ++tap) {
    const int64_t offset = tap % p.kernel[2] * p.weight_stride[2] +
                           tap / p.kernel[2] % p.kernel[1] * p.weight_stride[1] +
                           tap / (p.kernel[2] * p.kernel[1]) * p.weight_stride[0];
    store_one(weight + offset, static_cast<float>(total[tap]));
  }
}

}  // namespace

void conv_depthwise_plane(const ConvProblem& p, const DepthwiseBand& band, int64_t batch,
                          int64_t group, int64_t output) {
  visit_float(p.out.dtype, [&]<class T>(T) { forward_plane<T>(p, band, batch, group, output); });
}

void conv_depthwise_weight(const ConvProblem& p, const DepthwiseBand& band, int64_t group,
                           int64_t output, int64_t channel) {
  visit_float(p.out.dtype,
              [&]<class T>(T) { weight_gradient<T>(p, band, group, output, channel); });
}

}  // namespace npu::davinci::NPU_ISA
