// SPDX-License-Identifier: Apache-2.0
// The cube: c[kRows][kPanel] (+)= a * b with all of c in registers. b is a panel of kPanel columns;
// a comes in one of two shapes. Kernel builds only.
#pragma once

#include "softnpu/davinci/kernels/cube_simd.h"

namespace npu::davinci::NPU_ISA {
namespace {

// 16 (12, 8) accumulators hide the latency of two FMA units and leave registers for operands.
#if defined(__AVX512F__)
constexpr int kTileRows = 8;
#elif defined(__AVX2__)
constexpr int kTileRows = 6;
#else
constexpr int kTileRows = 4;
#endif
constexpr int kPanel = 2 * kLanes;

template <int kRows>
struct Accumulators {
  Vec value[kRows][2];

  [[gnu::always_inline]] void clear() {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) value[r][0] = value[r][1] = Vec{};
  }
  [[gnu::always_inline]] void flush(float* c, int64_t ldc, bool accumulate) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r, c += ldc) {
      if (accumulate) {
        value[r][0] += load(c);
        value[r][1] += load(c + kLanes);
      }
      store(c, value[r][0]);
      store(c + kLanes, value[r][1]);
    }
  }
};

/// Rows of a are contiguous in k, in pieces: the k-th element of piece s of row r is
/// a[r][offsets[s] + k], k < length. This is a matrix (one piece) or the windows of a convolution.
/// The next row of b is b_stride further.
template <int kRows>
[[gnu::always_inline]] inline void multiply_rows(const float* const* a, const int64_t* offsets,
                                                 int64_t pieces, int64_t length, const float* b,
                                                 int64_t b_stride, float* c, int64_t ldc,
                                                 bool accumulate) {
  Accumulators<kRows> sum;
  sum.clear();
  const float* row[kRows];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    row[r] = a[r];
    __builtin_prefetch(c + r * ldc, 1);
    __builtin_prefetch(c + r * ldc + kPanel - 1, 1);
  }
  for (int64_t s = 0; s < pieces; ++s) {
    const int64_t begin = offsets[s], end = begin + length;
    for (int64_t k = begin; k < end; ++k, b += b_stride) {
      const Vec b0 = load(b), b1 = load(b + kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const Vec x = broadcast(row[r][k]);
        sum.value[r][0] += x * b0;
        sum.value[r][1] += x * b1;
      }
    }
  }
  sum.flush(c, ldc, accumulate);
}

/// The k-th column of a is contiguous: element r of column k is a[k * a_stride + r]. The columns
/// come in `pieces` groups of `length`, a_skip and b_skip apart (the rows of an image).
template <int kRows>
[[gnu::always_inline]] inline void multiply_columns(const float* a, int64_t a_stride,
                                                    int64_t a_skip, const float* b,
                                                    int64_t b_stride, int64_t b_skip,
                                                    int64_t pieces, int64_t length, float* c,
                                                    int64_t ldc, bool accumulate) {
  Accumulators<kRows> sum;
  sum.clear();
  for (int64_t s = 0; s < pieces; ++s) {
    const float *ak = a + s * a_skip, *bk = b + s * b_skip;
    for (int64_t k = 0; k < length; ++k, ak += a_stride, bk += b_stride) {
      const Vec b0 = load(bk), b1 = load(bk + kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const Vec x = broadcast(ak[r]);
        sum.value[r][0] += x * b0;
        sum.value[r][1] += x * b1;
      }
    }
  }
  sum.flush(c, ldc, accumulate);
}

constexpr int smaller(int a, int b) { return a < b ? a : b; }

/// Calls f.template operator()<kRows>() with kRows = rows, 1 <= rows <= kMost.
template <int kMost = kTileRows, class F>
[[gnu::always_inline]] inline void with_rows(int64_t rows, F&& f) {
  static_assert(kMost <= 8);
  switch (rows) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<smaller(kMost, 2)>();
    case 3:
      return f.template operator()<smaller(kMost, 3)>();
    case 4:
      return f.template operator()<smaller(kMost, 4)>();
    case 5:
      return f.template operator()<smaller(kMost, 5)>();
    case 6:
      return f.template operator()<smaller(kMost, 6)>();
    case 7:
      return f.template operator()<smaller(kMost, 7)>();
    default:
      return f.template operator()<kMost>();
  }
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
