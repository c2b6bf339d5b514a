// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/meta/trace.h"

namespace npu::aol {
namespace {

/// False, after writing it down, for a handle that is null or destroyed.
template <class Object>
bool traceable(std::string& json, const Object* object) {
  if (live(object)) return true;
  json += object == nullptr ? "null" : "\"destroyed\"";
  return false;
}

void trace_dims(std::string& json, const int64_t* dims, int rank) {
  json += '[';
  for (int i = 0; i < rank; ++i) {
    if (i > 0) json += ',';
    json += std::to_string(dims[i]);
  }
  json += ']';
}

template <class Array, class F>
void trace_array(std::string& json, const Array* array, F element) {
  if (!traceable(json, array)) return;
  json += '[';
  for (size_t i = 0; i < array->values.size(); ++i) {
    if (i > 0) json += ',';
    element(array->values[i]);
  }
  json += ']';
}

}  // namespace

void trace_object(std::string& json, const aclTensor* tensor) {
  if (!traceable(json, tensor)) return;
  const base::TensorView& view = tensor->view;
  json += "{\"shape\":";
  trace_dims(json, view.dims.data(), view.rank);
  json += ",\"dtype\":";
  base::trace_text(json, base::name_of(view.dtype));
  json += ",\"strides\":";
  trace_dims(json, view.strides.data(), view.rank);
  json += ",\"offset\":" + std::to_string(tensor->offset);
  json += ",\"format\":" + std::to_string(view.format) + '}';
}

void trace_object(std::string& json, const aclScalar* scalar) {
  if (!traceable(json, scalar)) return;
  const base::Scalar& value = scalar->value;
  json += "{\"value\":";
  if (base::is_integral(value.dtype)) {
    json += std::to_string(value.i);
  } else if (base::is_complex(value.dtype)) {
    json += '[';
    base::trace_number(json, value.f);
    json += ',';
    base::trace_number(json, value.imag);
    json += ']';
  } else {
    base::trace_number(json, value.f);
  }
  json += ",\"dtype\":";
  base::trace_text(json, base::name_of(value.dtype));
  json += '}';
}

void trace_object(std::string& json, const aclIntArray* array) {
  trace_array(json, array, [&](int64_t value) { json += std::to_string(value); });
}
void trace_object(std::string& json, const aclFloatArray* array) {
  trace_array(json, array, [&](float value) { base::trace_number(json, value); });
}
void trace_object(std::string& json, const aclBoolArray* array) {
  trace_array(json, array, [&](uint8_t value) { json += value != 0 ? "true" : "false"; });
}
void trace_object(std::string& json, const aclTensorList* list) {
  trace_array(json, list, [&](const aclTensor* tensor) { trace_object(json, tensor); });
}
void trace_object(std::string& json, const aclScalarList* list) {
  trace_array(json, list, [&](const aclScalar* scalar) { trace_object(json, scalar); });
}

}  // namespace npu::aol
