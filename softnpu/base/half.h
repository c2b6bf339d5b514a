// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 as scalars: exact conversions, round to nearest even, NaN stays NaN,
// overflow gives infinity, subnormals are kept. Kernels have their own vector forms; these are the
// reference.
#pragma once

#include <bit>
#include <cstdint>

namespace npu::base {

constexpr float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu;
  const uint32_t fraction = h & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in float
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

constexpr uint16_t float_to_half(float f) {
  const auto bits = std::bit_cast<uint32_t>(f);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {  // NaN: keep the payload's top bits, and quiet it
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds above max
  // Kept bits, and the bits that rounding looks at: `shift` low bits of `significand` go.
  uint32_t shift = 13;
  uint32_t significand = magnitude - 0x38000000u;  // rebiased; its carry runs into the exponent
  if (magnitude < 0x38800000u) {                   // below 2^-14: a half subnormal
    const uint32_t exponent = magnitude >> 23;
    if (exponent < 102) return sign;  // below half of the smallest subnormal
    shift = 126 - exponent;
    significand = (magnitude & 0x7fffffu) | 0x800000u;
  }
  const uint32_t kept = significand >> shift;
  const uint32_t dropped = significand & ((1u << shift) - 1);
  const uint32_t half_way = 1u << (shift - 1);
  const bool up = dropped > half_way || (dropped == half_way && (kept & 1u));
  return static_cast<uint16_t>(sign | (kept + (up ? 1 : 0)));
}

constexpr float bfloat16_to_float(uint16_t b) {
  return std::bit_cast<float>(static_cast<uint32_t>(b) << 16);
}

constexpr uint16_t float_to_bfloat16(float f) {
  const auto bits = std::bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace npu::base
