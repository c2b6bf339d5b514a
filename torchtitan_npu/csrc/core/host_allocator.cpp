// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/host_allocator.h"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/event.h"
#include "torchtitan_npu/csrc/core/library.h"

namespace torchtitan_npu {
namespace {

// Pinned ranges by begin. Asking here is cheaper than asking CANN, and starts nothing.
class PinnedRanges {
 public:
  void insert(void* begin, size_t bytes) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    ends_[static_cast<std::byte*>(begin)] = static_cast<std::byte*>(begin) + bytes;
  }
  void erase(void* begin) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    ends_.erase(static_cast<std::byte*>(begin));
  }
  bool contain(const void* ptr) {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    auto next = ends_.upper_bound(static_cast<std::byte*>(const_cast<void*>(ptr)));
    return next != ends_.begin() && ptr < std::prev(next)->second;
  }

 private:
  std::shared_mutex mutex_;
  std::map<std::byte*, std::byte*> ends_;
};

PinnedRanges& pinned_ranges() {
  static auto* const ranges = new PinnedRanges();
  return *ranges;
}

struct PinnedMemory final : at::CachingHostAllocatorImpl<NPUStream, NPUEvent> {
  // A forked child may hold pinned tensors, but their stream and events are the parent's.
  void free(void* context) override {
    if (in_bad_fork()) return;
    CachingHostAllocatorImpl::free(context);
  }
  void copy_data(void* dst, const void* src, std::size_t bytes) const override {
    std::memcpy(dst, src, bytes);
  }

 private:
  void allocate_host_memory(size_t size, void** ptr) override {
    bind_device();
    NPU_CHECK(FN(aclrtMallocHost)(ptr, size));
    pinned_ranges().insert(*ptr, size);
  }
  void free_block(at::HostBlock<NPUStream>* block) override {
    pinned_ranges().erase(block->ptr_);
    bind_device();
    NPU_WARN(FN(aclrtFreeHost)(block->ptr_));
  }
  void record_stream(std::optional<std::vector<NPUEvent>>& events, NPUStream stream) override {
    NPUEvent event;
    event.record(stream);
    events->push_back(std::move(event));
  }
  bool query_event(NPUEvent& event) override { return event.query(); }
  NPUStream get_current_stream() const override { return current_stream(); }
  bool stream_is_capturing(NPUStream) const override { return false; }
};

void free_pinned(void* context);

using PinnedAllocator = at::CachingHostAllocatorInterface<PinnedMemory, free_pinned>;

PinnedAllocator& pinned_allocator() {
  static auto* const allocator = new PinnedAllocator();
  return *allocator;
}

void free_pinned(void* context) { pinned_allocator().free(context); }

const at::HostAllocatorRegistry<kNpu> registration{&pinned_allocator()};

}  // namespace

at::HostAllocator* host_allocator() { return &pinned_allocator(); }

bool is_pinned(const void* ptr) noexcept {
  return is_initialized() && pinned_ranges().contain(ptr);
}

bool record_host_use(void* ptr, void* context, const NPUStream& stream) {
  return pinned_allocator().record_event(ptr, context, stream.unwrap());
}

}  // namespace torchtitan_npu
