// SPDX-License-Identifier: Apache-2.0
// Pinned host memory, cached by ATen's CachingHostAllocator. A block that a copy used is handed out
// again only when the recorded stream passed it. Thread-safe; never destroyed.
#pragma once

#include <ATen/core/CachingHostAllocator.h>
#include <c10/macros/Export.h>

#include "torchtitan_npu/csrc/core/stream.h"

namespace torchtitan_npu {

C10_EXPORT at::HostAllocator* host_allocator();

/// Whether `ptr` lies in pinned memory of ours.
C10_EXPORT bool is_pinned(const void* ptr) noexcept;

/// Call after issuing an asynchronous copy that reads or writes pinned memory on `stream`;
/// (ptr, context) are the tensor's data pointer and its storage's context. False: not pinned by us.
C10_EXPORT bool record_host_use(void* ptr, void* context, const NPUStream& stream);

}  // namespace torchtitan_npu
