// SPDX-License-Identifier: Apache-2.0
// Host functions in a stream.
#include "softnpu/runtime/callback.h"

#include "acl/acl_rt.h"
#include "softnpu/acl/entry.h"
#include "softnpu/runtime/stream.h"

using npu::acl::require_pointer;
using npu::base::guard;
using npu::base::require;
using npu::runtime::stream_of;

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return guard(
      "aclrtSubscribeReport", [&] { npu::runtime::subscribe(threadId, stream_of(stream)); },
      threadId, stream);
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return guard(
      "aclrtUnSubscribeReport", [&] { npu::runtime::unsubscribe(threadId, stream_of(stream)); },
      threadId, stream);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream) {
  return guard(
      "aclrtLaunchCallback",
      [&] {
        require_pointer(reinterpret_cast<const void*>(fn), "fn");
        require(blockType == ACL_CALLBACK_NO_BLOCK || blockType == ACL_CALLBACK_BLOCK,
                ACL_ERROR_INVALID_PARAM, "block type ", static_cast<int>(blockType),
                " does not exist");
        npu::runtime::launch_callback(fn, userData, blockType == ACL_CALLBACK_BLOCK,
                                      stream_of(stream));
      },
      fn, userData, blockType, stream);
}

aclError aclrtProcessReport(int32_t timeout) {
  return guard(
      "aclrtProcessReport",
      [&] { npu::runtime::process_report(npu::runtime::timeout_of(timeout)); }, timeout);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return guard(
      "aclrtLaunchHostFunc",
      [&] {
        require_pointer(reinterpret_cast<const void*>(fn), "fn");
        npu::runtime::launch_host_function(fn, args, stream_of(stream));
      },
      stream, fn, args);
}
