// SPDX-License-Identifier: Apache-2.0
// Copies and fills. The addresses decide where memory lies; a kind that contradicts them is
// refused.
#include "softnpu/runtime/copy.h"

#include "acl/acl_rt.h"
#include "softnpu/acl/entry.h"
#include "softnpu/runtime/stream.h"

namespace npu::acl {
namespace {

using base::guard;
using base::require;
using runtime::stream_of;

void check_room(size_t room, size_t count, const char* what) {
  require(count <= room, ACL_ERROR_RT_PARAM_INVALID, what, " of ", count,
          " bytes does not fit into the ", room, " bytes at its destination");
}

runtime::Copy checked(void* dst, size_t destMax, const void* src, size_t count,
                      aclrtMemcpyKind kind) {
  require_pointer(dst, "dst");
  require_pointer(src, "src");
  check_room(destMax, count, "a copy");
  require(kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE,
          ACL_ERROR_INVALID_PARAM, "copy kind ", static_cast<int>(kind), " does not exist");
  runtime::check_kind(dst, src, static_cast<runtime::CopyKind>(kind));
  return {.dst = dst, .src = src, .bytes = count};
}

aclError copy_async(const char* name, void* dst, size_t destMax, const void* src, size_t count,
                    aclrtMemcpyKind kind, aclrtStream stream) {
  return guard(
      name,
      [&] { runtime::copy_async(checked(dst, destMax, src, count, kind), stream_of(stream)); }, dst,
      destMax, src, count, kind, stream);
}

}  // namespace
}  // namespace npu::acl

using namespace npu::acl;

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  return guard(
      "aclrtMemcpy", [&] { npu::runtime::copy(checked(dst, destMax, src, count, kind)); }, dst,
      destMax, src, count, kind);
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
  return copy_async("aclrtMemcpyAsync", dst, destMax, src, count, kind, stream);
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count,
                                       aclrtMemcpyKind kind, aclrtStream stream) {
  return copy_async("aclrtMemcpyAsyncWithCondition", dst, destMax, src, count, kind, stream);
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return guard(
      "aclrtMemset",
      [&] {
        require_pointer(devPtr, "devPtr");
        check_room(maxCount, count, "a fill");
        npu::runtime::fill(devPtr, value, count);
      },
      devPtr, maxCount, value, count);
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
  return guard(
      "aclrtMemsetAsync",
      [&] {
        require_pointer(devPtr, "devPtr");
        check_room(maxCount, count, "a fill");
        npu::runtime::fill_async(devPtr, value, count, stream_of(stream));
      },
      devPtr, maxCount, value, count, stream);
}
