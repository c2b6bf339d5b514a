// SPDX-License-Identifier: Apache-2.0
// Convolution row by row, for what the implicit product does badly or not at all: few output
// channels a group (depthwise), windows too wide to stage, float64.
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/conv_stage.h"
#include "softnpu/davinci/kernels/lane_sums.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int64_t kRowBlock = 1024;

template <class T>
struct ComputeOf {
  using Type = float;
};
template <>
struct ComputeOf<double> {
  using Type = double;
};

template <class T>
const T* element(const ConvMap& m, int64_t n, int64_t channel, int64_t d, int64_t h) {
  return static_cast<const T*>(m.data) + n * m.batch_stride + channel * m.channel_stride +
         d * m.stride[0] + h * m.stride[1];
}

template <class T>
[[gnu::always_inline]] inline void read_row(const T* src, int64_t stride, int64_t n, float* dst) {
  load_block(src, 0, stride, 1, n, dst, n);
}
[[gnu::always_inline]] inline void read_row(const double* src, int64_t stride, int64_t n,
                                            double* dst) {
  for (int64_t i = 0; i < n; ++i) dst[i] = src[i * stride];
}

/// Output columns [begin, end) of `width` whose tap at column offset `shift` lies in the input.
struct Columns {
  int64_t begin, end;
};
Columns columns_inside(int64_t shift, int64_t stride, int64_t in_width, int64_t width) {
  int64_t begin = shift < 0 ? (-shift + stride - 1) / stride : 0;
  int64_t end = in_width - shift <= 0 ? 0 : (in_width - shift + stride - 1) / stride;
  if (end > width) end = width;
  if (begin > end) begin = end;
  return {begin, end};
}

/// Calls f(tap offset in weight, in row address, shift of the column) for every tap whose input row
/// exists.
template <class T, class F>
[[gnu::always_inline]] inline void for_each_tap(const ConvProblem& p, int64_t n, int64_t channel,
                                                int64_t od, int64_t oh, F&& f) {
  for (int64_t kd = 0; kd < p.kernel[0]; ++kd) {
    const int64_t d = od * p.stride[0] - p.padding[0] + kd * p.dilation[0];
    if (d < 0 || d >= p.in.size[0]) continue;
    for (int64_t kh = 0; kh < p.kernel[1]; ++kh) {
      const int64_t h = oh * p.stride[1] - p.padding[1] + kh * p.dilation[1];
      if (h < 0 || h >= p.in.size[1]) continue;
      const T* row = element<T>(p.in, n, channel, d, h);
      for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
        const int64_t tap =
            kd * p.weight_stride[0] + kh * p.weight_stride[1] + kw * p.weight_stride[2];
        f(tap, row, kw * p.dilation[2] - p.padding[2]);
      }
    }
  }
}

template <class T>
void forward_plane(const ConvProblem& p, int64_t n, int64_t group, int64_t output) {
  using Compute = typename ComputeOf<T>::Type;
  alignas(64) Compute sum[kRowBlock], values[kRowBlock];
  const int64_t channel_out = group * p.outputs + output;
  Compute bias = 0;
  if (p.bias != nullptr) {
    bias = load_one(static_cast<const T*>(p.bias) + channel_out * p.bias_stride);
  }
  const T* weight = static_cast<const T*>(p.weight) + group * p.weight_group_stride +
                    output * p.weight_out_stride;
  for (int64_t od = 0; od < p.out.size[0]; ++od) {
    for (int64_t oh = 0; oh < p.out.size[1]; ++oh) {
      T* out = const_cast<T*>(element<T>(p.out, n, channel_out, od, oh));
      for (int64_t w0 = 0; w0 < p.out.size[2]; w0 += kRowBlock) {
        const int64_t width = p.out.size[2] - w0 < kRowBlock ? p.out.size[2] - w0 : kRowBlock;
        for (int64_t i = 0; i < width; ++i) sum[i] = bias;
        for (int64_t c = 0; c < p.channels; ++c) {
          for_each_tap<T>(
              p, n, group * p.channels + c, od, oh, [&](int64_t tap, const T* row, int64_t column) {
                const Compute w = load_one(weight + c * p.weight_in_stride + tap);
                const int64_t shift = column + w0 * p.stride[2];
                const Columns inside = columns_inside(shift, p.stride[2], p.in.size[2], width);
                const int64_t count = inside.end - inside.begin;
                read_row(row + (inside.begin * p.stride[2] + shift) * p.in.stride[2],
                         p.stride[2] * p.in.stride[2], count, values);
                for (int64_t i = 0; i < count; ++i) sum[inside.begin + i] += w * values[i];
              });
        }
        T* dst = out + w0 * p.out.stride[2];
        for (int64_t i = 0; i < width; ++i) store_one(dst + i * p.out.stride[2], sum[i]);
      }
    }
  }
}

/// The gradient of all taps of one (output, channel) pair, or of the bias (channel < 0).
template <class T>
void weight_gradient(const ConvProblem& p, int64_t group, int64_t output, int64_t channel,
                     const Matrix& bias) {
  using Compute = typename ComputeOf<T>::Type;
  alignas(64) Compute gradient[kRowBlock], values[kRowBlock];
  constexpr int64_t kTapBlock = 128;
  const int64_t channel_out = group * p.outputs + output;
  const int64_t taps = channel < 0 ? 1 : p.taps();
  for (int64_t first = 0; first < taps; first += kTapBlock) {
    double total[kTapBlock] = {};
    const int64_t count = taps - first < kTapBlock ? taps - first : kTapBlock;
    for (int64_t n = 0; n < p.batches; ++n) {
      for (int64_t od = 0; od < p.out.size[0]; ++od) {
        for (int64_t oh = 0; oh < p.out.size[1]; ++oh) {
          const T* out = element<T>(p.out, n, channel_out, od, oh);
          for (int64_t w0 = 0; w0 < p.out.size[2]; w0 += kRowBlock) {
            const int64_t width = p.out.size[2] - w0 < kRowBlock ? p.out.size[2] - w0 : kRowBlock;
            read_row(out + w0 * p.out.stride[2], p.out.stride[2], width, gradient);
            if (channel < 0) {
              total[0] += lane_sum<Compute>(width, [&](int64_t i) { return gradient[i]; });
              continue;
            }
            for (int64_t i = 0; i < count; ++i) {
              const int64_t tap = first + i, kw = tap % p.kernel[2];
              const int64_t kh = tap / p.kernel[2] % p.kernel[1];
              const int64_t kd = tap / (p.kernel[2] * p.kernel[1]);
              const int64_t d = od * p.stride[0] - p.padding[0] + kd * p.dilation[0];
              const int64_t h = oh * p.stride[1] - p.padding[1] + kh * p.dilation[1];
              if (d < 0 || d >= p.in.size[0] || h < 0 || h >= p.in.size[1]) continue;
              const int64_t shift = kw * p.dilation[2] - p.padding[2] + w0 * p.stride[2];
              const Columns inside = columns_inside(shift, p.stride[2], p.in.size[2], width);
              const int64_t n_inside = inside.end - inside.begin;
              const T* row = element<T>(p.in, n, group * p.channels + channel, d, h);
              read_row(row + (inside.begin * p.stride[2] + shift) * p.in.stride[2],
                       p.stride[2] * p.in.stride[2], n_inside, values);
              total[i] += lane_sum<Compute>(
                  n_inside, [&](int64_t x) { return gradient[inside.begin + x] * values[x]; });
            }
          }
        }
      }
    }
    if (channel < 0) {
      store_one(static_cast<T*>(bias.data) + channel_out * bias.column_stride,
                static_cast<Compute>(total[0]));
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t tap = first + i;
      const int64_t offset = tap % p.kernel[2] * p.weight_stride[2] +
                             tap / p.kernel[2] % p.kernel[1] * p.weight_stride[1] +
                             tap / (p.kernel[2] * p.kernel[1]) * p.weight_stride[0];
      store_one(static_cast<T*>(p.weight) + group * p.weight_group_stride +
                    output * p.weight_out_stride + channel * p.weight_in_stride + offset,
                static_cast<Compute>(total[i]));
    }
  }
}

template <class F>
[[gnu::always_inline]] inline void visit(DType dtype, F&& f) {
  if (dtype == DType::kDouble) return f(double{});
  visit_float(dtype, f);
}

}  // namespace

void conv_direct_plane(const ConvProblem& p, int64_t batch, int64_t group, int64_t output) {
  visit(p.out.dtype, [&]<class T>(T) { forward_plane<T>(p, batch, group, output); });
}

void conv_direct_weight(const ConvProblem& p, int64_t group, int64_t output, int64_t channel,
                        const Matrix& bias) {
  visit(p.out.dtype, [&]<class T>(T) { weight_gradient<T>(p, group, output, channel, bias); });
}

}  // namespace npu::davinci::NPU_ISA
