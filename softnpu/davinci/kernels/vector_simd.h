// SPDX-License-Identifier: Apache-2.0
// Vectors of this build for the element-wise kernels: GCC vector extensions at the widest register
// of the instruction set, with loads, stores and lane loops. Kernel builds only; everything is in
// an anonymous namespace, so nothing leaves the object file.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci::NPU_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T>
using Vector [[gnu::vector_size(kVectorBytes)]] = T;
template <class T>
constexpr int kLanesOf = kVectorBytes / static_cast<int>(sizeof(T));

using VectorF = Vector<float>;
using VectorD = Vector<double>;
using VectorI = Vector<int32_t>;
using VectorL = Vector<int64_t>;

template <class V>
struct ElementOf;
template <>
struct ElementOf<VectorF> {
  using type = float;
};
template <>
struct ElementOf<VectorD> {
  using type = double;
};
template <>
struct ElementOf<VectorI> {
  using type = int32_t;
};
template <>
struct ElementOf<VectorL> {
  using type = int64_t;
};
template <class V>
using Element = typename ElementOf<V>::type;
template <class V>
using MaskOf = decltype(V{} < V{});
template <class V>
constexpr bool kIsFloating = static_cast<Element<V>>(0.5) != 0;

template <class T>
[[gnu::always_inline]] inline Vector<T> load(const T* p) {
  Vector<T> v;
  memcpy(&v, p, sizeof(v));
  return v;
}

template <class V>
[[gnu::always_inline]] inline void store(Element<V>* p, V v) {
  memcpy(p, &v, sizeof(v));
}

/// Set in the first n lanes.
template <class V>
[[gnu::always_inline]] inline MaskOf<V> lanes_below(int64_t n) {
  MaskOf<V> lane{};
  for (size_t i = 0; i < sizeof(V) / sizeof(lane[0]); ++i) lane[i] = static_cast<int>(i);
  return lane < static_cast<Element<MaskOf<V>>>(n);
}

/// The first n lanes from memory, the others 0.
template <class T>
[[gnu::always_inline]] inline Vector<T> load_part(const T* p, int64_t n) {
#if defined(__AVX512F__)
  const unsigned mask = (1u << n) - 1;
  if constexpr (sizeof(T) == 4) {
    return (Vector<T>)_mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask), p);
  } else {
    return (Vector<T>)_mm512_maskz_loadu_epi64(static_cast<__mmask8>(mask), p);
  }
#elif defined(__AVX2__)
  const auto mask = (__m256i)lanes_below<Vector<T>>(n);
  if constexpr (sizeof(T) == 4) {
    return (Vector<T>)_mm256_maskload_epi32(reinterpret_cast<const int*>(p), mask);
  } else {
    return (Vector<T>)_mm256_maskload_epi64(reinterpret_cast<const long long*>(p), mask);
  }
#else
  Vector<T> v{};
  for (int64_t i = 0; i < n; ++i) v[i] = p[i];
  return v;
#endif
}

template <class V>
[[gnu::always_inline]] inline void store_part(Element<V>* p, V v, int64_t n) {
#if defined(__AVX512F__)
  const unsigned mask = (1u << n) - 1;
  if constexpr (sizeof(Element<V>) == 4) {
    _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(mask), (__m512i)v);
  } else {
    _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(mask), (__m512i)v);
  }
#elif defined(__AVX2__)
  const auto mask = (__m256i)lanes_below<V>(n);
  if constexpr (sizeof(Element<V>) == 4) {
    _mm256_maskstore_epi32(reinterpret_cast<int*>(p), mask, (__m256i)v);
  } else {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), mask, (__m256i)v);
  }
#else
  for (int64_t i = 0; i < n; ++i) p[i] = v[i];
#endif
}

template <class V>
[[gnu::always_inline]] inline V splat(Element<V> x) {
  V v;
  for (size_t i = 0; i < sizeof(V) / sizeof(x); ++i) v[i] = x;
  return v;
}

/// Lane by lane, for what has no vector form.
template <class V, class F>
[[gnu::always_inline]] inline V each(V a, F f) {
  for (size_t i = 0; i < sizeof(V) / sizeof(a[0]); ++i) a[i] = f(a[i]);
  return a;
}
template <class V, class F>
[[gnu::always_inline]] inline V each(V a, V b, F f) {
  for (size_t i = 0; i < sizeof(V) / sizeof(a[0]); ++i) a[i] = f(a[i], b[i]);
  return a;
}

/// Same bits, other type.
template <class To, class From>
[[gnu::always_inline]] inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

/// True when a lane of the mask is set.
template <class M>
[[gnu::always_inline]] inline bool any(M mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256((__m256i)mask, (__m256i)mask) == 0;
#else
  auto sum = mask[0];
  for (size_t i = 1; i < sizeof(M) / sizeof(mask[0]); ++i) sum |= mask[i];
  return sum != 0;
#endif
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
