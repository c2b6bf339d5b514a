// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace npu::base {
namespace {

// By IEEE 754's definition, not by bits: the reference that the conversions are held to.
double value_of(uint16_t bits, int exponent_bits, int fraction_bits) {
  const int sign = bits >> 15;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction = bits & ((1 << fraction_bits) - 1);
  double magnitude = 0;
  if (exponent == (1 << exponent_bits) - 1) {
    magnitude = fraction != 0 ? std::nan("") : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    magnitude = std::ldexp(1 + std::ldexp(fraction, -fraction_bits), exponent - bias);
  }
  return sign ? -magnitude : magnitude;
}

struct Format {
  const char* name;
  int exponent_bits, fraction_bits;
  float (*decode)(uint16_t);
  uint16_t (*encode)(float);
  double overflow;  // from here on, infinity
};

class HalfTest : public testing::TestWithParam<Format> {};

TEST_P(HalfTest, EveryValueDecodesByDefinitionAndComesBack) {
  const Format& f = GetParam();
  for (int i = 0; i <= 0xffff; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const double expected = value_of(bits, f.exponent_bits, f.fraction_bits);
    const float decoded = f.decode(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(decoded));
      EXPECT_TRUE(std::isnan(f.decode(f.encode(decoded)))) << i;
    } else {
      EXPECT_EQ(static_cast<double>(decoded), expected) << i;
      EXPECT_EQ(f.encode(decoded), bits) << i;
    }
  }
}

TEST_P(HalfTest, RoundsToNearestTiesToEven) {
  const Format& f = GetParam();
  const auto infinity = static_cast<uint16_t>(((1 << f.exponent_bits) - 1) << f.fraction_bits);
  for (uint16_t bits = 0; bits + 1 < infinity; ++bits) {
    const double low = value_of(bits, f.exponent_bits, f.fraction_bits);
    const double high = value_of(bits + 1, f.exponent_bits, f.fraction_bits);
    const auto middle = static_cast<float>((low + high) / 2);
    const uint16_t even = bits % 2 == 0 ? bits : static_cast<uint16_t>(bits + 1);
    ASSERT_EQ(f.encode(middle), even) << bits;
    ASSERT_EQ(f.encode(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(f.encode(std::nextafter(middle, std::numeric_limits<float>::infinity())), bits + 1);
    ASSERT_EQ(f.encode(-middle), even | 0x8000);
  }
}

TEST_P(HalfTest, OverflowGivesInfinityAndNanStays) {
  const Format& f = GetParam();
  const auto limit = static_cast<float>(f.overflow);
  EXPECT_TRUE(std::isinf(f.decode(f.encode(limit))));
  EXPECT_FALSE(std::isinf(f.decode(f.encode(std::nextafter(limit, 0.0f)))));
  EXPECT_EQ(f.decode(f.encode(-std::numeric_limits<float>::infinity())),
            -std::numeric_limits<float>::infinity());
  // A NaN whose payload lies only in bits that are cut off must not become an infinity.
  EXPECT_TRUE(std::isnan(f.decode(f.encode(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(f.decode(f.encode(std::bit_cast<float>(0xff800001u)))));
}

TEST_P(HalfTest, RandomFloatsAreNeverFurtherThanTheirNeighbours) {
  const Format& f = GetParam();
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isnan(value) || std::fabs(static_cast<double>(value)) >= f.overflow) continue;
    const uint16_t bits = f.encode(value);
    const double error = std::fabs(f.decode(bits) - static_cast<double>(value));
    for (int step : {-1, 1}) {
      const double other = f.decode(static_cast<uint16_t>(bits + step));
      if (!std::isfinite(other)) continue;
      ASSERT_LE(error, std::fabs(other - value)) << value;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, HalfTest,
    testing::Values(Format{"float16", 5, 10, half_to_float, float_to_half, 65520.0},
                    Format{"bfloat16", 8, 7, bfloat16_to_float, float_to_bfloat16, 0x1.ffp127}),
    [](const auto& info) { return info.param.name; });

static_assert(float_to_half(1.0f) == 0x3c00 && half_to_float(0x3555) < 0.33334f);

}  // namespace
}  // namespace npu::base
