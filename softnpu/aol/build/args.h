// SPDX-License-Identifier: Apache-2.0
// From handles to values: what every plan builder does first. Each function checks its handle and
// says in its message which parameter is wrong; `role` is the name to use when the handle was not
// passed to the operator directly.
#pragma once

#include <optional>
#include <span>

#include "softnpu/aol/plan.h"
#include "softnpu/base/error.h"

namespace npu::aol {

using base::DType;
using base::Scalar;
using base::TensorView;

/// The tensor's view at its resolved address.
TensorView view(const aclTensor* tensor, const char* role);
/// An undefined view for null.
TensorView optional_view(const aclTensor* tensor, const char* role);
/// Views of a list, in order; null elements give undefined views.
std::vector<TensorView> views(const aclTensorList* list, const char* role);

Scalar number(const aclScalar* scalar, const char* role);
Scalar number_or(const aclScalar* scalar, Scalar otherwise, const char* role);
std::vector<Scalar> numbers(const aclScalarList* list, const char* role);

std::span<const int64_t> ints(const aclIntArray* array, const char* role);
/// Values of a mask with exactly `count` elements.
std::span<const uint8_t> bools(const aclBoolArray* array, size_t count, const char* role);

/// Throws ACLNN_ERR_PARAM_INVALID with a message built from `parts` unless `condition` holds.
template <class... Parts>
void expect(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]] {
    base::fail(ACLNN_ERR_PARAM_INVALID, parts...);
  }
}

}  // namespace npu::aol
