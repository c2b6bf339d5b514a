// SPDX-License-Identifier: Apache-2.0
// Vectorised float32 functions, within 2 ulp: argument reduction and minimax polynomials fitted
// for these intervals. Overloads of the templates in vector_lane_math.h. Kernel builds only.
#pragma once

#include "softnpu/davinci/kernels/vector_lane_math.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr float kLog2E = 1.44269504088896341f;
constexpr float kLn2High = 0.69287109375f;  // 11 bits: n * kLn2High is exact
constexpr float kLn2Low = 2.76086809945309e-4f;

/// c[0] + c[1] x + ...
template <class V, int n>
[[gnu::always_inline]] inline V polynomial(V x, const Element<V> (&c)[n]) {
  V sum = splat<V>(c[n - 1]);
  for (int i = n - 2; i >= 0; --i) sum = sum * x + c[i];
  return sum;
}

/// p * 2^n for whole -252 <= n <= 254; overflow and subnormals round once. Where p is NaN, n may be
/// too.
[[gnu::always_inline]] inline VectorF scale_by_power(VectorF p, VectorF power) {
#if defined(__AVX512F__)
  return (VectorF)_mm512_maskz_scalef_ps(0xffff, (__m512)p, (__m512)power);
#else
  VectorI n = __builtin_convertvector(power, VectorI);
  n = n < -252 ? splat<VectorI>(-252) : n;  // NaN
  const VectorI half = n >> 1;
  const VectorF first = bits<VectorF>((half + 127) << 23);
  const VectorF second = bits<VectorF>((n - half + 127) << 23);
  return p * first * second;
#endif
}

/// exp(r) - 1 for |r| <= ln2 / 2.
[[gnu::always_inline]] inline VectorF small_exponential_minus_1(VectorF r) {
  constexpr float kQ[] = {0.50000000522f,   0.16666666836f,   0.0416663290903f,
                          0.0083332680986f, 0.0013943104460f, 0.000199171067f};
  return r + r * r * polynomial(r, kQ);
}

/// x = n ln2 + r, with x kept where exp neither overflows nor vanishes. NaN stays in both.
struct ExponentParts {
  VectorF n, r;
};
[[gnu::always_inline]] inline ExponentParts exponent_parts(VectorF x) {
  x = x < -105.0f ? splat<VectorF>(-105.0f) : x;
  x = x > 90.0f ? splat<VectorF>(90.0f) : x;
  const VectorF rounded = round_even(x * kLog2E);
  return {rounded, (x - rounded * kLn2High) - rounded * kLn2Low};
}

[[gnu::always_inline]] inline VectorF exponential(VectorF x) {
  const ExponentParts p = exponent_parts(x);
  return scale_by_power(small_exponential_minus_1(p.r) + 1, p.n);
}

[[gnu::always_inline]] inline VectorF exponential2(VectorF x) {
  const VectorF clamped = x < -152.0f  ? splat<VectorF>(-152.0f)
                          : x > 130.0f ? splat<VectorF>(130.0f)
                                       : x;
  const VectorF rounded = round_even(clamped);
  const VectorF r = (clamped - rounded) * 0.693147180559945f;
  return scale_by_power(small_exponential_minus_1(r) + 1, rounded);
}

[[gnu::always_inline]] inline VectorF exponential_minus_1(VectorF x) {
  const ExponentParts p = exponent_parts(x);
  const VectorF small = small_exponential_minus_1(p.r);
  const VectorF n = p.n > 100.0f ? splat<VectorF>(100.0f) : p.n;
  const VectorF power = scale_by_power(VectorF{} + 1, n);
  const VectorF near = small * power + (power - 1);
  const VectorF far = scale_by_power(small + 1, p.n);
  const VectorF result = p.n > 100.0f ? far : near;
  return x == VectorF{} ? x : result;
}

/// x = m 2^e with m in [sqrt(1/2), sqrt(2)), for positive finite x; e as float.
struct LogarithmParts {
  VectorF m, e;
};
[[gnu::always_inline]] inline LogarithmParts logarithm_parts(VectorF x) {
  const VectorI tiny = x < 1.17549435e-38f;
  const VectorI i = bits<VectorI>(tiny ? x * 8388608.0f : x);
  const VectorI shifted = i - 0x3f3504f3;  // sqrt(1/2)
  const VectorI e = (shifted >> 23) - (tiny & 23);
  const VectorF m = bits<VectorF>((shifted & 0x007fffff) + 0x3f3504f3);
  return {m, __builtin_convertvector(e, VectorF)};
}

/// log(1 + f) - f for f in [sqrt(1/2) - 1, sqrt(2) - 1].
[[gnu::always_inline]] inline VectorF logarithm_tail(VectorF f) {
  constexpr float kP[] = {0.33333310447f,  -0.24999986576f, 0.20002226230f,
                          -0.16669251777f, 0.14218665364f,  -0.12384336270f,
                          0.11872916541f,  -0.11789856710f, 0.06915551525f};
  return f * f * (f * polynomial(f, kP) - 0.5f);
}

/// The values of log at 0, below 0, infinity and NaN, else `result`.
[[gnu::always_inline]] inline VectorF logarithm_edges(VectorF x, VectorF result) {
  result = x == VectorF{} ? splat<VectorF>(-infinity<float>()) : result;
  result = x < VectorF{} ? splat<VectorF>(quiet_nan<float>()) : result;
  return (x == infinity<float>()) | is_nan(x) ? x : result;
}

[[gnu::always_inline]] inline VectorF logarithm(VectorF x) {
  const LogarithmParts p = logarithm_parts(x);
  const VectorF f = p.m - 1;
  const VectorF result = (logarithm_tail(f) + p.e * kLn2Low + f) + p.e * kLn2High;
  return logarithm_edges(x, result);
}

[[gnu::always_inline]] inline VectorF logarithm2(VectorF x) {
  const LogarithmParts p = logarithm_parts(x);
  const VectorF f = p.m - 1;
  const VectorF tail = logarithm_tail(f);
  constexpr float kLow = 0.44269504088896341f;  // log2(e) - 1
  const VectorF result = (tail * kLog2E + f * kLow) + f + p.e;
  return logarithm_edges(x, result);
}

[[gnu::always_inline]] inline VectorF logarithm10(VectorF x) {
  const LogarithmParts p = logarithm_parts(x);
  const VectorF f = p.m - 1;
  const VectorF tail = logarithm_tail(f);
  constexpr float kLog10E = 0.43429448190325183f;
  constexpr float kLog10Of2High = 0.301025390625f;  // 12 bits
  constexpr float kLog10Of2Low = 4.6050389811952e-6f;
  const VectorF result = (tail * kLog10E + p.e * kLog10Of2Low + f * kLog10E) + p.e * kLog10Of2High;
  return logarithm_edges(x, result);
}

[[gnu::always_inline]] inline VectorF logarithm_of_1_plus(VectorF x) {
  // log(u) with u = 1 + x rounded, plus what the rounding lost, divided by u.
  const VectorF u = x + 1;
  const VectorF lost = x > 1.0f ? 1 - (u - x) : x - (u - 1);
  const LogarithmParts p = logarithm_parts(u);
  const VectorF f = p.m - 1;
  const VectorF correction = lost / u;
  VectorF result = (logarithm_tail(f) + (p.e * kLn2Low + correction) + f) + p.e * kLn2High;
  result = absolute(x) < 1e-8f ? x : result;
  return logarithm_edges(u, result);
}

[[gnu::always_inline]] inline VectorF hyperbolic_tangent(VectorF x) {
  constexpr float kT[] = {-0.33333284041f, 0.13331493686f, -0.05374366326f, 0.02065105157f,
                          -0.00571750448f};
  const VectorF size = absolute(x);
  const VectorF square = x * x;
  const VectorF small = copy_sign(x + x * square * polynomial(square, kT), x);  // keeps -0
  const VectorF large = copy_sign(1 - 2 / (exponential(2 * size) + 1), x);
  return size < 0.625f ? small : large;
}

[[gnu::always_inline]] inline VectorF error_function(VectorF x) {
  // erf(x) / x - 1 in powers of x^2.
  constexpr float kSmall[] = {0.12837916591f,    -0.376126271361f, 0.112836001773f,
                              -0.0268544446437f, 0.0051895354492f, -0.000802084233173f,
                              7.88912324642e-5f};
  // -log(erfc(t)) for 1 <= t <= 4.
  constexpr float kLarge[] = {-0.000188468280112f, 1.12958031321f,    0.633216394083f,
                              0.108422102015f,     -0.0252103410385f, 0.00420528515804f,
                              -0.000441472721438f, 2.1697619215e-5f};
  const VectorF size = absolute(x);
  const VectorF small = x + x * polynomial(x * x, kSmall);
  const VectorF t = size > 4.0f ? splat<VectorF>(4.0f) : size;
  const VectorF large = copy_sign(1 - exponential(-polynomial(t, kLarge)), x);
  return size < 1.0f ? small : large;
}

// Double-precision halves of a float vector: pow and the reduction of sin and cos need the bits.
using WideD [[gnu::vector_size(2 * kVectorBytes)]] = double;
using WideL [[gnu::vector_size(2 * kVectorBytes)]] = int64_t;

/// Sine of r + quadrant * pi / 2, |r| <= pi / 4.
[[gnu::always_inline]] inline VectorF sine_of_parts(VectorF r, VectorI quadrant) {
  constexpr float kSin[] = {-0.166666542316f, 0.00833213177456f, -0.000195108686018f};
  constexpr float kCos[] = {0.0416666456784f, -0.00138873070681f, 2.44313046195e-5f};
  const VectorF square = r * r;
  const VectorF sin = r + r * square * polynomial(square, kSin);
  const VectorF cos = 1 + square * (square * polynomial(square, kCos) - 0.5f);
  const VectorF value = (quadrant & 1) != 0 ? cos : sin;
  return (quadrant & 2) != 0 ? -value : value;
}

struct CircleParts {
  VectorF r;
  VectorI quadrant;
};
constexpr float kReductionLimit = 1e6f;
[[gnu::always_inline]] inline CircleParts circle_parts(VectorF x) {
  constexpr double kHalfPiHigh = 0x1.921fb544p0;  // 33 bits: exact times n < 2^20
  constexpr double kHalfPiLow = 0x1.0b4611a626331p-34;
  const VectorF inside = absolute(x) < kReductionLimit ? x : VectorF{};
  const VectorF n = round_even(inside * 0.636619772367581f);
  const WideD wide_n = __builtin_convertvector(n, WideD);
  const WideD r =
      (__builtin_convertvector(inside, WideD) - wide_n * kHalfPiHigh) - wide_n * kHalfPiLow;
  return {__builtin_convertvector(r, VectorF), __builtin_convertvector(n, VectorI)};
}

[[gnu::always_inline]] inline VectorF sine(VectorF x) {
  const CircleParts p = circle_parts(x);
  const VectorF result = x == VectorF{} ? x : sine_of_parts(p.r, p.quadrant);
  const VectorI outside = (absolute(x) < kReductionLimit) == 0;
  if (!any(outside)) [[likely]]
    return result;
  return outside ? each(x, [](float v) { return __builtin_sinf(v); }) : result;
}
[[gnu::always_inline]] inline VectorF cosine(VectorF x) {
  const CircleParts p = circle_parts(x);
  const VectorF result = sine_of_parts(p.r, p.quadrant + 1);
  const VectorI outside = (absolute(x) < kReductionLimit) == 0;
  if (!any(outside)) [[likely]]
    return result;
  return outside ? each(x, [](float v) { return __builtin_cosf(v); }) : result;
}

/// atan(t) for 0 <= t <= 1.
[[gnu::always_inline]] inline VectorF small_arc_tangent(VectorF t) {
  constexpr float kA[] = {-0.333331673679f,  0.199941455028f,   -0.142142715186f,
                          0.106791717368f,   -0.0758104878948f, 0.0435588850442f,
                          -0.0165843664369f, 0.00297536409243f};
  const VectorF square = t * t;
  return t + t * square * polynomial(square, kA);
}
constexpr float kHalfPi = 1.57079637f, kHalfPiError = -4.37113883e-8f;  // the sum is pi / 2

[[gnu::always_inline]] inline VectorF arc_tangent(VectorF x) {
  const VectorF size = absolute(x);
  const VectorI steep = size > 1.0f;
  const VectorF angle = small_arc_tangent(steep ? 1 / size : size);
  return copy_sign(steep ? kHalfPi - (angle - kHalfPiError) : angle, x);
}

[[gnu::always_inline]] inline VectorF arc_tangent2(VectorF y, VectorF x) {
  const VectorF ay = absolute(y), ax = absolute(x);
  const VectorI steep = ay > ax;
  const VectorF small = steep ? ax : ay, large = steep ? ay : ax;
  VectorF ratio = small / large;
  ratio = small == large ? VectorF{} + 1 : ratio;  // both infinite
  ratio = large == VectorF{} ? large : ratio;      // both zero
  VectorF angle = small_arc_tangent(ratio);
  angle = steep ? kHalfPi - (angle - kHalfPiError) : angle;
  angle = sign_bit(x) ? 2 * kHalfPi - (angle - 2 * kHalfPiError) : angle;
  return is_nan(x) | is_nan(y) ? x + y : copy_sign(angle, y);
}

/// log(x) for positive finite float values held as double; relative error about 1e-16.
[[gnu::always_inline]] inline WideD wide_logarithm(WideD x) {
  constexpr double kR[] = {0.66666666666667394, 0.39999999999377984, 0.28571428751301251,
                           0.22222197587557014, 0.18183618975928122, 0.15312570216507533,
                           0.14811536660371255};
  constexpr int64_t kRootBits = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  const WideL shifted = bits<WideL>(x) - kRootBits + (1024LL << 52);
  const WideL e = (shifted >> 52) - 1024;  // positive before the shift
  const WideD m = bits<WideD>(bits<WideL>(x) - (e << 52));
  const WideD s = (m - 1) / (m + 1);
  const WideD w = s * s;
  WideD sum = w * kR[6] + kR[5];
  for (int i = 4; i >= 0; --i) sum = sum * w + kR[i];
  return __builtin_convertvector(e, WideD) * 0.69314718055994531 + (2 * s + s * w * sum);
}

/// exp(x), |x| clamped to where float has been left.
[[gnu::always_inline]] inline WideD wide_exponential(WideD x) {
  constexpr double kQ[] = {0.5,
                           0.16666666666666706,
                           0.041666666666489607,
                           0.0083333333333027570,
                           0.0013888888954309904,
                           0.00019841269926905608,
                           2.4801481956321370e-5,
                           2.7557207887361426e-6};
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: its low bits hold the integer
  x = x < -250.0 ? WideD{} - 250.0 : x;
  x = x > 250.0 ? WideD{} + 250.0 : x;
  const WideD shifted = x * 1.4426950408889634 + kMagic;
  const WideD n = shifted - kMagic;
  const WideD r = (x - n * 0.69314718036912382) - n * 1.9082149292705877e-10;
  WideD sum = r * kQ[7] + kQ[6];
  for (int i = 5; i >= 0; --i) sum = sum * r + kQ[i];
  const WideL power = (bits<WideL>(shifted) << 52) + (1023LL << 52);
  return (1 + (r + r * r * sum)) * bits<WideD>(power);
}

[[gnu::always_inline]] inline VectorF power(VectorF a, VectorF b) {
  const VectorF size = absolute(a);
  const VectorF inside = (size > VectorF{}) & (size < infinity<float>()) ? size : VectorF{} + 1;
  VectorF log_edge = size == VectorF{} ? splat<VectorF>(-infinity<float>()) : VectorF{};
  log_edge = size == infinity<float>() ? size : log_edge;
  const WideD log = wide_logarithm(__builtin_convertvector(inside, WideD)) +
                    __builtin_convertvector(log_edge, WideD);
  const WideD product = __builtin_convertvector(b, WideD) * log;
  VectorF result = __builtin_convertvector(wide_exponential(product), VectorF);

  const VectorI whole = round_even(b) == b;
  const VectorI odd = whole & (round_even(b * 0.5f) != b * 0.5f);
  result = odd & sign_bit(a) ? -result : result;
  const VectorI undefined = (a < VectorF{}) & (size != infinity<float>()) & ~whole;
  result = undefined | is_nan(a) | is_nan(b) ? splat<VectorF>(quiet_nan<float>()) : result;
  const VectorI one = (b == VectorF{}) | (a == 1.0f) | ((size == 1.0f) & is_inf(b));
  return one ? VectorF{} + 1 : result;
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
