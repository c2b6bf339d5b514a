// SPDX-License-Identifier: Apache-2.0
// What softnpu offers beyond CANN.
#include "acl/acl_error.h"
#include "softnpu.h"
#include "softnpu/acl/entry.h"
#include "softnpu/runtime/copy.h"
#include "softnpu/runtime/counters.h"
#include "softnpu/runtime/stream.h"

using npu::acl::require_pointer;
using npu::base::guard;

aclError softnpuSetGraphLevel(int32_t level) {
  return guard("softnpuSetGraphLevel", [&] { npu::runtime::set_graph_level(level); }, level);
}

aclError softnpuGetGraphLevel(int32_t* level) {
  return guard(
      "softnpuGetGraphLevel",
      [&] {
        require_pointer(level, "level");
        *level = npu::runtime::graph_level();
      },
      level);
}

aclError softnpuMemoryReleased(void* ptr, size_t bytes, aclrtStream stream) {
  return guard(
      "softnpuMemoryReleased",
      [&] { npu::runtime::memory_released(ptr, bytes, npu::runtime::stream_of(stream)); }, ptr,
      bytes, stream);
}

aclError softnpuGetCounter(const char* name, int64_t* value) {
  return guard(
      "softnpuGetCounter",
      [&] {
        require_pointer(name, "name");
        require_pointer(value, "value");
        *value = npu::runtime::counter(name);
      },
      name, value);
}
