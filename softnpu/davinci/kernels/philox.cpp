// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), several
// counters a vector, and what turns its numbers into normals and mask bits.
#include "softnpu/davinci/kernels/vector_math.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

using Words = Vector<uint64_t>;  // one 32-bit word of one counter in each lane
constexpr int kCounters = kLanesOf<uint64_t>;

/// Full products of the low halves.
[[gnu::always_inline]] inline Words multiply(Words a, uint32_t m) {
#if defined(__AVX512F__)
  return (Words)_mm512_maskz_mul_epu32(0xff, (__m512i)a, _mm512_set1_epi64(m));
#elif defined(__AVX2__)
  return (Words)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(m));
#elif defined(__x86_64__)
  return (Words)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(m));
#else
  return (a & 0xffffffffu) * static_cast<uint64_t>(m);
#endif
}

/// kCounters counters, 4 * kCounters numbers. Only the low half of each lane is meaningful inside.
[[gnu::always_inline]] inline void block(uint32_t* out, Words counter, uint64_t seed) {
  Words c0 = counter, c1 = counter >> 32, c2{}, c3{};
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < kRounds; ++round) {
    const Words p0 = multiply(c0, kMultiplier0), p1 = multiply(c2, kMultiplier1);
    c0 = (p1 >> 32) ^ c1 ^ k0;
    c1 = p1;
    c2 = (p0 >> 32) ^ c3 ^ k1;
    c3 = p0;
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  const Words first = (c0 & 0xffffffffu) | (c1 << 32), second = (c2 & 0xffffffffu) | (c3 << 32);
  for (int i = 0; i < kCounters; ++i) {
    const uint64_t pair[2] = {first[i], second[i]};
    memcpy(out + 4 * i, pair, sizeof(pair));
  }
}

[[gnu::always_inline]] inline Words iota() {
  Words v{};
  for (int i = 0; i < kCounters; ++i) v[i] = static_cast<uint64_t>(i);
  return v;
}

}  // namespace

void philox(uint32_t* out, uint64_t seed, uint64_t first, int64_t counters) {
  Words counter = iota() + first;
  int64_t i = 0;
  for (; i + kCounters <= counters; i += kCounters, counter += kCounters) {
    block(out + 4 * i, counter, seed);
  }
  if (i < counters) {
    uint32_t last[4 * kCounters];
    block(last, counter, seed);
    memcpy(out + 4 * i, last, static_cast<size_t>(counters - i) * 16);
  }
}

/// Box-Muller: numbers 2j and 2j + 1 give normals 2j and 2j + 1.
void normal_from_random(float* out, const uint32_t* random, int64_t n) {
  using Numbers = Vector<uint32_t>;
  constexpr int kLanes = kLanesOf<float>;
  for (int64_t i = 0; i < n; i += 2 * kLanes) {
    const int64_t pairs = (n - i) / 2 < kLanes ? (n - i) / 2 : kLanes;
    Numbers first{}, second{};
    for (int64_t j = 0; j < pairs; ++j) {
      first[j] = random[i + 2 * j];
      second[j] = random[i + 2 * j + 1];
    }
    // (0, 1]: the logarithm stays finite.
    const VectorF u = __builtin_convertvector(first, VectorF) * 0x1p-32f + 0x1p-33f;
    const VectorF radius = square_root(-2 * logarithm(u));
    // The angle is a quarter turn (the top bits) plus a rest in [-1/8, 1/8) turns.
    const VectorI quadrant = (VectorI)((second + 0x20000000u) >> 30);
    const VectorI rest = (VectorI)(second - ((Numbers)quadrant << 30));
    const VectorF angle = __builtin_convertvector(rest, VectorF) * 1.46291807926715968e-9f;
    const VectorF sin = radius * sine_of_parts(angle, quadrant);
    const VectorF cos = radius * sine_of_parts(angle, quadrant + 1);
    for (int64_t j = 0; j < pairs; ++j) {
      out[i + 2 * j] = cos[j];
      out[i + 2 * j + 1] = sin[j];
    }
  }
}

void pack_bits_below(uint8_t* bits, const uint32_t* random, uint64_t threshold, int64_t n) {
  if (threshold > 0xffffffffu) {
    memset(bits, 0xff, static_cast<size_t>(n / 8));
    return;
  }
  const auto limit = static_cast<uint32_t>(threshold);
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    const __m512i v = _mm512_loadu_si512(random + i);
    const __mmask16 below = _mm512_cmplt_epu32_mask(v, _mm512_set1_epi32((int)limit));
    memcpy(bits + i / 8, &below, 2);
  }
#elif defined(__AVX2__)
  const __m256i flip = _mm256_set1_epi32((int)0x80000000u);
  const __m256i top = _mm256_xor_si256(_mm256_set1_epi32((int)limit), flip);
  for (; i + 8 <= n; i += 8) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(random + i));
    const __m256i below = _mm256_cmpgt_epi32(top, _mm256_xor_si256(v, flip));
    bits[i / 8] = static_cast<uint8_t>(_mm256_movemask_ps(_mm256_castsi256_ps(below)));
  }
#endif
  for (; i + 8 <= n; i += 8) {
    unsigned byte = 0;
    for (int b = 0; b < 8; ++b) byte |= static_cast<unsigned>(random[i + b] < limit) << b;
    bits[i / 8] = static_cast<uint8_t>(byte);
  }
}

void apply_bits(float* out, const float* in, const uint8_t* bits, float scale, int64_t n) {
  constexpr int kLanes = kLanesOf<float>;
  VectorI lane_bit{};
  for (int lane = 0; lane < kLanes; ++lane) lane_bit[lane] = 1 << lane;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    uint32_t word = bits[i / 8];
    if constexpr (kLanes == 16) word |= static_cast<uint32_t>(bits[i / 8 + 1]) << 8;
    if constexpr (kLanes == 4) word >>= i % 8;
    const VectorI keep = (splat<VectorI>(static_cast<int32_t>(word)) & lane_bit) != 0;
    store<VectorF>(out + i, keep ? load(in + i) * scale : VectorF{});
  }
  for (; i < n; ++i) out[i] = bits[i / 8] >> (i % 8) & 1 ? in[i] * scale : 0.0f;
}

}  // namespace npu::davinci::NPU_ISA
