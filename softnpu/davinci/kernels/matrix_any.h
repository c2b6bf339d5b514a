// SPDX-License-Identifier: Apache-2.0
// matrix_block.h for element types known at run time. Kernel builds only.
#pragma once

#include "softnpu/davinci/cube_types.h"
#include "softnpu/davinci/kernels/matrix_block.h"

namespace npu::davinci::NPU_ISA {
namespace {

/// Calls f(T{}) with the storage type: float, Half or BFloat16 (what the cube multiplies).
template <class F>
[[gnu::always_inline]] inline void visit_float(base::DType dtype, F&& f) {
  switch (dtype) {
    case base::DType::kHalf:
      return f(Half{});
    case base::DType::kBFloat16:
      return f(BFloat16{});
    default:
      return f(float{});
  }
}

/// dst[r * ld + c] = m[row + r, column + c].
inline void load_matrix(const Matrix& m, int64_t row, int64_t column, int64_t rows, int64_t columns,
                        float* dst, int64_t ld) {
  visit_float(m.dtype, [&]<class T>(T) {
    const T* src = static_cast<const T*>(m.data) + row * m.row_stride + column * m.column_stride;
    load_block(src, m.row_stride, m.column_stride, rows, columns, dst, ld);
  });
}

/// m[row + r, column + c] = src[r * ld + c].
inline void store_matrix(const float* src, int64_t ld, const Matrix& m, int64_t row, int64_t column,
                         int64_t rows, int64_t columns) {
  visit_float(m.dtype, [&]<class T>(T) {
    T* dst = static_cast<T*>(m.data) + row * m.row_stride + column * m.column_stride;
    store_block(src, ld, rows, columns, dst, m.row_stride, m.column_stride);
  });
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
