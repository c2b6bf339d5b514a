// SPDX-License-Identifier: Apache-2.0
// The helpers that formulas in vector_ops.def call, over any vector V of the four compute types.
// Kernel builds only.
#pragma once

#include "softnpu/davinci/kernels/vector_float_math.h"

namespace npu::davinci::NPU_ISA {
namespace {

/// 1 where the mask is set, else 0, in the vector type whose comparison gives that mask.
template <class V>
[[gnu::always_inline]] inline V flag_as(MaskOf<V> mask) {
  return mask ? V{} + 1 : V{};
}

// Integer division by zero gives 0 (the processor would trap); the smallest value divided by -1
// wraps.
template <class T>
[[gnu::always_inline]] inline T quotient(T a, T b) {
  return b == 0 ? 0 : b == -1 ? -a : a / b;
}

template <class V>
[[gnu::always_inline]] inline V divide_trunc(V a, V b) {
  using T = Element<V>;
  if constexpr (kIsFloating<V>) {
    return round_to_zero(a / b);
  } else {
    return each(a, b, [](T x, T y) -> T { return quotient(x, y); });
  }
}

template <class T>
[[gnu::always_inline]] inline T float_remainder(T a, T b) {
  return sizeof(T) == 4 ? __builtin_fmodf(a, b) : static_cast<T>(__builtin_fmod(a, b));
}

template <class V>
[[gnu::always_inline]] inline V divide_floor(V a, V b) {
  using T = Element<V>;
  return each(a, b, [](T x, T y) -> T {
    if constexpr (kIsFloating<V>) {
      // The quotient's floor is taken after the exact remainder is removed, so that rounding in
      // x / y cannot carry it over an integer.
      if (y == 0) return x / y;
      const T rest = float_remainder(x, y);
      T q = (x - rest) / y;
      if (rest != 0 && (y < 0) != (rest < 0)) q -= 1;
      if (q == 0) return __builtin_copysign(T(0), x / y);
      const T floor = static_cast<T>(__builtin_floor(q));
      return q - floor > T(0.5) ? floor + 1 : floor;
    } else {
      const T q = quotient(x, y);
      return y != 0 && y != -1 && x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
    }
  });
}

template <class V>
[[gnu::always_inline]] inline V remainder_trunc(V a, V b) {
  using T = Element<V>;
  return each(a, b, [](T x, T y) -> T {
    if constexpr (kIsFloating<V>) {
      return float_remainder(x, y);
    } else {
      return y == 0 || y == -1 ? 0 : x % y;
    }
  });
}

template <class V>
[[gnu::always_inline]] inline V remainder_floor(V a, V b) {
  const V rest = remainder_trunc(a, b);
  return (rest != V{}) & ((rest < V{}) != (b < V{})) ? rest + b : rest;
}

template <class V>
[[gnu::always_inline]] inline V integer_power(V a, V b) {
  using T = Element<V>;
  return each(a, b, [](T base, T exponent) -> T {
    if (exponent < 0) {  // only 1 and -1 have integer inverses
      return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
    }
    T result = 1;
    for (; exponent != 0; exponent >>= 1, base *= base) {
      if (exponent & 1) result *= base;
    }
    return result;
  });
}
[[gnu::always_inline]] inline VectorI power(VectorI a, VectorI b) { return integer_power(a, b); }
[[gnu::always_inline]] inline VectorL power(VectorL a, VectorL b) { return integer_power(a, b); }
[[gnu::always_inline]] inline VectorD power(VectorD a, VectorD b) { return library_power(a, b); }

template <class V>
[[gnu::always_inline]] inline V greatest_common_divisor(V a, V b) {
  using T = Element<V>;
  return each(a, b, [](T x, T y) -> T {
    while (y != 0) {
      const T rest = y == -1 ? 0 : x % y;
      x = y;
      y = rest;
    }
    return x < 0 ? -x : x;
  });
}

/// Shifts outside [0, bits) give 0.
template <class V>
[[gnu::always_inline]] inline V shift_left(V a, V b, V bits_of_type) {
  const MaskOf<V> outside = (b < V{}) | (b >= bits_of_type);
  return outside ? V{} : a << (outside ? V{} : b);
}
/// Shifts outside [0, value_bits) give the sign.
template <class V>
[[gnu::always_inline]] inline V shift_right(V a, V b, V value_bits) {
  return a >> ((b < V{}) | (b >= value_bits) ? value_bits : b);
}

/// Through exp(-|a|), which never overflows: small results keep their digits.
template <class V>
[[gnu::always_inline]] inline V sigmoid(V a) {
  const V e = exponential(-absolute(a));
  return (a < V{} ? e : V{} + 1) / (1 + e);
}
template <class V>
[[gnu::always_inline]] inline V softplus(V a) {
  return maximum(a, V{}) + logarithm_of_1_plus(exponential(-absolute(a)));
}
template <class V>
[[gnu::always_inline]] inline V logit(V a) {
  return logarithm(a / (1 - a));
}
template <class V>
[[gnu::always_inline]] inline V normalized_sinc(V a) {
  const V x = a * Element<V>(3.14159265358979324);
  return a == V{} ? V{} + 1 : sine(x) / x;
}

/// Probability below x of the standard normal distribution, and its density.
template <class V>
[[gnu::always_inline]] inline V normal_cdf(V x) {
  using T = Element<V>;
  return T(0.5) * (1 + error_function(x * T(0.70710678118654752)));
}
template <class V>
[[gnu::always_inline]] inline V normal_pdf(V x) {
  using T = Element<V>;
  return exponential(x * x * T(-0.5)) * T(0.39894228040143268);
}

/// The argument of tanh in GELU's tanh form, so that 0.5 (1 + tanh(u)) = sigmoid(2 u).
template <class V>
[[gnu::always_inline]] inline V gelu_inner(V x) {
  using T = Element<V>;
  return T(0.79788456080286536) * (x + T(0.044715) * x * x * x);
}
template <class V>
[[gnu::always_inline]] inline V gelu_tanh_backward(V grad, V x) {
  using T = Element<V>;
  const V s = sigmoid(2 * gelu_inner(x));
  const V slope = T(0.79788456080286536) * (1 + 3 * T(0.044715) * x * x);
  return grad * (s + x * 2 * s * (1 - s) * slope);
}
template <class V>
[[gnu::always_inline]] inline V silu_backward(V grad, V x) {
  const V s = sigmoid(x);
  return grad * s * (1 + x * (1 - s));
}
template <class V>
[[gnu::always_inline]] inline V mish_backward(V grad, V x) {
  const V t = hyperbolic_tangent(softplus(x));
  return grad * (t + x * sigmoid(x) * (1 - t * t));
}

/// Inverse of erf: a closed-form start (Winitzki's) and Newton steps in double.
template <class V>
[[gnu::always_inline]] inline V inverse_error_function(V a) {
  using T = Element<V>;
  return each(a, [](T value) -> T {
    const double y = value;
    if (!(y > -1 && y < 1)) {
      return y == 1 ? infinity<T>() : y == -1 ? -infinity<T>() : quiet_nan<T>();
    }
    const double l = __builtin_log1p(-y * y), k = 4.3307467508 + l / 2;
    double x = __builtin_copysign(__builtin_sqrt(__builtin_sqrt(k * k - l * 6.8027210884) - k), y);
    for (int i = 0; i < 4; ++i) {
      // Near 1, erfc keeps the digits that erf has lost.
      const double error = y > 0.5    ? (1 - y) - __builtin_erfc(x)
                           : y < -0.5 ? __builtin_erfc(-x) - (1 + y)
                                      : __builtin_erf(x) - y;
      x -= error / (1.1283791670955126 * __builtin_exp(-x * x));
    }
    return static_cast<T>(x);
  });
}

/// Derivative of log gamma: recurrence up to 10, then the asymptotic series; reflection below 0.
template <class V>
[[gnu::always_inline]] inline V digamma(V a) {
  using T = Element<V>;
  return each(a, [](T value) -> T {
    double x = value;
    if (x == 0) return static_cast<T>(__builtin_copysign(__builtin_inf(), -x));
    double result = 0;
    if (x < 0) {
      const double fraction = x - __builtin_rint(x);
      if (fraction == 0) return quiet_nan<T>();
      result = -3.14159265358979324 / __builtin_tan(3.14159265358979324 * fraction);
      x = 1 - x;
    }
    for (; x < 10; x += 1) result -= 1 / x;
    const double w = 1 / (x * x);
    const double series =
        w * (1.0 / 12 -
             w * (1.0 / 120 -
                  w * (1.0 / 252 - w * (1.0 / 240 - w * (1.0 / 132 - w * (691.0 / 32760))))));
    return static_cast<T>(result + __builtin_log(x) - 0.5 / x - series);
  });
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
