// SPDX-License-Identifier: Apache-2.0
// Device and pinned host memory.
#include "softnpu/runtime/memory.h"

#include <unistd.h>

#include "acl/acl_rt.h"
#include "softnpu/acl/entry.h"
#include "softnpu/runtime/context.h"
#include "softnpu/runtime/device.h"

namespace npu::acl {
namespace {

using base::guard;
using base::require;

// Page sizes and bandwidth classes are hints to the card; here they only have to exist.
void check_policy(aclrtMemMallocPolicy policy) {
  constexpr int kClasses = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                           ACL_MEM_ACCESS_USER_SPACE_READONLY;
  const int pages = static_cast<int>(policy) & ~kClasses;
  require(pages >= ACL_MEM_MALLOC_HUGE_FIRST && pages <= ACL_MEM_MALLOC_HUGE1G_ONLY_P2P,
          ACL_ERROR_RT_INVALID_MALLOC_TYPE, "memory policy ", static_cast<int>(policy),
          " does not exist");
}

aclError allocate(const char* name, void** pointer, size_t size, aclrtMemMallocPolicy policy) {
  return guard(
      name,
      [&] {
        require_pointer(pointer, "devPtr");
        check_policy(policy);
        *pointer = runtime::allocate(runtime::current_device(), size);
      },
      pointer, size, policy);
}

}  // namespace
}  // namespace npu::acl

using namespace npu::acl;

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return allocate("aclrtMalloc", devPtr, size, policy);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return allocate("aclrtMallocAlign32", devPtr, size, policy);
}

aclError aclrtFree(void* devPtr) {
  return guard(
      "aclrtFree",
      [&] {
        require_pointer(devPtr, "devPtr");
        npu::runtime::release(devPtr);
      },
      devPtr);
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return guard(
      "aclrtMallocHost",
      [&] {
        require_pointer(hostPtr, "hostPtr");
        *hostPtr = npu::runtime::allocate_host(size);
      },
      hostPtr, size);
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
  return guard(
      "aclrtMallocHostWithCfg",
      [&] {
        require_pointer(ptr, "ptr");
        require(cfg == nullptr || cfg->numAttrs == 0 || cfg->attrs != nullptr,
                ACL_ERROR_INVALID_PARAM, "cfg announces ", cfg ? cfg->numAttrs : 0,
                " attributes, but attrs is null");
        *ptr = npu::runtime::allocate_host(size);
      },
      ptr, size, cfg);
}

aclError aclrtFreeHost(void* hostPtr) {
  return guard(
      "aclrtFreeHost",
      [&] {
        require_pointer(hostPtr, "hostPtr");
        npu::runtime::release_host(hostPtr);
      },
      hostPtr);
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  return guard(
      "aclrtHostRegister",
      [&] {
        require_pointer(ptr, "ptr");
        require_pointer(devPtr, "devPtr");
        require(type == ACL_HOST_REGISTER_MAPPED, ACL_ERROR_FEATURE_UNSUPPORTED,
                "host memory can only be registered as mapped (0), not as ",
                static_cast<int>(type));
        npu::runtime::register_host(ptr, size);
        *devPtr = ptr;  // the device sees pinned memory where the host does
      },
      ptr, size, type, devPtr);
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  return guard(
      "aclrtHostRegisterV2",
      [&] {
        require_pointer(ptr, "ptr");
        npu::runtime::register_host(ptr, size);
      },
      ptr, size, flag);
}

aclError aclrtHostUnregister(void* ptr) {
  return guard(
      "aclrtHostUnregister",
      [&] {
        require_pointer(ptr, "ptr");
        npu::runtime::unregister_host(ptr);
      },
      ptr);
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return guard(
      "aclrtPointerGetAttributes",
      [&] {
        require_pointer(attributes, "attributes");
        const auto info = npu::runtime::memory_at(ptr);
        *attributes = {};
        attributes->pageSize = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
        attributes->location.id = info.device >= 0 ? static_cast<uint32_t>(info.device) : 0;
        switch (info.kind) {
          case npu::runtime::MemoryKind::kDevice:
            attributes->location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
            return;
          case npu::runtime::MemoryKind::kHost:
            attributes->location.type = ACL_MEM_LOCATION_TYPE_HOST;
            return;
          case npu::runtime::MemoryKind::kUnregistered:
            attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
            return;
        }
      },
      ptr, attributes);
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return guard(
      "aclrtGetMemInfo",
      [&] {
        require_pointer(free, "free");
        require_pointer(total, "total");
        require(attr >= ACL_DDR_MEM && attr <= ACL_MEM_P2P_HUGE1G, ACL_ERROR_INVALID_PARAM,
                "memory attribute ", static_cast<int>(attr), " does not exist");
        const auto memory = npu::runtime::current_device().memory();
        *free = memory.free;
        *total = memory.total;
      },
      attr, free, total);
}
