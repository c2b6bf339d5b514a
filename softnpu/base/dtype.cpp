// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/dtype.h"

namespace npu::base {
namespace {

struct Row {
  DType dtype;
  uint8_t bytes;
  const char* name;
};

constexpr Row kRows[] = {
    {DType::kUndefined, 0, "undefined"},
    {DType::kFloat, 4, "float32"},
    {DType::kHalf, 2, "float16"},
    {DType::kInt8, 1, "int8"},
    {DType::kInt32, 4, "int32"},
    {DType::kUInt8, 1, "uint8"},
    {DType::kInt16, 2, "int16"},
    {DType::kUInt16, 2, "uint16"},
    {DType::kUInt32, 4, "uint32"},
    {DType::kInt64, 8, "int64"},
    {DType::kUInt64, 8, "uint64"},
    {DType::kDouble, 8, "float64"},
    {DType::kBool, 1, "bool"},
    {DType::kComplex64, 8, "complex64"},
    {DType::kComplex128, 16, "complex128"},
    {DType::kBFloat16, 2, "bfloat16"},
    {DType::kUInt1, 1, "uint1"},
    {DType::kComplex32, 4, "complex32"},
};

constexpr const Row* row_of(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

// Values are below 64, so sizes are one indexed load on the hot path.
constexpr auto kSizes = [] {
  struct {
    uint8_t of[64] = {};
  } sizes;
  for (const Row& row : kRows) {
    if (row.dtype != DType::kUndefined) sizes.of[static_cast<int>(row.dtype)] = row.bytes;
  }
  return sizes;
}();

}  // namespace

size_t size_of(DType dtype) {
  const auto value = static_cast<uint8_t>(dtype);
  return value < 64 ? kSizes.of[value] : 0;
}

const char* name_of(DType dtype) {
  const Row* row = row_of(dtype);
  return row ? row->name : "unknown";
}

}  // namespace npu::base
