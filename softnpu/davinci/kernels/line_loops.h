// SPDX-License-Identifier: Apache-2.0
// Loops over a line of contiguous elements, for kernels that need a whole line at once. Kernel
// builds only.
#pragma once

#include "softnpu/davinci/kernels/vector_simd.h"

namespace npu::davinci::NPU_ISA {
namespace {

/// f(index, vector index count) over whole vectors, then the partial one; loads give 0 beyond n.
template <class T, class F>
[[gnu::always_inline]] inline void for_vectors(int64_t begin, int64_t end, F f) {
  constexpr int kLanes = kLanesOf<T>;
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) f(i, kLanes);
  if (i < end) f(i, static_cast<int>(end - i));
}

template <class T>
[[gnu::always_inline]] inline Vector<T> load_n(const T* p, int n) {
  return n == kLanesOf<T> ? load(p) : load_part(p, n);
}
template <class T>
[[gnu::always_inline]] inline void store_n(T* p, Vector<T> v, int n) {
  if (n == kLanesOf<T>) {
    store<Vector<T>>(p, v);
  } else {
    store_part<Vector<T>>(p, v, n);
  }
}
template <class T>
[[gnu::always_inline]] inline Vector<T> first_lanes(Vector<T> v, int n) {
  return lanes_below<Vector<T>>(n) ? v : Vector<T>{};
}

/// The sum over the line of f(index, lanes), which must be 0 in lanes beyond the end.
template <class T, class F>
[[gnu::always_inline]] inline double sum_line(int64_t n, F f) {
  double total = 0;
  for (int64_t tile = 0; tile < n; tile += kTileElements) {
    Vector<T> sum{};
    for_vectors<T>(tile, tile + kTileElements < n ? tile + kTileElements : n,
                   [&](int64_t i, int lanes)
                       __attribute__((always_inline)) { sum += f(i, lanes); });
    for (int lane = 0; lane < kLanesOf<T>; ++lane) total += static_cast<double>(sum[lane]);
  }
  return total;
}

template <class T>
const T* in_type(const void* p) {
  return static_cast<const T*>(p);
}
template <class T>
T* in_type(void* p) {
  return static_cast<T*>(p);
}

/// Calls f with a value of the compute type.
template <class F>
void with_type(DType compute, F f) {
  if (compute == DType::kFloat) {
    f(float{});
  } else {
    f(double{});
  }
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
