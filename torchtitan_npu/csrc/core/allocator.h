// SPDX-License-Identifier: Apache-2.0
// Caching allocator for device memory, a c10::DeviceAllocator: torch.accelerator.memory_* and
// torch.npu.memory_* both read it. Blocks belong to the stream they were allocated on and are
// reused in its order; record_stream() delays reuse for other streams. Thread-safe.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/macros/Export.h>

#include <string>
#include <vector>

#include "torchtitan_npu/csrc/core/stream.h"

namespace torchtitan_npu {

/// The process's allocator; never destroyed.
C10_EXPORT c10::DeviceAllocator* allocator();

/// Device memory for an operator's workspace on the current stream: a DataPtr that may be dropped
/// as soon as the operator was issued.
C10_EXPORT c10::DataPtr allocate_on_stream(size_t bytes, const NPUStream& stream);

/// Keeps the memory of `ptr` from reuse until the work issued so far on `stream` is done.
C10_EXPORT void record_stream(const c10::DataPtr& ptr, const NPUStream& stream);

/// Share of the device's memory this process may reserve, in (0, 1].
C10_EXPORT void set_memory_fraction(double fraction, c10::DeviceIndex device);
C10_EXPORT double memory_fraction(c10::DeviceIndex device);

/// Applies "key:value,…" (PYTORCH_NPU_ALLOC_CONF); refuses unknown keys with the list of valid
/// ones.
C10_EXPORT void apply_allocator_settings(const std::string& settings);

/// Every segment of every device with its blocks, as of now.
C10_EXPORT std::vector<c10::CachingDeviceAllocator::SegmentInfo> memory_snapshot();

}  // namespace torchtitan_npu
