// SPDX-License-Identifier: Apache-2.0
// Contexts: what a thread works on.
#include "softnpu/runtime/context.h"

#include "acl/acl_rt.h"
#include "softnpu/acl/entry.h"
#include "softnpu/runtime/device.h"

using npu::acl::require_pointer;
using npu::base::guard;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return guard(
      "aclrtCreateContext",
      [&] {
        require_pointer(context, "context");
        *context = npu::runtime::create_context(deviceId);
      },
      context, deviceId);
}

aclError aclrtDestroyContext(aclrtContext context) {
  return guard("aclrtDestroyContext", [&] { npu::runtime::destroy_context(context); }, context);
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return guard(
      "aclrtSetCurrentContext", [&] { npu::runtime::set_current_context(context); }, context);
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return guard(
      "aclrtGetCurrentContext",
      [&] {
        require_pointer(context, "context");
        *context = npu::runtime::current_context();
      },
      context);
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return guard(
      "aclrtGetPrimaryCtxState",
      [&] {
        require_pointer(active, "active");
        npu::runtime::device_at(deviceId);
        *active = npu::runtime::primary_context_active(deviceId);
        if (flags != nullptr) *flags = 0;
      },
      deviceId, flags, active);
}
