// SPDX-License-Identifier: Apache-2.0
// Element types, with CANN's aclDataType values (so a cast is the whole conversion), their sizes
// and names, and Scalar: one number with its type.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npu::base {

enum class DType : int8_t {
  kUndefined = -1,
  kFloat = 0,
  kHalf = 1,
  kInt8 = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 6,
  kUInt16 = 7,
  kUInt32 = 8,
  kInt64 = 9,
  kUInt64 = 10,
  kDouble = 11,
  kBool = 12,
  kComplex64 = 16,
  kComplex128 = 17,
  kBFloat16 = 27,
  kUInt1 = 30,  // packed bits: dropout masks
  kComplex32 = 33,
};

/// Bytes of one element; 0 for kUndefined and unknown types. kUInt1 counts as 1 (eight elements).
size_t size_of(DType dtype);
/// PyTorch's and CANN's common name, e.g. "float16"; "dtype(42)" style text is never returned:
/// unknown types give "unknown".
const char* name_of(DType dtype);

constexpr bool is_floating(DType t) {
  return t == DType::kFloat || t == DType::kHalf || t == DType::kBFloat16 || t == DType::kDouble;
}
constexpr bool is_complex(DType t) {
  return t == DType::kComplex64 || t == DType::kComplex128 || t == DType::kComplex32;
}
constexpr bool is_integral(DType t) { return !is_floating(t) && !is_complex(t); }

/// A number: floats (and bool, complex' real part) in `f`, integers exactly in `i`; both are
/// filled.
struct Scalar {
  DType dtype = DType::kFloat;
  double f = 0;
  int64_t i = 0;
  double imag = 0;

  static constexpr Scalar of(double v) { return {DType::kDouble, v, static_cast<int64_t>(v), 0}; }
  static constexpr Scalar of_int(int64_t v) {
    return {DType::kInt64, static_cast<double>(v), v, 0};
  }
};

}  // namespace npu::base
