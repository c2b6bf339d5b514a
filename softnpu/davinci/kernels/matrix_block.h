// SPDX-License-Identifier: Apache-2.0
// Moving small matrices between strided storage of any type and dense float scratch, where the
// micro-kernels work. One pair of functions serves packing, staging and epilogues. Kernel builds
// only.
#pragma once

#include "softnpu/davinci/kernels/cube_simd.h"

namespace npu::davinci::NPU_ISA {
namespace {

/// dst[r * ld + c] = src[r * row_stride + c * column_stride].
template <class T>
void load_block(const T* src, int64_t row_stride, int64_t column_stride, int64_t rows,
                int64_t columns, float* dst, int64_t ld) {
  if (column_stride == 1) {
    for (int64_t r = 0; r < rows; ++r, src += row_stride, dst += ld) {
      int64_t c = 0;
      for (; c + kLanes <= columns; c += kLanes) store(dst + c, load(src + c));
      for (; c < columns; ++c) dst[c] = load_one(src + c);
    }
    return;
  }
  int64_t full_rows = 0, full_columns = 0;
  if (row_stride == 1) {
    full_rows = rows - rows % kLanes;
    full_columns = columns - columns % kLanes;
    for (int64_t c = 0; c < full_columns; c += kLanes) {
      for (int64_t r = 0; r < full_rows; r += kLanes) {
        Vec block[kLanes];
        const T* from = src + r + c * column_stride;
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i) block[i] = load(from + i * column_stride);
        transpose(block);
        float* to = dst + r * ld + c;
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i) store(to + i * ld, block[i]);
      }
    }
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = r < full_rows ? full_columns : 0; c < columns; ++c) {
      dst[r * ld + c] = load_one(src + r * row_stride + c * column_stride);
    }
  }
}

/// dst[r * row_stride + c * column_stride] = src[r * ld + c].
template <class T>
void store_block(const float* src, int64_t ld, int64_t rows, int64_t columns, T* dst,
                 int64_t row_stride, int64_t column_stride) {
  if (column_stride == 1) {
    for (int64_t r = 0; r < rows; ++r, src += ld, dst += row_stride) {
      int64_t c = 0;
      for (; c + kLanes <= columns; c += kLanes) store(dst + c, load(src + c));
      for (; c < columns; ++c) store_one(dst + c, src[c]);
    }
    return;
  }
  int64_t full_rows = 0, full_columns = 0;
  if (row_stride == 1) {
    full_rows = rows - rows % kLanes;
    full_columns = columns - columns % kLanes;
    for (int64_t c = 0; c < full_columns; c += kLanes) {
      for (int64_t r = 0; r < full_rows; r += kLanes) {
        Vec block[kLanes];
        const float* from = src + r * ld + c;
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i) block[i] = load(from + i * ld);
        transpose(block);
        T* to = dst + r + c * column_stride;
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i) store(to + i * column_stride, block[i]);
      }
    }
  }
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = c < full_columns ? full_rows : 0; r < rows; ++r) {
      store_one(dst + r * row_stride + c * column_stride, src[r * ld + c]);
    }
  }
}

inline void clear_block(float* dst, int64_t ld, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) memset(dst + r * ld, 0, columns * sizeof(float));
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
