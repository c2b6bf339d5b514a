// SPDX-License-Identifier: Apache-2.0
// What AscendCL entry points share: argument checks, and the answer of functions that softnpu does
// not have.
#pragma once

#include "acl/acl_error.h"
#include "softnpu/base/abi.h"
#include "softnpu/base/error.h"
#include "softnpu/runtime/runtime.h"

namespace npu::acl {

/// Throws unless the client gave somewhere to read from or write to.
inline void require_pointer(const void* pointer, const char* parameter) {
  base::require(pointer != nullptr, ACL_ERROR_INVALID_PARAM, parameter, " is null");
}

/// The body of a function that exists because clients link to it, but that softnpu does not have.
template <class... Args>
aclError unsupported(const char* name, const char* what, const Args&... args) {
  return base::guard(
      name,
      [&] { base::fail(ACL_ERROR_FEATURE_UNSUPPORTED, "unsupported: softnpu has no ", what); },
      args...);
}

}  // namespace npu::acl
