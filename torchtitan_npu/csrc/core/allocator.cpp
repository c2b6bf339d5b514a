// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/allocator.h"

#include <c10/core/AllocatorConfig.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <sstream>

#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/library.h"
#include "torchtitan_npu/csrc/core/memory_pool.h"
#include "torchtitan_npu/csrc/core/options.h"

namespace torchtitan_npu {
namespace {

using c10::CachingAllocator::AcceleratorAllocatorConfig;
using c10::CachingAllocator::format_size;
using c10::CachingDeviceAllocator::DeviceStats;

std::pair<size_t, size_t> device_memory(c10::DeviceIndex device) {
  DeviceScope scope(device);
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  NPU_CHECK(FN(aclrtGetMemInfo)(ACL_HBM_MEM, &free_bytes, &total_bytes));
  return {free_bytes, total_bytes};
}

// Pools are made when a device's memory is first used and live as long as the process.
constinit std::atomic<MemoryPool*> pools[kMaxDevices] = {};
constinit std::mutex pools_mutex;

MemoryPool& pool_of_slow(c10::DeviceIndex device) {
  check_device_index(device);
  const std::lock_guard<std::mutex> lock(pools_mutex);
  static const bool configured = [] {
    if (!options().allocator.empty()) apply_allocator_settings(options().allocator);
    return true;
  }();
  (void)configured;
  if (pools[device].load(std::memory_order_relaxed) == nullptr) {
    pools[device].store(new MemoryPool(device), std::memory_order_release);
  }
  return *pools[device].load(std::memory_order_relaxed);
}

MemoryPool& pool_of(c10::DeviceIndex device) {
  if (C10_LIKELY(device >= 0 && device < kMaxDevices)) {
    if (MemoryPool* pool = pools[device].load(std::memory_order_acquire); C10_LIKELY(pool)) {
      return *pool;
    }
  }
  return pool_of_slow(device < 0 ? current_device() : device);
}

[[noreturn]] void throw_out_of_memory(size_t bytes, c10::DeviceIndex device, MemoryPool& pool,
                                      MemoryPool::NoRoom why) {
  pool.count_out_of_memory();
  const DeviceStats stats = pool.stats();
  const auto allocated = static_cast<size_t>(stats.allocated_bytes[0].current);
  const auto reserved = static_cast<size_t>(stats.reserved_bytes[0].current);
  const auto [free_bytes, total_bytes] = device_memory(device);
  c10::reportOutOfMemoryToProfiler(static_cast<int64_t>(bytes), allocated, reserved,
                                   c10::Device(kNpu, device));
  std::ostringstream text;
  text << "NPU out of memory. Tried to allocate " << format_size(bytes) << " (NPU "
       << static_cast<int>(device) << "; " << format_size(total_bytes) << " total capacity; "
       << format_size(allocated) << " already allocated; " << format_size(free_bytes) << " free; "
       << format_size(reserved) << " reserved in total by PyTorch";
  if (why == MemoryPool::NoRoom::kFraction) {
    text << "; this process may reserve " << format_size(pool.limit())
         << " (set_per_process_memory_fraction)";
  }
  text << "). Use a smaller batch, half precision or torch.utils.checkpoint. If reserved memory is "
          "much larger than allocated memory, set max_split_size_mb in PYTORCH_NPU_ALLOC_CONF to "
          "avoid fragmentation.";
  if (free_bytes > bytes && why == MemoryPool::NoRoom::kDevice) {
    // The device has room but the allocation failed all the same: only CANN knows why.
    const char* recent = FN(aclGetRecentErrMsg)();
    if (recent != nullptr && *recent != '\0') text << " CANN says: " << recent;
  }
  TORCH_CHECK_WITH(OutOfMemoryError, false, text.str(), error_suffix(ErrorCode::kMemory));
}

Block* allocate_block(size_t bytes, const NPUStream& stream) {
  const c10::DeviceIndex device = stream.device_index();
  MemoryPool& pool = pool_of(device);
  MemoryPool::NoRoom why = MemoryPool::NoRoom::kNone;
  // Nothing can hold this; rounding it up would overflow.
  constexpr size_t kAbsurd = size_t{1} << 60;
  if (bytes >= kAbsurd) throw_out_of_memory(bytes, device, pool, MemoryPool::NoRoom::kNone);
  Block* block = pool.allocate(bytes, stream, &why);
  if (C10_UNLIKELY(block == nullptr)) {
    synchronize_device(device);
    pool.release_for_retry();
    block = pool.allocate(bytes, stream, &why);
    if (block == nullptr) throw_out_of_memory(bytes, device, pool, why);
  }
  return block;
}

// `change` is the block's size, negative when it is freed.
void report_to_profiler(void* ptr, int64_t change, c10::DeviceIndex device) {
  if (C10_LIKELY(!c10::memoryProfilingEnabled())) return;
  const DeviceStats stats = pool_of(device).stats();
  c10::reportMemoryUsageToProfiler(
      ptr, change, static_cast<size_t>(stats.allocated_bytes[0].current),
      static_cast<size_t>(stats.reserved_bytes[0].current), c10::Device(kNpu, device));
}

void free_block(void* context) {
  if (in_bad_fork()) return;  // the parent owns the memory
  auto* const block = static_cast<Block*>(context);
  void* const ptr = block->ptr;
  const auto size = static_cast<int64_t>(block->size);
  const c10::DeviceIndex device = block->device;
  pool_of(device).free(block);
  report_to_profiler(ptr, -size, device);
}

class NPUAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    bind_device();
    return allocate_on_stream(bytes, current_stream());
  }
  // The context is the block, not the address.
  bool is_simple_data_ptr(const c10::DataPtr& ptr) const override {
    return ptr.get_deleter() == &free_block;
  }
  void copy_data(void* dst, const void* src, std::size_t bytes) const override {
    const aclrtStream stream = current_stream_handle();
    NPU_CHECK(FN(aclrtMemcpyAsync)(dst, bytes, src, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  }

  bool initialized() override { return is_initialized(); }
  void emptyCache(c10::MempoolId_t) override {
    for (c10::DeviceIndex device = 0; device < kMaxDevices; ++device) {
      MemoryPool* const pool = pools[device].load(std::memory_order_acquire);
      if (pool == nullptr) continue;
      synchronize_device(device);
      pool->release_cached();
    }
  }
  void recordStream(const c10::DataPtr& ptr, c10::Stream stream) override {
    record_stream(ptr, NPUStream(stream));
  }
  DeviceStats getDeviceStats(c10::DeviceIndex device) override { return pool_of(device).stats(); }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    pool_of(device).reset_accumulated();
  }
  void resetPeakStats(c10::DeviceIndex device) override { pool_of(device).reset_peak(); }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    return device_memory(device < 0 ? current_device() : device);
  }
};

NPUAllocator& npu_allocator() {
  static auto* const allocator = new NPUAllocator();
  return *allocator;
}

const c10::AllocatorRegisterer<kNpu> registration{&npu_allocator()};

}  // namespace

c10::DeviceAllocator* allocator() { return &npu_allocator(); }

c10::DataPtr allocate_on_stream(size_t bytes, const NPUStream& stream) {
  if (bytes == 0) return {nullptr, stream.device()};
  Block* const block = allocate_block(bytes, stream);
  report_to_profiler(block->ptr, static_cast<int64_t>(block->size), block->device);
  return {block->ptr, block, &free_block, stream.device()};
}

void record_stream(const c10::DataPtr& ptr, const NPUStream& stream) {
  // Memory that others own, such as an imported tensor, is theirs to keep alive.
  if (ptr.get_deleter() != &free_block) return;
  auto* const block = static_cast<Block*>(ptr.get_context());
  pool_of(block->device).record_stream(block, stream);
}

void set_memory_fraction(double fraction, c10::DeviceIndex device) {
  TORCH_CHECK_VALUE(fraction > 0 && fraction <= 1, "the memory fraction must be in (0, 1], got ",
                    fraction, error_suffix(ErrorCode::kValue));
  const size_t total = device_memory(device).second;
  pool_of(device).set_limit(static_cast<size_t>(fraction * static_cast<double>(total)));
}

double memory_fraction(c10::DeviceIndex device) {
  const size_t limit = pool_of(device).limit();
  if (limit == 0) return 1.0;
  return static_cast<double>(limit) / static_cast<double>(device_memory(device).second);
}

void apply_allocator_settings(const std::string& settings) {
  const c10::CachingAllocator::ConfigTokenizer tokens(settings);
  const auto& known = AcceleratorAllocatorConfig::getKeys();
  for (size_t i = 0; i < tokens.size(); i += 2) {
    const std::set<std::string> sorted(known.begin(), known.end());
    TORCH_CHECK_VALUE(known.count(tokens[i]) > 0, "unknown allocator setting '", tokens[i],
                      "' in \"", settings, "\"; valid ones are ", c10::Join(", ", sorted),
                      ". A setting is written key:value, several are separated by commas.",
                      error_suffix(ErrorCode::kParameter));
    TORCH_CHECK_VALUE(i + 2 < tokens.size() && tokens[i + 1] == ":", "allocator setting '",
                      tokens[i], "' in \"", settings, "\" has no value; write ", tokens[i],
                      ":value.", error_suffix(ErrorCode::kParameter));
    i = tokens.skipKey(i);
  }
  c10::CachingAllocator::setAllocatorSettings(settings);
  if (AcceleratorAllocatorConfig::use_expandable_segments()) {
    TORCH_WARN_ONCE("expandable_segments is accepted but has no effect on npu yet.");
  }
}

std::vector<c10::CachingDeviceAllocator::SegmentInfo> memory_snapshot() {
  std::vector<c10::CachingDeviceAllocator::SegmentInfo> segments;
  for (auto& slot : pools) {
    if (MemoryPool* const pool = slot.load(std::memory_order_acquire)) pool->snapshot(segments);
  }
  return segments;
}

}  // namespace torchtitan_npu
