// SPDX-License-Identifier: Apache-2.0
// Conversions between storage types and compute types, with PyTorch's meaning on x86: floating to
// integer truncates (through int64 for unsigned types, so negative values wrap), integers wrap,
// bool is "not zero", halves round to nearest even through float.
#include "softnpu/davinci/kernels/vector_simd.h"

namespace npu::davinci::NPU_ISA {
namespace {

// Storage types that C does not have.
struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
struct Bool {
  uint8_t value;
};

template <class A, class B>
constexpr bool kSame = false;
template <class A>
constexpr bool kSame<A, A> = true;
template <class T>
constexpr bool kIsHalf = kSame<T, Half> || kSame<T, BFloat16>;

template <class T>
constexpr bool kIsFloatingType = kSame<T, float> || kSame<T, double>;
template <class T>
constexpr bool kIsUnsigned =
    kSame<T, uint8_t> || kSame<T, uint16_t> || kSame<T, uint32_t> || kSame<T, uint64_t>;

[[gnu::always_inline]] inline float widen(Half h) {
  const uint32_t magnitude = h.bits & 0x7fffu;
  // Shifted into a float's place the exponent is 112 too small; a product repairs subnormals too.
  const float scaled = bits<float>(magnitude << 13) * 0x1p112f;
  const uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return bits<float>(bits<uint32_t>(scaled) | special |
                     static_cast<uint32_t>(h.bits & 0x8000u) << 16);
}

[[gnu::always_inline]] inline void narrow(Half& h, float value) {
  const uint32_t all = bits<uint32_t>(value);
  const uint32_t magnitude = all & 0x7fffffffu;
  const uint32_t normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1)) >> 13;
  // Adding 0.5 lines a subnormal half's bits up with a float's last bits, rounded by hardware.
  const uint32_t subnormal = bits<uint32_t>(bits<float>(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x1ffu);
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;  // 65520 and above round to infinity
  result = magnitude > 0x7f800000u ? nan : result;
  h.bits = static_cast<uint16_t>(result | (all >> 16 & 0x8000u));
}

[[gnu::always_inline]] inline float widen(BFloat16 h) {
  return bits<float>(static_cast<uint32_t>(h.bits) << 16);
}
[[gnu::always_inline]] inline void narrow(BFloat16& h, float value) {
  const uint32_t all = bits<uint32_t>(value);
  const uint32_t rounded = (all + 0x7fffu + ((all >> 16) & 1)) >> 16;
  h.bits = static_cast<uint16_t>((all & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

template <class To, class From>
[[gnu::always_inline]] inline void convert_one(To& to, From from) {
  if constexpr (kIsHalf<From>) {
    convert_one(to, widen(from));
  } else if constexpr (kSame<From, Bool>) {
    convert_one(to, static_cast<int32_t>(from.value != 0));
  } else if constexpr (kIsHalf<To>) {
    narrow(to, static_cast<float>(from));
  } else if constexpr (kSame<To, Bool>) {
    to.value = from != 0;
  } else if constexpr (kIsFloatingType<From> && kIsUnsigned<To> && !kSame<To, uint64_t>) {
    to = static_cast<To>(static_cast<int64_t>(from));
  } else if constexpr (kIsFloatingType<From> && sizeof(To) < 4) {
    to = static_cast<To>(static_cast<int32_t>(from));
  } else {
    to = static_cast<To>(from);
  }
}

template <class To, class From>
void convert(void* dst, const void* src, int64_t n) {
  To* to = static_cast<To*>(dst);
  const From* from = static_cast<const From*>(src);
  if constexpr (kSame<To, From>) {
    memmove(dst, src, static_cast<size_t>(n) * sizeof(To));
    return;
  }
  int64_t i = 0;
#if defined(__AVX512F__)
  if constexpr (kSame<To, float> && kSame<From, Half>) {
    for (; i + 16 <= n; i += 16) {
      const __m256i h = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
      _mm512_storeu_ps(to + i, _mm512_maskz_cvtph_ps(0xffff, h));
    }
  } else if constexpr (kSame<To, Half> && kSame<From, float>) {
    for (; i + 16 <= n; i += 16) {
      const __m256i h = _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(from + i), 0);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), h);
    }
  }
#elif defined(__F16C__)
  if constexpr (kSame<To, float> && kSame<From, Half>) {
    for (; i + 8 <= n; i += 8) {
      const __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(h));
    }
  } else if constexpr (kSame<To, Half> && kSame<From, float>) {
    for (; i + 8 <= n; i += 8) {
      const __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), h);
    }
  }
#endif
  for (; i < n; ++i) convert_one(to[i], from[i]);
}

template <class Storage>
ConvertTile from_storage(DType to) {
  switch (to) {
    case DType::kFloat:
      return &convert<float, Storage>;
    case DType::kDouble:
      return &convert<double, Storage>;
    case DType::kInt32:
      return &convert<int32_t, Storage>;
    case DType::kInt64:
      return &convert<int64_t, Storage>;
    default:
      return nullptr;
  }
}

template <class Storage>
ConvertTile to_storage(DType from) {
  switch (from) {
    case DType::kFloat:
      return &convert<Storage, float>;
    case DType::kDouble:
      return &convert<Storage, double>;
    case DType::kInt32:
      return &convert<Storage, int32_t>;
    case DType::kInt64:
      return &convert<Storage, int64_t>;
    default:
      return nullptr;
  }
}

/// Calls f with a value of the C type that stores `dtype`; nullptr for complex and unknown types.
template <class F>
ConvertTile with_storage(DType dtype, F f) {
  switch (dtype) {
    case DType::kFloat:
      return f(float{});
    case DType::kHalf:
      return f(Half{});
    case DType::kBFloat16:
      return f(BFloat16{});
    case DType::kDouble:
      return f(double{});
    case DType::kInt8:
      return f(int8_t{});
    case DType::kUInt8:
      return f(uint8_t{});
    case DType::kInt16:
      return f(int16_t{});
    case DType::kUInt16:
      return f(uint16_t{});
    case DType::kInt32:
      return f(int32_t{});
    case DType::kUInt32:
      return f(uint32_t{});
    case DType::kInt64:
      return f(int64_t{});
    case DType::kUInt64:
      return f(uint64_t{});
    case DType::kBool:
      return f(Bool{});
    default:
      return nullptr;
  }
}

bool is_compute_type(DType t) {
  return t == DType::kFloat || t == DType::kDouble || t == DType::kInt32 || t == DType::kInt64;
}

}  // namespace

ConvertTile convert_tile(DType to, DType from) {
  if (is_compute_type(to)) {
    return with_storage(from, [to]<class S>(S) { return from_storage<S>(to); });
  }
  return with_storage(to, [from]<class S>(S) { return to_storage<S>(from); });
}

VectorTile vector_tile_float(VectorOp op);
VectorTile vector_tile_double(VectorOp op);
VectorTile vector_tile_int32(VectorOp op);
VectorTile vector_tile_int64(VectorOp op);

VectorTile vector_tile(VectorOp op, DType compute) {
  switch (compute) {
    case DType::kFloat:
      return vector_tile_float(op);
    case DType::kDouble:
      return vector_tile_double(op);
    case DType::kInt32:
      return vector_tile_int32(op);
    case DType::kInt64:
      return vector_tile_int64(op);
    default:
      return nullptr;
  }
}

}  // namespace npu::davinci::NPU_ISA
