// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers, and lists of tensors and scalars.
#include "softnpu/aol/meta/handles.h"
#include "softnpu/aol/meta/trace.h"

namespace npu::aol {
namespace {

template <class Object, class T>
Object* create_array(const char* name, const T* values, uint64_t count) {
  Object* array = nullptr;
  base::guard(name, [&] {
    base::require(count == 0 || values != nullptr, ACLNN_ERR_PARAM_NULLPTR, "value is null");
    array = create<Object>();
    array->values.assign(values, values + count);
  });
  return array;
}

template <class Object>
aclnnStatus size_of_array(const char* name, const Object* array, uint64_t* size) {
  return base::guard(
      name,
      [&] {
        require_live(array, "the array");
        require_pointer(size, "size");
        *size = array->values.size();
      },
      array);
}

/// Lists own their elements.
template <class List>
aclnnStatus destroy_list(const char* name, const List* list) {
  return base::guard(
      name,
      [&] {
        if (list == nullptr) return;
        require_live(list, "the list");
        for (const auto* element : list->values) {
          if (live(element))
            destroy(const_cast<std::remove_const_t<std::remove_pointer_t<decltype(element)>>*>(
                element));
        }
        destroy(const_cast<List*>(list));
      },
      static_cast<const void*>(list));
}

}  // namespace
}  // namespace npu::aol

using npu::aol::create_array;
using npu::aol::destroy_handle;
using npu::aol::destroy_list;
using npu::aol::size_of_array;

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return create_array<aclIntArray>("aclCreateIntArray", value, size);
}
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return create_array<aclFloatArray>("aclCreateFloatArray", value, size);
}
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return create_array<aclBoolArray>("aclCreateBoolArray", value, size);
}
aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return create_array<aclTensorList>("aclCreateTensorList", value, size);
}
aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return create_array<aclScalarList>("aclCreateScalarList", value, size);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return destroy_handle("aclDestroyIntArray", array);
}
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return destroy_handle("aclDestroyFloatArray", array);
}
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return destroy_handle("aclDestroyBoolArray", array);
}
aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return destroy_list("aclDestroyTensorList", array);
}
aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return destroy_list("aclDestroyScalarList", array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return size_of_array("aclGetIntArraySize", array, size);
}
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return size_of_array("aclGetFloatArraySize", array, size);
}
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return size_of_array("aclGetBoolArraySize", array, size);
}
aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return size_of_array("aclGetTensorListSize", tensorList, size);
}
aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return size_of_array("aclGetScalarListSize", scalarList, size);
}
