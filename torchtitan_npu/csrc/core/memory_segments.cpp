// SPDX-License-Identifier: Apache-2.0
// How the memory pool buys segments from CANN and gives them back.
#include <c10/core/AllocatorConfig.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/library.h"
#include "torchtitan_npu/csrc/core/memory_pool.h"

namespace torchtitan_npu {
namespace {

using Config = c10::CachingAllocator::AcceleratorAllocatorConfig;
using c10::CachingAllocator::kMinLargeAlloc;
using c10::CachingAllocator::kRoundLarge;
using c10::CachingAllocator::kSmallBuffer;
using c10::CachingAllocator::kSmallSize;

size_t segment_size(size_t size) {
  if (size <= kSmallSize) return kSmallBuffer;
  if (size < kMinLargeAlloc) return Config::large_segment_size();
  return (size + kRoundLarge - 1) / kRoundLarge * kRoundLarge;
}

bool is_out_of_memory(int code) {
  return code == ACL_ERROR_RT_MEMORY_ALLOCATION || code == ACL_ERROR_RT_DEVICE_OOM ||
         code == ACL_ERROR_BAD_ALLOC || code == ACL_ERROR_STORAGE_OVER_LIMIT;
}

}  // namespace

Block* MemoryPool::buy_segment(BlockPool& pool, size_t size, const NPUStream& stream, NoRoom* why) {
  const size_t bytes = segment_size(size);
  const auto reserved = static_cast<size_t>(stats_.reserved_bytes[0].current);
  if (limit_ != 0 && reserved + bytes > limit_) {
    *why = NoRoom::kFraction;
    return nullptr;
  }
  const aclrtStream handle = stream.handle();
  DeviceScope scope(device_);
  // aclrtMalloc adds padding behind each allocation, which may cost a page; pieces have their own.
  const auto unpadded = FN_OPTIONAL(aclrtMallocAlign32);
  const auto allocate_memory = unpadded != nullptr ? unpadded : FN(aclrtMalloc);
  void* ptr = nullptr;
  const int status = allocate_memory(&ptr, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  if (is_out_of_memory(status)) {
    *why = NoRoom::kDevice;
    return nullptr;
  }
  if (status != ACL_SUCCESS) throw_acl_error(status, "FN(aclrtMalloc)", NPU_HERE);
  *why = NoRoom::kNone;
  ++stats_.num_device_alloc;
  increase(stats_.segment, pool, 1);
  increase(stats_.reserved_bytes, pool, bytes);
  if (bytes >= Config::max_split_size()) stats_.oversize_segments.increase(1);
  auto block = std::make_unique<Block>();
  block->ptr = static_cast<std::byte*>(ptr);
  block->size = bytes;
  block->stream = handle;
  block->stream_id = stream.id();
  block->device = device_;
  block->pool = &pool;
  segments_.insert(block.get());
  return block.release();
}

void MemoryPool::release_segment(Block* block) {
  BlockPool& pool = *block->pool;
  pool.free_blocks.erase(block);
  NPU_WARN(FN(aclrtFree)(block->ptr));
  ++stats_.num_device_free;
  decrease(stats_.segment, pool, 1);
  decrease(stats_.reserved_bytes, pool, block->size);
  if (block->size >= Config::max_split_size()) stats_.oversize_segments.decrease(1);
  segments_.erase(block);
  delete block;
}

void MemoryPool::release_pool(BlockPool& pool) {
  for (auto next = pool.free_blocks.begin(); next != pool.free_blocks.end();) {
    Block* const block = *next++;
    if (!block->is_split()) release_segment(block);
  }
}

void MemoryPool::release_cached() {
  const std::lock_guard<std::mutex> lock(mutex_);
  DeviceScope scope(device_);
  process_events();
  join_recent();
  release_pool(small_);
  release_pool(large_);
}

void MemoryPool::release_for_retry() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++stats_.num_alloc_retries;
    ++stats_.num_sync_all_streams;
  }
  release_cached();
}

// With a size limit on splitting, oversize blocks cannot serve others: give back the smallest one
// that makes room, or the largest ones until there is.
bool MemoryPool::release_oversize(size_t size) {
  const size_t max_split = Config::max_split_size();
  if (max_split == std::numeric_limits<size_t>::max()) return false;
  DeviceScope scope(device_);
  std::vector<Block*> candidates;
  for (Block* block : large_.free_blocks) {
    if (!block->is_split() && block->size >= max_split) candidates.push_back(block);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Block* a, const Block* b) { return a->size < b->size; });
  const auto enough = std::find_if(candidates.begin(), candidates.end(),
                                   [size](const Block* block) { return block->size >= size; });
  if (enough != candidates.end()) {
    release_segment(*enough);
    return true;
  }
  size_t released = 0;
  while (released < size && !candidates.empty()) {
    released += candidates.back()->size;
    release_segment(candidates.back());
    candidates.pop_back();
  }
  return released >= size;
}

// Above the threshold, gives back the large segments that stayed unused longest, oldest first.
void MemoryPool::collect_garbage(size_t wanted) {
  if (limit_ == 0) return;
  const auto threshold =
      static_cast<size_t>(Config::garbage_collection_threshold() * static_cast<double>(limit_));
  const auto reserved = static_cast<size_t>(stats_.reserved_bytes[0].current);
  if (reserved + wanted <= threshold) return;
  std::vector<Block*> candidates;
  for (Block* block : large_.free_blocks) {
    if (!block->is_split()) candidates.push_back(block);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Block* a, const Block* b) { return a->freed_at < b->freed_at; });
  DeviceScope scope(device_);
  size_t excess = reserved + wanted - threshold;
  for (Block* block : candidates) {
    if (excess == 0) break;
    excess -= std::min(excess, block->size);
    release_segment(block);
  }
}

}  // namespace torchtitan_npu
