// SPDX-License-Identifier: Apache-2.0
// Average pooling, fixed windows and adaptive ones, forward and backward, plane by plane.
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/lane_sums.h"
#include "softnpu/davinci/kernels/norm_blocks.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int64_t kColumns = 256;

int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }

/// The input positions of an output position along one dimension, and how many count.
struct Window {
  int64_t begin, end, size;
};

Window window_of(const PoolProblem& p, int dim, int64_t o) {
  const int64_t in = p.in.size[1 + dim], out = p.out.size[1 + dim];
  if (p.adaptive) {
    const int64_t begin = o * in / out, end = ((o + 1) * in + out - 1) / out;
    return {begin, end, end - begin};
  }
  const int64_t begin = o * p.stride[dim] - p.padding[dim];
  const int64_t end = at_most(begin + p.kernel[dim], in + p.padding[dim]);
  const Window inside{at_least(begin, 0), at_most(end, in), 0};
  return {inside.begin, inside.end, p.count_padding ? end - begin : inside.end - inside.begin};
}

/// The output positions whose windows hold an input position.
Window outputs_of(const PoolProblem& p, int dim, int64_t i) {
  const int64_t in = p.in.size[1 + dim], out = p.out.size[1 + dim];
  if (p.adaptive) return {i * out / in, ((i + 1) * out + in - 1) / in, 0};
  const int64_t first = i + p.padding[dim] - p.kernel[dim] + 1;
  const int64_t begin = first <= 0 ? 0 : (first + p.stride[dim] - 1) / p.stride[dim];
  return {begin, at_most(out, (i + p.padding[dim]) / p.stride[dim] + 1), 0};
}

double divisor_of(const PoolProblem& p, const Window& rows, const Window& columns) {
  return static_cast<double>(p.divisor != 0 ? p.divisor : rows.size * columns.size);
}

template <class Compute>
void average_plane(const PoolProblem& p, int64_t n, int64_t c) {
  alignas(64) Compute averages[kColumns], scratch[kColumns], run[kColumns];
  for (int64_t oh = 0; oh < p.out.size[1]; ++oh) {
    const Window rows = window_of(p, 0, oh);
    for (int64_t w0 = 0; w0 < p.out.size[2]; w0 += kColumns) {
      const int64_t count = at_most(kColumns, p.out.size[2] - w0);
      for (int64_t i = 0; i < count; ++i) {
        const Window columns = window_of(p, 1, w0 + i);
        double sum = 0;
        for (int64_t h = rows.begin; h < rows.end; ++h) {
          for (int64_t w = columns.begin; w < columns.end; w += kColumns) {
            const int64_t length = at_most(kColumns, columns.end - w);
            const Compute* x =
                read_run(p.in, offset_of(p.in, n, c, 0, h, w), p.in.stride[2], length, run);
            if (length < kSumLanes) {
              Compute part = 0;
              for (int64_t j = 0; j < length; ++j) part += x[j];
              sum += part;
            } else {
              sum += lane_sum<Compute>(length, [&](int64_t j) { return x[j]; });
            }
          }
        }
        averages[i] = static_cast<Compute>(sum / divisor_of(p, rows, columns));
      }
      write_run(p.out, offset_of(p.out, n, c, 0, oh, w0), p.out.stride[2], count, scratch,
                [&](Compute* y) {
                  for (int64_t i = 0; i < count; ++i) y[i] = averages[i];
                });
    }
  }
}

template <class Compute>
void spread_plane(const PoolProblem& p, int64_t n, int64_t c) {
  alignas(64) Compute sums[kColumns], scratch[kColumns], run[kColumns];
  for (int64_t ih = 0; ih < p.in.size[1]; ++ih) {
    const Window oh_range = outputs_of(p, 0, ih);
    for (int64_t w0 = 0; w0 < p.in.size[2]; w0 += kColumns) {
      const int64_t count = at_most(kColumns, p.in.size[2] - w0);
      for (int64_t i = 0; i < count; ++i) {
        const Window ow_range = outputs_of(p, 1, w0 + i);
        double sum = 0;
        for (int64_t oh = oh_range.begin; oh < oh_range.end; ++oh) {
          const Window rows = window_of(p, 0, oh);
          for (int64_t ow = ow_range.begin; ow < ow_range.end; ++ow) {
            const Compute* g = read_run(p.out, offset_of(p.out, n, c, 0, oh, ow), 1, 1, run);
            sum += g[0] / divisor_of(p, rows, window_of(p, 1, ow));
          }
        }
        sums[i] = static_cast<Compute>(sum);
      }
      write_run(p.in, offset_of(p.in, n, c, 0, ih, w0), p.in.stride[2], count, scratch,
                [&](Compute* dx) {
                  for (int64_t i = 0; i < count; ++i) dx[i] = sums[i];
                });
    }
  }
}

}  // namespace

void average_pool_planes(const PoolProblem& p, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t n = i / p.channels, c = i % p.channels;
    p.in.dtype == DType::kDouble ? average_plane<double>(p, n, c) : average_plane<float>(p, n, c);
  }
}

void average_pool_backward_planes(const PoolProblem& p, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t n = i / p.channels, c = i % p.channels;
    p.in.dtype == DType::kDouble ? spread_plane<double>(p, n, c) : spread_plane<float>(p, n, c);
  }
}

}  // namespace npu::davinci::NPU_ISA
