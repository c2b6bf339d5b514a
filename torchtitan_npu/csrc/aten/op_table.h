// SPDX-License-Identifier: Apache-2.0
// The operator table as data: which ATen overload calls which aclnn operator, for which element
// types. Filled while the rows of ops_*.inc register, read-only afterwards.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/macros/Export.h>

#include <cstdint>
#include <vector>

namespace torchtitan_npu {

// Element types of a row's inputs, as bits. A row's set is what CPU parity is tested for; CANN has
// the last word on what it takes.
using DTypes = uint32_t;
constexpr DTypes dtype_bit(at::ScalarType type) { return DTypes{1} << static_cast<int>(type); }
constexpr DTypes kFloats = dtype_bit(at::kFloat) | dtype_bit(at::kHalf) | dtype_bit(at::kBFloat16);
constexpr DTypes kInts = dtype_bit(at::kLong) | dtype_bit(at::kInt) | dtype_bit(at::kShort) |
                         dtype_bit(at::kChar) | dtype_bit(at::kByte);
constexpr DTypes kBool = dtype_bit(at::kBool);
constexpr DTypes kNumbers = kFloats | kInts;
constexpr DTypes kAll = kNumbers | kBool;

// A row whose tensors may be CPU numbers (tensors without dimensions) beside npu tensors.
constexpr DTypes kCpuNumbers = DTypes{1} << 31;
// A row whose lists may hold tensors of several devices; it sorts them out itself.
constexpr DTypes kAnyDevice = DTypes{1} << 30;

struct OperatorRow {
  const char* name;      // "aten::add"
  const char* overload;  // "Tensor"
  const char* aclnn;     // "aclnnAdd"
  const char* family;    // "elementwise": ops_elementwise.inc
  DTypes dtypes;
};

void add_operator_row(const OperatorRow& row);
C10_EXPORT const std::vector<OperatorRow>& operator_table();
C10_EXPORT std::vector<at::ScalarType> row_dtypes(const OperatorRow& row);

}  // namespace torchtitan_npu
