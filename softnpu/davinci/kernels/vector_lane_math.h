// SPDX-License-Identifier: Apache-2.0
// Mathematical functions as templates over any vector: the C library lane by lane, and what needs
// no library. vector_float_math.h overloads the frequent ones for float. Kernel builds only.
#pragma once

#include "softnpu/davinci/kernels/vector_simd.h"

namespace npu::davinci::NPU_ISA {
namespace {

template <class T>
constexpr T infinity() {
  return static_cast<T>(__builtin_inf());
}
template <class T>
constexpr T quiet_nan() {
  return static_cast<T>(__builtin_nan(""));
}

template <class V>
[[gnu::always_inline]] inline MaskOf<V> is_nan(V a) {
  return a != a;
}
template <class V>
[[gnu::always_inline]] inline MaskOf<V> sign_bit(V a) {
  return bits<MaskOf<V>>(a) < MaskOf<V>{};
}
template <class V>
[[gnu::always_inline]] inline V absolute(V a) {
  if constexpr (kIsFloating<V>) {
    constexpr auto kSign = static_cast<Element<MaskOf<V>>>(1ull << (8 * sizeof(Element<V>) - 1));
    return bits<V>(bits<MaskOf<V>>(a) & ~kSign);
  } else {
    return a < V{} ? -a : a;
  }
}
template <class V>
[[gnu::always_inline]] inline V copy_sign(V a, V sign) {
  using M = MaskOf<V>;
  const M top = splat<M>(static_cast<Element<M>>(1ull << (8 * sizeof(Element<V>) - 1)));
  return bits<V>((bits<M>(a) & ~top) | (bits<M>(sign) & top));
}
template <class V>
[[gnu::always_inline]] inline MaskOf<V> is_inf(V a) {
  return absolute(a) == V{} + infinity<Element<V>>();
}

/// NaN wins in both.
template <class V>
[[gnu::always_inline]] inline V maximum(V a, V b) {
  return (a > b) | is_nan(a) ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V minimum(V a, V b) {
  return (a < b) | is_nan(a) ? a : b;
}

/// Nearest integer, halves to even: adding and subtracting 2^mantissa rounds in hardware.
template <class V>
[[gnu::always_inline]] inline V round_even(V a) {
  using T = Element<V>;
  constexpr T kLimit = sizeof(T) == 4 ? T(8388608.0) : T(4503599627370496.0);
  const V size = absolute(a);
  const V rounded = (size + kLimit) - kLimit;
  return size < kLimit ? copy_sign(rounded, a) : a;
}
#if defined(__AVX512F__)
[[gnu::always_inline]] inline VectorF round_even(VectorF a) {
  return (VectorF)_mm512_maskz_roundscale_ps(0xffff, (__m512)a, _MM_FROUND_TO_NEAREST_INT);
}
#elif defined(__AVX2__)
[[gnu::always_inline]] inline VectorF round_even(VectorF a) {
  return (VectorF)_mm256_round_ps((__m256)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#endif
template <class V>
[[gnu::always_inline]] inline V round_down(V a) {
  const V r = round_even(a);
  return r > a ? copy_sign(r - 1, a) : r;
}
template <class V>
[[gnu::always_inline]] inline V round_up(V a) {
  const V r = round_even(a);
  return r < a ? copy_sign(r + 1, a) : r;
}
template <class V>
[[gnu::always_inline]] inline V round_to_zero(V a) {
  return copy_sign(round_down(absolute(a)), a);
}

#if defined(__AVX512F__)
[[gnu::always_inline]] inline VectorF square_root(VectorF a) {
  return (VectorF)_mm512_maskz_sqrt_ps(0xffff, (__m512)a);
}
[[gnu::always_inline]] inline VectorD square_root(VectorD a) {
  return (VectorD)_mm512_maskz_sqrt_pd(0xff, (__m512d)a);
}
#elif defined(__AVX2__)
[[gnu::always_inline]] inline VectorF square_root(VectorF a) {
  return (VectorF)_mm256_sqrt_ps((__m256)a);
}
[[gnu::always_inline]] inline VectorD square_root(VectorD a) {
  return (VectorD)_mm256_sqrt_pd((__m256d)a);
}
#else
template <class V>
[[gnu::always_inline]] inline V square_root(V a) {
  return each(a, [](auto x) {
    return sizeof(x) == 4 ? __builtin_sqrtf(x) : static_cast<Element<V>>(__builtin_sqrt(x));
  });
}
#endif

// name(a) = the C library's function on every lane.
#define NPU_LANES(name, function)                                       \
  template <class V>                                                    \
  [[gnu::always_inline]] inline V name(V a) {                           \
    return each(a, [](Element<V> x) -> Element<V> {                     \
      return sizeof(x) == 4 ? function##f(x) : Element<V>(function(x)); \
    });                                                                 \
  }
#define NPU_LANES2(name, function)                                            \
  template <class V>                                                          \
  [[gnu::always_inline]] inline V name(V a, V b) {                            \
    return each(a, b, [](Element<V> x, Element<V> y) -> Element<V> {          \
      return sizeof(x) == 4 ? function##f(x, y) : Element<V>(function(x, y)); \
    });                                                                       \
  }
NPU_LANES(exponential, __builtin_exp)
NPU_LANES(exponential2, __builtin_exp2)
NPU_LANES(exponential_minus_1, __builtin_expm1)
NPU_LANES(logarithm, __builtin_log)
NPU_LANES(logarithm2, __builtin_log2)
NPU_LANES(logarithm10, __builtin_log10)
NPU_LANES(logarithm_of_1_plus, __builtin_log1p)
NPU_LANES(sine, __builtin_sin)
NPU_LANES(cosine, __builtin_cos)
NPU_LANES(tangent, __builtin_tan)
NPU_LANES(arc_sine, __builtin_asin)
NPU_LANES(arc_cosine, __builtin_acos)
NPU_LANES(arc_tangent, __builtin_atan)
NPU_LANES(hyperbolic_sine, __builtin_sinh)
NPU_LANES(hyperbolic_cosine, __builtin_cosh)
NPU_LANES(hyperbolic_tangent, __builtin_tanh)
NPU_LANES(area_sine, __builtin_asinh)
NPU_LANES(area_cosine, __builtin_acosh)
NPU_LANES(area_tangent, __builtin_atanh)
NPU_LANES(error_function, __builtin_erf)
NPU_LANES(log_gamma, __builtin_lgamma)
NPU_LANES2(arc_tangent2, __builtin_atan2)
NPU_LANES2(hypotenuse, __builtin_hypot)
NPU_LANES2(next_after, __builtin_nextafter)
NPU_LANES2(library_power, __builtin_pow)
#undef NPU_LANES
// The C library's float form is off by more than 2 ulp.
template <class V>
[[gnu::always_inline]] inline V error_function_complement(V a) {
  return each(a, [](Element<V> x) { return static_cast<Element<V>>(__builtin_erfc(x)); });
}
#undef NPU_LANES2

}  // namespace
}  // namespace npu::davinci::NPU_ISA
