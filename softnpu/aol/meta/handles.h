// SPDX-License-Identifier: Apache-2.0
// Making and unmaking the pooled objects behind handles, and the checks on handles that their
// getters share.
#pragma once

#include <algorithm>

#include "softnpu/aol/meta/objects.h"
#include "softnpu/base/abi.h"
#include "softnpu/base/object_pool.h"

namespace npu::aol {

template <class Object>
Object* create() {
  Object* object = base::ObjectPool<Object>::take();
  object->mark = kLive;
  return object;
}

template <class Object>
void destroy(Object* object) noexcept {
  object->mark = 0;
  base::ObjectPool<Object>::give(object);
}

/// Throws unless `handle` is a live object; `what` names the parameter.
template <class Object>
void require_live(const Object* handle, const char* what) {
  base::require(handle != nullptr, ACLNN_ERR_PARAM_NULLPTR, what, " is null");
  base::require(handle->mark == kLive, ACLNN_ERR_PARAM_INVALID, what,
                " was destroyed or never created");
}

inline void require_pointer(const void* pointer, const char* what) {
  base::require(pointer != nullptr, ACLNN_ERR_PARAM_NULLPTR, what, " is null");
}

/// Body of the aclDestroy functions. CANN accepts null.
template <class Object>
aclnnStatus destroy_handle(const char* name, const Object* handle) {
  return base::guard(
      name,
      [&] {
        if (handle == nullptr) return;
        require_live(handle, "the object");
        destroy(const_cast<Object*>(handle));
      },
      static_cast<const void*>(handle));
}

}  // namespace npu::aol
