// SPDX-License-Identifier: Apache-2.0
// The vector register of this build and what the cube kernels do with it: loads and stores that
// convert from and to the storage type, and in-register transposition. Kernel builds only.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace npu::davinci::NPU_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif

typedef float Vec __attribute__((vector_size(4 * kLanes)));
typedef int32_t IntVec __attribute__((vector_size(4 * kLanes)));
typedef uint32_t BitVec __attribute__((vector_size(4 * kLanes)));
typedef uint16_t ShortVec __attribute__((vector_size(2 * kLanes)));
typedef Vec UnalignedVec __attribute__((aligned(4), may_alias));
typedef IntVec UnalignedIntVec __attribute__((aligned(4), may_alias));
typedef ShortVec UnalignedShortVec __attribute__((aligned(2), may_alias));

/// Storage types of two bytes: only bits, arithmetic is always in float.
struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

[[gnu::always_inline]] inline Vec broadcast(float x) { return x - Vec{}; }

[[gnu::always_inline]] inline Vec select(IntVec mask, Vec a, Vec b) { return mask ? a : b; }

[[gnu::always_inline]] inline BitVec select(IntVec mask, BitVec a, BitVec b) {
  return mask ? a : b;
}

[[gnu::always_inline]] inline Vec load(const float* p) { return *(const UnalignedVec*)p; }

[[gnu::always_inline]] inline void store(float* p, Vec v) { *(UnalignedVec*)p = v; }

[[gnu::always_inline]] inline BitVec widen(const uint16_t* p) {
  return __builtin_convertvector(*(const UnalignedShortVec*)p, BitVec);
}

[[gnu::always_inline]] inline void narrow(uint16_t* p, BitVec v) {
  *(UnalignedShortVec*)p = __builtin_convertvector(v, ShortVec);
}

[[gnu::always_inline]] inline Vec load(const BFloat16* p) { return (Vec)(widen(&p->bits) << 16); }

[[gnu::always_inline]] inline void store(BFloat16* p, Vec v) {
  const BitVec bits = (BitVec)v;
  const BitVec rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  narrow(&p->bits, select(v != v, (bits >> 16) | 0x40, rounded));
}

#if defined(__AVX512F__)
[[gnu::always_inline]] inline Vec load(const Half* p) {
  return (Vec)_mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256((const __m256i*)p));
}
[[gnu::always_inline]] inline void store(Half* p, Vec v) {
  _mm256_storeu_si256((__m256i*)p,
                      _mm512_maskz_cvtps_ph(0xffff, (__m512)v, _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__AVX2__)
[[gnu::always_inline]] inline Vec load(const Half* p) {
  return (Vec)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)p));
}
[[gnu::always_inline]] inline void store(Half* p, Vec v) {
  _mm_storeu_si128((__m128i*)p, _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
}
#else
[[gnu::always_inline]] inline Vec load(const Half* p) {
  const BitVec bits = widen(&p->bits);
  const BitVec magnitude = (bits & 0x7fff) << 13;
  const Vec scaled = (Vec)magnitude * broadcast(0x1p112f);  // moves the exponent's bias
  const BitVec special = (BitVec)(magnitude >= 0x0f800000) & 0x7f800000;
  return (Vec)((BitVec)scaled | special | ((bits & 0x8000) << 16));
}
[[gnu::always_inline]] inline void store(Half* p, Vec v) {
  const BitVec bits = (BitVec)v, magnitude = bits & 0x7fffffff, sign = (bits >> 16) & 0x8000;
  const BitVec normal = (magnitude + 0xfff + ((magnitude >> 13) & 1) - (112u << 23)) >> 13;
  // Adding one half leaves a subnormal result, rounded, in the low mantissa bits.
  const BitVec subnormal = (BitVec)((Vec)magnitude + broadcast(0.5f)) - 0x3f000000u;
  BitVec out = select((IntVec)(magnitude < 0x38800000), subnormal, normal);
  out = select((IntVec)(magnitude >= 0x477ff000), BitVec{} + 0x7c00, out);
  out = select((IntVec)(magnitude > 0x7f800000), BitVec{} + 0x7e00, out);
  narrow(&p->bits, out | sign);
}
#endif

[[gnu::always_inline]] inline float load_one(const float* p) { return *p; }
[[gnu::always_inline]] inline void store_one(float* p, float v) { *p = v; }
[[gnu::always_inline]] inline double load_one(const double* p) { return *p; }
[[gnu::always_inline]] inline void store_one(double* p, double v) { *p = v; }
template <class T>
[[gnu::always_inline]] inline float load_one(const T* p) {
  T lanes[kLanes] = {*p};
  return load(lanes)[0];
}
template <class T>
[[gnu::always_inline]] inline void store_one(T* p, float v) {
  T lanes[kLanes];
  store(lanes, broadcast(v));
  *p = lanes[0];
}

/// The first n (< kLanes) elements, zeros behind them.
template <class T>
[[gnu::always_inline]] inline Vec load_partial(const T* p, int64_t n) {
  T lanes[kLanes] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
  return load(lanes);
}
template <class T>
[[gnu::always_inline]] inline void store_partial(T* p, Vec v, int64_t n) {
  T lanes[kLanes];
  store(lanes, v);
  for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
}

[[gnu::always_inline]] inline float sum_lanes(Vec v) {
  float lanes[kLanes];
  store(lanes, v);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

// Exchange of the off-diagonal blocks of size `step`: where a lane of the new upper (lower) row
// comes from in the pair (upper, lower), as shuffle indices.
constexpr int upper_source(int step, int lane) {
  return (lane & step) ? kLanes + lane - step : lane;
}
constexpr int lower_source(int step, int lane) {
  return (lane & step) ? kLanes + lane : lane + step;
}

template <int kStep>
[[gnu::always_inline]] inline void exchange(Vec& a, Vec& b) {
  const Vec x = a, y = b;
#define U(lane) upper_source(kStep, lane)
#define D(lane) lower_source(kStep, lane)
#if defined(__AVX512F__)
  a = __builtin_shufflevector(x, y, U(0), U(1), U(2), U(3), U(4), U(5), U(6), U(7), U(8), U(9),
                              U(10), U(11), U(12), U(13), U(14), U(15));
  b = __builtin_shufflevector(x, y, D(0), D(1), D(2), D(3), D(4), D(5), D(6), D(7), D(8), D(9),
                              D(10), D(11), D(12), D(13), D(14), D(15));
#elif defined(__AVX2__)
  a = __builtin_shufflevector(x, y, U(0), U(1), U(2), U(3), U(4), U(5), U(6), U(7));
  b = __builtin_shufflevector(x, y, D(0), D(1), D(2), D(3), D(4), D(5), D(6), D(7));
#else
  a = __builtin_shufflevector(x, y, U(0), U(1), U(2), U(3));
  b = __builtin_shufflevector(x, y, D(0), D(1), D(2), D(3));
#endif
#undef U
#undef D
}

/// (a, b) as one sequence: its even elements to a, its odd ones to b; and back.
[[gnu::always_inline]] inline void deinterleave(Vec& a, Vec& b) {
  IntVec even, odd;
  for (int i = 0; i < kLanes; ++i) {
    even[i] = 2 * i;
    odd[i] = 2 * i + 1;
  }
  const Vec x = a, y = b;
  a = __builtin_shuffle(x, y, even);
  b = __builtin_shuffle(x, y, odd);
}
[[gnu::always_inline]] inline void interleave(Vec& a, Vec& b) {
  IntVec low, high;
  for (int i = 0; i < kLanes; ++i) {
    low[i] = i / 2 + i % 2 * kLanes;
    high[i] = low[i] + kLanes / 2;
  }
  const Vec x = a, y = b;
  a = __builtin_shuffle(x, y, low);
  b = __builtin_shuffle(x, y, high);
}

template <int kStep>
[[gnu::always_inline]] inline void exchange_all(Vec (&rows)[kLanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) {
    if ((i & kStep) == 0) exchange<kStep>(rows[i], rows[i + kStep]);
  }
}

/// Transposes a kLanes x kLanes matrix held in registers.
[[gnu::always_inline]] inline void transpose(Vec (&rows)[kLanes]) {
  if constexpr (kLanes >= 16) exchange_all<8 % kLanes>(rows);
  if constexpr (kLanes >= 8) exchange_all<4 % kLanes>(rows);
  exchange_all<2>(rows);
  exchange_all<1>(rows);
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
