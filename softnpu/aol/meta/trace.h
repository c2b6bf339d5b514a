// SPDX-License-Identifier: Apache-2.0
// How arguments of aclnn operators look in SOFTNPU_TRACE: tensors as {"shape", "dtype", "strides",
// "offset", "format"}, scalars as {"value", "dtype"}, arrays and lists as JSON arrays. Found by
// argument-dependent lookup, hence in the handles' global namespace.
#pragma once

#include <string>

#include "softnpu/aol/meta/objects.h"
#include "softnpu/base/trace.h"

namespace npu::aol {
void trace_object(std::string& json, const aclTensor* tensor);
void trace_object(std::string& json, const aclScalar* scalar);
void trace_object(std::string& json, const aclIntArray* array);
void trace_object(std::string& json, const aclFloatArray* array);
void trace_object(std::string& json, const aclBoolArray* array);
void trace_object(std::string& json, const aclTensorList* list);
void trace_object(std::string& json, const aclScalarList* list);

template <class T>
concept Traceable = requires(std::string& json, const T* object) { trace_object(json, object); };
}  // namespace npu::aol

template <npu::aol::Traceable T>
void trace_value(std::string& json, T* const& object) {
  npu::aol::trace_object(json, object);
}
