// SPDX-License-Identifier: Apache-2.0
// Max pooling. Taps are visited in PyTorch's order and a later one wins only if it is larger or
// NaN, so ties keep the first and NaN the last. `mark` is what is remembered of a tap: its number
// in the window, or its distance from the window's origin in the plane.
#include <math.h>

#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/norm_blocks.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int64_t kColumns = 256;   // output columns handled at once
constexpr int64_t kBand = 1 << 14;  // input elements whose gradient is gathered at once

int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t mark_of(const PoolProblem& p, int64_t kh, int64_t kw) {
  if (p.in_window()) return kh * p.kernel[1] + kw;
  return kh * p.dilation[0] * p.in.size[2] + kw * p.dilation[1];
}

/// What mark 0 stands for in the window at (oh, ow).
int64_t origin_of(const PoolProblem& p, int64_t oh, int64_t ow) {
  if (p.in_window()) return 0;
  return (oh * p.stride[0] - p.padding[0]) * p.in.size[2] + ow * p.stride[1] - p.padding[1];
}

/// Calls f(address) with the positions' element type.
template <class F>
[[gnu::always_inline]] inline void visit_positions(const ConvMap& m, int64_t offset, F&& f) {
  switch (m.dtype) {
    case DType::kInt32:
      return f(static_cast<int32_t*>(m.data) + offset);
    case DType::kInt64:
      return f(static_cast<int64_t*>(m.data) + offset);
    default:
      return f(static_cast<uint8_t*>(m.data) + offset);
  }
}

struct Range {
  int64_t begin, end;
};

/// The i in [begin, end) with 0 <= i * stride + shift < size.
Range inside(int64_t begin, int64_t end, int64_t stride, int64_t shift, int64_t size) {
  if (shift < 0) begin = at_least(begin, (-shift + stride - 1) / stride);
  end = at_most(end, size <= shift ? 0 : (size - shift + stride - 1) / stride);
  return {begin, at_least(begin, end)};
}

/// Output columns [first, last) (at most kColumns) of one row.
template <class Compute>
void max_columns(const PoolProblem& p, int64_t n, int64_t c, int64_t oh, int64_t first,
                 int64_t last) {
  alignas(64) Compute best[kColumns], scratch[kColumns];
  alignas(64) int32_t marks[kColumns];
  const int64_t columns = last - first;
  for (int64_t i = 0; i < columns; ++i) {
    best[i] = -HUGE_VAL;
    marks[i] = -1;
  }
  for (int64_t kh = 0; kh < p.kernel[0]; ++kh) {
    const int64_t ih = oh * p.stride[0] - p.padding[0] + kh * p.dilation[0];
    if (ih < 0 || ih >= p.in.size[1]) continue;
    for (int64_t kw = 0; kw < p.kernel[1]; ++kw) {
      const int64_t shift = kw * p.dilation[1] - p.padding[1];
      const Range range = inside(first, last, p.stride[1], shift, p.in.size[2]);
      const int64_t count = range.end - range.begin, skip = range.begin - first;
      if (count == 0) continue;
      const int64_t iw = range.begin * p.stride[1] + shift;
      const Compute* x = read_run(p.in, offset_of(p.in, n, c, 0, ih, iw),
                                  p.stride[1] * p.in.stride[2], count, scratch);
      const auto mark = static_cast<int32_t>(mark_of(p, kh, kw));
      for (int64_t i = 0; i < count; ++i) {
        const Compute value = x[i];
        const bool take = (value > best[skip + i]) | (value != value) | (marks[skip + i] < 0);
        best[skip + i] = take ? value : best[skip + i];
        marks[skip + i] = take ? mark : marks[skip + i];
      }
    }
  }
  write_run(p.out, offset_of(p.out, n, c, 0, oh, first), p.out.stride[2], columns, scratch,
            [&](Compute* y) {
              for (int64_t i = 0; i < columns; ++i) y[i] = best[i];
            });
  visit_positions(p.positions, offset_of(p.positions, n, c, 0, oh, first), [&]<class P>(P* to) {
    for (int64_t i = 0; i < columns; ++i) {
      to[i * p.positions.stride[2]] = static_cast<P>(origin_of(p, oh, first + i) + marks[i]);
    }
  });
}

bool is_two_by_two(const PoolProblem& p) {
  for (int i = 0; i < 2; ++i) {
    if (p.kernel[i] != 2 || p.stride[i] != 2 || p.padding[i] != 0 || p.dilation[i] != 1) {
      return false;
    }
    if (p.out.size[1 + i] * 2 > p.in.size[1 + i]) return false;  // ceil_mode
  }
  return p.in.stride[2] == 1 && p.out.stride[2] == 1 && p.positions.stride[2] == 1 &&
         p.in.dtype != DType::kDouble;
}

[[gnu::always_inline]] inline void take_larger(Vec x, int32_t mark, Vec& best, IntVec& marks) {
  const IntVec take = (x > best) | (x != x);
  best = select(take, x, best);
  marks = take ? IntVec{} + mark : marks;
}

typedef uint8_t ByteVec __attribute__((vector_size(kLanes)));

/// The first n (<= 2 * kLanes) elements as two vectors.
template <class T>
[[gnu::always_inline]] inline void load_pair(const T* p, int64_t n, Vec& a, Vec& b) {
  a = n >= kLanes ? load(p) : load_partial(p, n);
  b = n >= 2 * kLanes ? load(p + kLanes)
      : n > kLanes    ? load_partial(p + kLanes, n - kLanes)
                      : Vec{};
}
template <class T>
[[gnu::always_inline]] inline void store_pair(T* p, int64_t n, Vec a, Vec b) {
  n >= kLanes ? store(p, a) : store_partial(p, a, n);
  if (n > kLanes) n >= 2 * kLanes ? store(p + kLanes, b) : store_partial(p + kLanes, b, n - kLanes);
}

/// A row of 2 x 2 windows.
template <class T>
void max_row_two_by_two(const PoolProblem& p, int64_t n, int64_t c, int64_t oh) {
  const T* top = static_cast<const T*>(p.in.data) + offset_of(p.in, n, c, 0, 2 * oh, 0);
  const T* bottom = top + p.in.stride[1];
  T* out = static_cast<T*>(p.out.data) + offset_of(p.out, n, c, 0, oh, 0);
  const auto row = static_cast<int32_t>(mark_of(p, 1, 0));
  for (int64_t ow = 0; ow < p.out.size[2]; ow += kLanes) {
    const int64_t count = at_most(kLanes, p.out.size[2] - ow);
    Vec a, b, e, f;
    load_pair(top + 2 * ow, 2 * count, a, b);
    load_pair(bottom + 2 * ow, 2 * count, e, f);
    deinterleave(a, b);
    deinterleave(e, f);
    IntVec marks{};
    take_larger(b, 1, a, marks);
    take_larger(e, row, a, marks);
    take_larger(f, row + 1, a, marks);
    count == kLanes ? store(out + ow, a) : store_partial(out + ow, a, count);
    visit_positions(p.positions, offset_of(p.positions, n, c, 0, oh, ow), [&]<class P>(P* to) {
      if constexpr (sizeof(P) == 1) {
        const ByteVec bytes = __builtin_convertvector(marks, ByteVec);
        memcpy(to, &bytes, count);
      } else {
        for (int64_t i = 0; i < count; ++i) {
          to[i] = static_cast<P>(origin_of(p, oh, ow + i) + marks[i]);
        }
      }
    });
  }
}

void max_plane(const PoolProblem& p, int64_t n, int64_t c) {
  if (is_two_by_two(p)) {
    visit_float(p.in.dtype, [&]<class T>(T) {
      for (int64_t oh = 0; oh < p.out.size[1]; ++oh) max_row_two_by_two<T>(p, n, c, oh);
    });
    return;
  }
  for (int64_t oh = 0; oh < p.out.size[1]; ++oh) {
    for (int64_t first = 0; first < p.out.size[2]; first += kColumns) {
      const int64_t last = at_most(first + kColumns, p.out.size[2]);
      p.in.dtype == DType::kDouble ? max_columns<double>(p, n, c, oh, first, last)
                                   : max_columns<float>(p, n, c, oh, first, last);
    }
  }
}

/// Channels-last: one output pixel, kLanes channels at a time.
template <class T>
void max_pixel(const PoolProblem& p, int64_t n, int64_t oh, int64_t ow) {
  const int64_t h0 = oh * p.stride[0] - p.padding[0], w0 = ow * p.stride[1] - p.padding[1];
  const Range rows = inside(0, p.kernel[0], p.dilation[0], h0, p.in.size[1]);
  const Range columns = inside(0, p.kernel[1], p.dilation[1], w0, p.in.size[2]);
  const int64_t origin = origin_of(p, oh, ow);
  const int64_t first = mark_of(p, rows.begin, columns.begin);
  const T* in = static_cast<const T*>(p.in.data) + n * p.in.batch_stride;
  T* out = static_cast<T*>(p.out.data) + offset_of(p.out, n, 0, 0, oh, ow);
  for (int64_t c = 0; c < p.channels; c += kLanes) {
    const int64_t count = at_most(kLanes, p.channels - c);
    Vec best = broadcast(-HUGE_VALF);
    IntVec marks = IntVec{} + static_cast<int32_t>(first);
    for (int64_t kh = rows.begin; kh < rows.end; ++kh) {
      for (int64_t kw = columns.begin; kw < columns.end; ++kw) {
        const T* x = in + (h0 + kh * p.dilation[0]) * p.in.stride[1] +
                     (w0 + kw * p.dilation[1]) * p.in.stride[2] + c;
        take_larger(count == kLanes ? load(x) : load_partial(x, count),
                    static_cast<int32_t>(mark_of(p, kh, kw)), best, marks);
      }
    }
    count == kLanes ? store(out + c, best) : store_partial(out + c, best, count);
    visit_positions(p.positions, offset_of(p.positions, n, c, 0, oh, ow), [&]<class P>(P* to) {
      for (int64_t i = 0; i < count; ++i) {
        to[i * p.positions.channel_stride] = static_cast<P>(origin + marks[i]);
      }
    });
  }
}

/// The gradient of the plane's elements [begin, end), all windows that reach them added in order.
template <class Compute>
void gather_band(const PoolProblem& p, int64_t n, int64_t c, int64_t begin, int64_t end) {
  alignas(64) Compute sums[kBand], scratch[kColumns];
  for (int64_t i = 0; i < end - begin; ++i) sums[i] = 0;
  const int64_t width = p.in.size[2];
  const int64_t reach = (p.kernel[0] - 1) * p.dilation[0];
  const int64_t first = begin / width + p.padding[0] - reach;
  const int64_t oh_begin = first <= 0 ? 0 : (first + p.stride[0] - 1) / p.stride[0];
  const int64_t oh_end =
      at_most(p.out.size[1], ((end - 1) / width + p.padding[0]) / p.stride[0] + 1);
  for (int64_t oh = oh_begin; oh < oh_end; ++oh) {
    for (int64_t w0 = 0; w0 < p.out.size[2]; w0 += kColumns) {
      const int64_t columns = at_most(kColumns, p.out.size[2] - w0);
      const Compute* g =
          read_run(p.out, offset_of(p.out, n, c, 0, oh, w0), p.out.stride[2], columns, scratch);
      visit_positions(p.positions, offset_of(p.positions, n, c, 0, oh, w0), [&]<class P>(P* at) {
        for (int64_t i = 0; i < columns; ++i) {
          int64_t position = at[i * p.positions.stride[2]];
          if (sizeof(P) == 1) {
            const int64_t kh = position / p.kernel[1], kw = position % p.kernel[1];
            position = (oh * p.stride[0] - p.padding[0] + kh * p.dilation[0]) * width +
                       (w0 + i) * p.stride[1] - p.padding[1] + kw * p.dilation[1];
          }
          if (position >= begin && position < end) sums[position - begin] += g[i];
        }
      });
    }
  }
  for (int64_t i = begin; i < end;) {
    const int64_t row = i / width, column = i % width;
    const int64_t count = at_most(at_most(width - column, end - i), kColumns);
    write_run(p.in, offset_of(p.in, n, c, 0, row, column), p.in.stride[2], count, scratch,
              [&](Compute* dx) {
                for (int64_t j = 0; j < count; ++j) dx[j] = sums[i - begin + j];
              });
    i += count;
  }
}

/// Rows 2 oh and 2 oh + 1 of the gradient, kLanes windows at a time; the rest of both rows too.
template <class T>
void spread_two_by_two(const PoolProblem& p, int64_t n, int64_t c, int64_t oh) {
  const T* g = static_cast<const T*>(p.out.data) + offset_of(p.out, n, c, 0, oh, 0);
  const uint8_t* at =
      static_cast<const uint8_t*>(p.positions.data) + offset_of(p.positions, n, c, 0, oh, 0);
  T* top = static_cast<T*>(p.in.data) + offset_of(p.in, n, c, 0, 2 * oh, 0);
  T* bottom = top + p.in.stride[1];
  for (int64_t ow = 0; ow < p.out.size[2]; ow += kLanes) {
    const int64_t count = at_most(kLanes, p.out.size[2] - ow);
    const Vec gradient = count == kLanes ? load(g + ow) : load_partial(g + ow, count);
    ByteVec bytes{};
    memcpy(&bytes, at + ow, count);
    const IntVec mark = __builtin_convertvector(bytes, IntVec);
    Vec a = select(mark == 0, gradient, Vec{}), b = select(mark == 1, gradient, Vec{});
    Vec e = select(mark == 2, gradient, Vec{}), f = select(mark == 3, gradient, Vec{});
    interleave(a, b);
    interleave(e, f);
    store_pair(top + 2 * ow, 2 * count, a, b);
    store_pair(bottom + 2 * ow, 2 * count, e, f);
  }
  for (int64_t w = 2 * p.out.size[2]; w < p.in.size[2]; ++w) top[w] = bottom[w] = T{};
}

/// Channels-last, windows apart from each other: the input rows from output row oh's windows to the
/// next one's.
template <class T>
void spread_row(const PoolProblem& p, int64_t n, int64_t oh) {
  const int64_t first = oh == 0 ? 0 : at_least(0, oh * p.stride[0] - p.padding[0]);
  const int64_t last =
      oh + 1 == p.out.size[1] ? p.in.size[1] : (oh + 1) * p.stride[0] - p.padding[0];
  T* plane = static_cast<T*>(p.in.data) + n * p.in.batch_stride;
  for (int64_t h = first; h < last; ++h) {
    for (int64_t w = 0; w < p.in.size[2]; ++w) {
      memset(plane + h * p.in.stride[1] + w * p.in.stride[2], 0, p.channels * sizeof(T));
    }
  }
  for (int64_t ow = 0; ow < p.out.size[2]; ++ow) {
    const T* g = static_cast<const T*>(p.out.data) + offset_of(p.out, n, 0, 0, oh, ow);
    const int64_t h0 = oh * p.stride[0] - p.padding[0], w0 = ow * p.stride[1] - p.padding[1];
    visit_positions(p.positions, offset_of(p.positions, n, 0, 0, oh, ow), [&]<class P>(P* at) {
      for (int64_t c = 0; c < p.channels; ++c) {
        const int64_t position = at[c * p.positions.channel_stride];
        const bool tap = sizeof(P) == 1;
        const int64_t h = tap ? h0 + position / p.kernel[1] : position / p.in.size[2];
        const int64_t w = tap ? w0 + position % p.kernel[1] : position % p.in.size[2];
        plane[h * p.in.stride[1] + w * p.in.stride[2] + c] = g[c];
      }
    });
  }
}

void spread_plane(const PoolProblem& p, int64_t n, int64_t c) {
  if (is_two_by_two(p) && p.in_window() && p.in.dtype == p.out.dtype) {
    visit_float(p.in.dtype, [&]<class T>(T) {
      for (int64_t oh = 0; oh < p.out.size[1]; ++oh) spread_two_by_two<T>(p, n, c, oh);
      for (int64_t h = 2 * p.out.size[1]; h < p.in.size[1]; ++h) {
        memset(static_cast<T*>(p.in.data) + offset_of(p.in, n, c, 0, h, 0), 0,
               p.in.size[2] * sizeof(T));
      }
    });
    return;
  }
  const int64_t plane = p.in.size[1] * p.in.size[2];
  for (int64_t begin = 0; begin < plane; begin += kBand) {
    const int64_t end = at_most(begin + kBand, plane);
    p.in.dtype == DType::kDouble ? gather_band<double>(p, n, c, begin, end)
                                 : gather_band<float>(p, n, c, begin, end);
  }
}

}  // namespace

void max_pool_planes(const PoolProblem& p, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) max_plane(p, i / p.channels, i % p.channels);
}

void max_pool_rows(const PoolProblem& p, int64_t begin, int64_t end) {
  visit_float(p.in.dtype, [&]<class T>(T) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t ow = 0; ow < p.out.size[2]; ++ow) {
        max_pixel<T>(p, i / p.out.size[1], i % p.out.size[1], ow);
      }
    }
  });
}

void max_pool_backward_rows(const PoolProblem& p, int64_t begin, int64_t end) {
  visit_float(p.in.dtype, [&]<class T>(T) {
    for (int64_t i = begin; i < end; ++i) spread_row<T>(p, i / p.out.size[1], i % p.out.size[1]);
  });
}

void max_pool_backward_planes(const PoolProblem& p, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) spread_plane(p, i / p.channels, i % p.channels);
}

}  // namespace npu::davinci::NPU_ISA
