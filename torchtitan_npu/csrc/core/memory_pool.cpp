// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/memory_pool.h"

#include <c10/core/AllocatorConfig.h>
#include <c10/util/irange.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>

#include "softnpu.h"
#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/library.h"

namespace torchtitan_npu {
namespace {

using Config = c10::CachingAllocator::AcceleratorAllocatorConfig;
using c10::CachingAllocator::kMinBlockSize;
using c10::CachingAllocator::kMinLargeAlloc;
using c10::CachingAllocator::kRoundLarge;
using c10::CachingAllocator::kSmallBuffer;
using c10::CachingAllocator::kSmallSize;
using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;

// CANN asks those who cut up memory themselves for 32 spare bytes behind each piece: kernels load
// whole vectors.
constexpr size_t kTailPadding = 32;

constexpr size_t round_to(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

size_t round_size(size_t bytes) {
  bytes += kTailPadding;
  if (bytes < kMinBlockSize) return kMinBlockSize;
  const size_t divisions = Config::roundup_power2_divisions(bytes);
  if (divisions > 1 && bytes > kMinBlockSize * divisions) {
    // Steps of 1/divisions between two powers of two.
    const size_t floor = std::bit_floor(bytes);
    if (bytes == floor) return bytes;
    return round_to(bytes, floor / divisions);
  }
  return round_to(bytes, kMinBlockSize);
}

size_t segment_size(size_t size) {
  if (size <= kSmallSize) return kSmallBuffer;
  if (size < kMinLargeAlloc) return Config::large_segment_size();
  return round_to(size, kRoundLarge);
}

bool should_split(const Block& block, size_t size) {
  const size_t remaining = block.size - size;
  if (block.pool->small) return remaining >= kMinBlockSize;
  return size < Config::max_split_size() && remaining > kSmallSize;
}

bool is_out_of_memory(int code) {
  return code == ACL_ERROR_RT_MEMORY_ALLOCATION || code == ACL_ERROR_RT_DEVICE_OOM ||
         code == ACL_ERROR_BAD_ALLOC || code == ACL_ERROR_STORAGE_OVER_LIMIT;
}

// Every figure is kept for all memory and for the block's size class.
size_t class_of(const BlockPool& pool) {
  return static_cast<size_t>(pool.small ? StatType::SMALL_POOL : StatType::LARGE_POOL);
}
void increase(StatArray& stat, const BlockPool& pool, size_t amount) {
  stat[static_cast<size_t>(StatType::AGGREGATE)].increase(amount);
  stat[class_of(pool)].increase(amount);
}
void decrease(StatArray& stat, const BlockPool& pool, size_t amount) {
  stat[static_cast<size_t>(StatType::AGGREGATE)].decrease(amount);
  stat[class_of(pool)].decrease(amount);
}

}  // namespace

bool BlockOrder::operator()(const Block* a, const Block* b) const noexcept {
  return std::tie(a->stream_id, a->size, a->ptr) < std::tie(b->stream_id, b->size, b->ptr);
}

bool BlockOrder::operator()(const Block* a, const BlockKey& b) const noexcept {
  return std::tie(a->stream_id, a->size) < std::tie(b.stream_id, b.size);
}

MemoryPool::MemoryPool(c10::DeviceIndex device) : device_(device) {
  stats_.max_split_size = static_cast<int64_t>(Config::max_split_size());
}

Block* MemoryPool::allocate(size_t bytes, const NPUStream& stream, NoRoom* why) {
  *why = NoRoom::kNone;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (outstanding_events_ > 0) process_events();
  const size_t size = round_size(bytes);
  BlockPool& pool = size <= kSmallSize ? small_ : large_;
  Block* block = find_free(pool, size, stream.id());
  if (block == nullptr) {
    if (Config::garbage_collection_threshold() > 0) collect_garbage(size);
    block = buy_segment(pool, size, stream, why);
    if (block == nullptr && release_oversize(size)) {
      block = buy_segment(pool, size, stream, why);
    }
    if (block == nullptr) return nullptr;
  }
  return take(block, size, bytes);
}

Block* MemoryPool::find_free(BlockPool& pool, size_t size, c10::StreamId stream) {
  ++pool.lookups;
  const auto found = pool.free_blocks.lower_bound(BlockKey{stream, size});
  if (found == pool.free_blocks.end() || (*found)->stream_id != stream) return nullptr;
  Block* const block = *found;
  const size_t max_split = Config::max_split_size();
  // A block too large to be split serves only requests that nearly fill it.
  if (size < max_split && block->size >= max_split) return nullptr;
  if (size >= max_split && block->size >= size + Config::max_non_split_rounding_size()) {
    return nullptr;
  }
  block->node = pool.free_blocks.extract(found);
  if (block->is_split()) {
    decrease(stats_.inactive_split, pool, 1);
    decrease(stats_.inactive_split_bytes, pool, block->size);
  }
  return block;
}

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

// `block` is in no set here; its tail goes back as a free block when it is worth keeping.
Block* MemoryPool::take(Block* block, size_t size, size_t requested) {
  BlockPool& pool = *block->pool;
  if (should_split(*block, size)) {
    auto rest = std::make_unique<Block>();
    rest->ptr = block->ptr + size;
    rest->size = block->size - size;
    rest->stream = block->stream;
    rest->stream_id = block->stream_id;
    rest->device = device_;
    rest->pool = &pool;
    rest->freed_at = pool.lookups;
    rest->prev = block;
    rest->next = block->next;
    if (rest->next != nullptr) rest->next->prev = rest.get();
    block->next = rest.get();
    block->size = size;
    increase(stats_.inactive_split, pool, 1);
    increase(stats_.inactive_split_bytes, pool, rest->size);
    pool.free_blocks.insert(rest.release());
  }
  block->allocated = true;
  block->requested = requested;
  increase(stats_.allocation, pool, 1);
  increase(stats_.allocated_bytes, pool, block->size);
  increase(stats_.requested_bytes, pool, requested);
  increase(stats_.active, pool, 1);
  increase(stats_.active_bytes, pool, block->size);
  if (block->size >= Config::max_split_size()) stats_.oversize_allocations.increase(1);
  return block;
}

void MemoryPool::free(Block* block) {
  const std::lock_guard<std::mutex> lock(mutex_);
  block->allocated = false;
  decrease(stats_.allocation, *block->pool, 1);
  decrease(stats_.allocated_bytes, *block->pool, block->size);
  decrease(stats_.requested_bytes, *block->pool, block->requested);
  if (block->size >= Config::max_split_size()) stats_.oversize_allocations.decrease(1);
  if (C10_LIKELY(block->other_streams.empty())) {
    put_back(block);
    return;
  }
  for (const NPUStream& stream : std::exchange(block->other_streams, {})) {
    add_event(block, stream);
  }
  if (block->pending_events == 0) put_back(block);
}

// Deleters must not throw. A stream whose error keeps it from recording has stopped, so nothing of
// it uses the block any more.
void MemoryPool::add_event(Block* block, const NPUStream& stream) try {
  NPUEvent event;
  if (!spare_events_.empty()) {
    event = std::move(spare_events_.back());
    spare_events_.pop_back();
  }
  event.record(stream);
  events_[stream.id()].emplace_back(std::move(event), block);
  ++block->pending_events;
  ++outstanding_events_;
} catch (const c10::Error& error) {
  TORCH_WARN("freeing NPU memory: ", error.what_without_backtrace());
}

void MemoryPool::record_stream(Block* block, const NPUStream& stream) {
  if (stream.id() == block->stream_id) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& streams = block->other_streams;
  if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
}

// Nobody uses the block any more: tells softnpu, joins it with free neighbours, keeps it.
void MemoryPool::put_back(Block* block) {
  BlockPool& pool = *block->pool;
  if (const auto notify = FN_OPTIONAL(softnpuMemoryReleased)) {
    // Only a hint, so its outcome does not matter here.
    notify(block->ptr, block->size, block->stream);
  }
  decrease(stats_.active, pool, 1);
  decrease(stats_.active_bytes, pool, block->size);
  block->requested = 0;
  absorb(block, block->prev);
  absorb(block, block->next);
  block->freed_at = pool.lookups;
  if (block->is_split()) {
    increase(stats_.inactive_split, pool, 1);
    increase(stats_.inactive_split_bytes, pool, block->size);
  }
  if (block->node.empty()) {
    pool.free_blocks.insert(block);
  } else {
    pool.free_blocks.insert(std::move(block->node));
  }
}

void MemoryPool::absorb(Block* block, Block* neighbour) {
  if (neighbour == nullptr || neighbour->allocated || neighbour->pending_events > 0) return;
  BlockPool& pool = *block->pool;
  pool.free_blocks.erase(neighbour);
  decrease(stats_.inactive_split, pool, 1);
  decrease(stats_.inactive_split_bytes, pool, neighbour->size);
  if (block->prev == neighbour) {
    block->ptr = neighbour->ptr;
    block->prev = neighbour->prev;
    if (block->prev != nullptr) block->prev->next = block;
    if (segments_.erase(neighbour) > 0) segments_.insert(block);
  } else {
    block->next = neighbour->next;
    if (block->next != nullptr) block->next->prev = block;
  }
  block->size += neighbour->size;
  delete neighbour;
}

void MemoryPool::process_events() {
  for (auto& [stream, queue] : events_) {
    while (!queue.empty() && queue.front().first.query()) {
      auto [event, block] = std::move(queue.front());
      queue.pop_front();
      spare_events_.push_back(std::move(event));
      --outstanding_events_;
      if (--block->pending_events == 0) put_back(block);
    }
  }
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

void MemoryPool::count_out_of_memory() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++stats_.num_ooms;
}

void MemoryPool::set_limit(size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  limit_ = bytes;
}

size_t MemoryPool::limit() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return limit_;
}

MemoryPool::Stats MemoryPool::stats() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stats_;
}

}  // namespace torchtitan_npu
