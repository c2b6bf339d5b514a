// SPDX-License-Identifier: Apache-2.0
// Batch norm over one line of a channel. Sums run per tile in vectors and continue in double. The
// centre is rounded to the compute type once; what rounding took away is made up for in double.
#include "softnpu/davinci/kernels/line_loops.h"

namespace npu::davinci::NPU_ISA {

void batch_norm_line(DType compute, void* out, const void* in, int64_t n, double centre,
                     double scale, double shift) {
  with_type(compute, [&]<class T>(T) {
    const T* x = in_type<T>(in);
    T* y = in_type<T>(out);
    const T c = static_cast<T>(centre), a = static_cast<T>(scale);
    const T b = static_cast<T>(shift + (static_cast<double>(c) - centre) * scale);
    for_vectors<T>(0, n, [&](int64_t i, int lanes) {
      store_n<T>(y + i, (load_n(x + i, lanes) - c) * a + b, lanes);
    });
  });
}

void batch_norm_sums_line(DType compute, const void* grad_out, const void* in, int64_t n,
                          double centre, double* sum, double* dot) {
  with_type(compute, [&]<class T>(T) {
    const T* x = in_type<T>(in);
    const T* g = in_type<T>(grad_out);
    const T c = static_cast<T>(centre);
    double total = 0, total_dot = 0;
    for (int64_t tile = 0; tile < n; tile += kTileElements) {
      const int64_t end = tile + kTileElements < n ? tile + kTileElements : n;
      Vector<T> sums{}, dots{};
      for_vectors<T>(tile, end, [&](int64_t i, int lanes) {
        const Vector<T> gradient = load_n(g + i, lanes);  // 0 beyond the end
        sums += gradient;
        dots += gradient * (load_n(x + i, lanes) - c);
      });
      for (int lane = 0; lane < kLanesOf<T>; ++lane) {
        total += static_cast<double>(sums[lane]);
        total_dot += static_cast<double>(dots[lane]);
      }
    }
    *sum += total;
    *dot += total_dot + (static_cast<double>(c) - centre) * total;
  });
}

void batch_norm_backward_line(DType compute, void* grad_in, const void* grad_out, const void* in,
                              int64_t n, double centre, double a, double b, double c) {
  with_type(compute, [&]<class T>(T) {
    const T* x = in_type<T>(in);
    const T* g = in_type<T>(grad_out);
    T* d = in_type<T>(grad_in);
    const T m = static_cast<T>(centre), fa = static_cast<T>(a), fb = static_cast<T>(b);
    const T fc = static_cast<T>(c + (static_cast<double>(m) - centre) * b);
    for_vectors<T>(0, n, [&](int64_t i, int lanes) {
      const Vector<T> gradient = load_n(g + i, lanes);
      store_n<T>(d + i, gradient * fa + (load_n(x + i, lanes) - m) * fb + fc, lanes);
    });
  });
}

}  // namespace npu::davinci::NPU_ISA
