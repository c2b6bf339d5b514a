// SPDX-License-Identifier: Apache-2.0
// Batch norm's view of its maps: blocks of floats (doubles for float64) read from and written to
// any layout, in place where memory already has the right form. Kernel builds only.
#pragma once

#include "softnpu/davinci/cube_types.h"
#include "softnpu/davinci/kernels/matrix_any.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int64_t kNormBlock = 1024;  // elements of a channel handled at once, in L1

template <class Compute>
Compute* run_address(const ConvMap& m, int64_t offset) {
  return static_cast<Compute*>(m.data) + offset;
}

template <class F>
[[gnu::always_inline]] inline void visit_half(base::DType dtype, F&& f) {
  dtype == base::DType::kBFloat16 ? f(BFloat16{}) : f(Half{});
}

/// n elements from `offset`, `stride` apart: where they are, or copied to scratch.
inline const float* read_run(const ConvMap& m, int64_t offset, int64_t stride, int64_t n,
                             float* scratch) {
  if (m.dtype == base::DType::kFloat) {
    const float* src = run_address<float>(m, offset);
    if (stride == 1) return src;
    load_block(src, 0, stride, 1, n, scratch, n);
    return scratch;
  }
  visit_half(m.dtype, [&]<class T>(T) {
    load_block(static_cast<const T*>(m.data) + offset, 0, stride, 1, n, scratch, n);
  });
  return scratch;
}
inline const double* read_run(const ConvMap& m, int64_t offset, int64_t stride, int64_t n,
                              double* scratch) {
  const double* src = run_address<double>(m, offset);
  if (stride == 1) return src;
  for (int64_t i = 0; i < n; ++i) scratch[i] = src[i * stride];
  return scratch;
}

/// Calls fill(dst) for n elements and brings them to memory.
template <class F>
[[gnu::always_inline]] inline void write_run(const ConvMap& m, int64_t offset, int64_t stride,
                                             int64_t n, float* scratch, F&& fill) {
  if (m.dtype == base::DType::kFloat && stride == 1) return fill(run_address<float>(m, offset));
  fill(scratch);
  visit_float(m.dtype, [&]<class T>(T) {
    store_block(scratch, n, 1, n, static_cast<T*>(m.data) + offset, 0, stride);
  });
}
template <class F>
[[gnu::always_inline]] inline void write_run(const ConvMap& m, int64_t offset, int64_t stride,
                                             int64_t n, double* scratch, F&& fill) {
  double* dst = run_address<double>(m, offset);
  if (stride == 1) return fill(dst);
  fill(scratch);
  for (int64_t i = 0; i < n; ++i) dst[i * stride] = scratch[i];
}

inline int64_t offset_of(const ConvMap& m, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
  return n * m.batch_stride + c * m.channel_stride + d * m.stride[0] + h * m.stride[1] +
         w * m.stride[2];
}

/// Calls f(n, d, h, w, length) for every run of at most `most` elements along the last dimension.
template <class F>
[[gnu::always_inline]] inline void for_each_run(const ConvMap& m, int64_t batches, int64_t most,
                                                F&& f) {
  for (int64_t n = 0; n < batches; ++n) {
    for (int64_t d = 0; d < m.size[0]; ++d) {
      for (int64_t h = 0; h < m.size[1]; ++h) {
        for (int64_t w = 0; w < m.size[2]; w += most) {
          f(n, d, h, w, m.size[2] - w < most ? m.size[2] - w : most);
        }
      }
    }
  }
}

/// One number of a vector of any floating type.
inline double read_scalar(const Matrix& v, int64_t i) {
  const int64_t at = i * v.column_stride;
  if (v.dtype == base::DType::kDouble) return static_cast<const double*>(v.data)[at];
  double value = 0;
  visit_float(v.dtype, [&]<class T>(T) { value = load_one(static_cast<const T*>(v.data) + at); });
  return value;
}
inline void write_scalar(const Matrix& v, int64_t i, double value) {
  if (v.data == nullptr) return;
  const int64_t at = i * v.column_stride;
  if (v.dtype == base::DType::kDouble) {
    static_cast<double*>(v.data)[at] = value;
    return;
  }
  visit_float(v.dtype, [&]<class T>(T) {
    store_one(static_cast<T*>(v.data) + at, static_cast<float>(value));
  });
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
