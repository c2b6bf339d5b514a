// SPDX-License-Identifier: Apache-2.0
// Argument: one argument of an aclnn operator, whatever its type; what aicpu's rows pass on.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "aclnnop/aclnn_base.h"
#include "softnpu/base/dtype.h"

namespace npu::aol {

struct Argument {
  std::variant<std::monostate, const aclTensor*, const aclScalar*, const aclIntArray*,
               const aclFloatArray*, const aclBoolArray*, const aclTensorList*,
               const aclScalarList*, const char*, bool, int64_t, double, base::DType>
      value;

  Argument() = default;
  template <class T>
  Argument(const T& argument) {  // NOLINT: implicit, for rows
    if constexpr (std::is_same_v<T, bool>) {
      value = argument;
    } else if constexpr (std::is_same_v<T, aclDataType>) {
      value = static_cast<base::DType>(argument);
    } else if constexpr (std::is_same_v<T, base::DType>) {
      value = argument;
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<int64_t>(argument);
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<double>(argument);
    } else if constexpr (std::is_pointer_v<T>) {
      value = static_cast<const std::remove_pointer_t<T>*>(argument);
    }  // std::nullopt: none
  }
};

/// The handle in an argument, or null.
template <class T>
const void* pointer_of(const T& argument) {
  if constexpr (std::is_pointer_v<T>) {
    return argument;
  } else {
    return nullptr;
  }
}

}  // namespace npu::aol
