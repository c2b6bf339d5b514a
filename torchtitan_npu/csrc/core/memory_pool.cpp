// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/memory_pool.h"

#include <c10/core/AllocatorConfig.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <tuple>

#include "softnpu.h"
#include "torchtitan_npu/csrc/core/library.h"

namespace torchtitan_npu {
namespace {

using Config = c10::CachingAllocator::AcceleratorAllocatorConfig;
using c10::CachingAllocator::kMinBlockSize;
using c10::CachingAllocator::kSmallSize;

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

bool should_split(const Block& block, size_t size) {
  const size_t remaining = block.size - size;
  if (block.pool->small) return remaining >= kMinBlockSize;
  return size < Config::max_split_size() && remaining > kSmallSize;
}

}  // namespace

bool BlockOrder::operator()(const Block* a, const Block* b) const noexcept {
  return std::tie(a->stream_id, a->size, a->ptr) < std::tie(b->stream_id, b->size, b->ptr);
}

bool BlockOrder::operator()(const Block* a, const BlockKey& b) const noexcept {
  return std::tie(a->stream_id, a->size) < std::tie(b.stream_id, b.size);
}

RecentBlocks::Place& RecentBlocks::place_of(const BlockKey& key) {
  // Sizes are multiples of 512 mostly; multiplying spreads both numbers over the high bits.
  const uint64_t mixed =
      (static_cast<uint64_t>(key.size) >> 9 ^ static_cast<uint64_t>(key.stream_id) << 40) *
      0x9E3779B97F4A7C15u;
  return places_[mixed >> 56];
}

Block* RecentBlocks::pop(Place& place) {
  Block* const block = place.first;
  if (block == nullptr) return nullptr;
  place.first = std::exchange(block->next_recent, nullptr);
  block->recent = false;
  --place.count;
  --count_;
  return block;
}

Block* RecentBlocks::take(const BlockKey& key) {
  Place& place = place_of(key);
  return place.key == key ? pop(place) : nullptr;
}

bool RecentBlocks::put(Block* block) {
  const BlockKey key{block->stream_id, block->size};
  Place& place = place_of(key);
  if (place.count == 0) place.key = key;
  if (place.key != key || place.count == kDepth) return false;
  block->next_recent = std::exchange(place.first, block);
  block->recent = true;
  ++place.count;
  ++count_;
  return true;
}

Block* RecentBlocks::take_any() {
  if (count_ == 0) return nullptr;
  for (Place& place : places_) {
    if (place.count > 0) return pop(place);
  }
  return nullptr;
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
  if (Block* recent = recent_.take({stream.id(), size})) return take(recent, size, bytes);
  Block* block = find_free(pool, size, stream.id());
  if (block == nullptr) {
    join_recent();
    block = find_free(pool, size, stream.id());
  }
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
  return block;
}

// `block` is in no set here; its tail goes back as a free block when it is worth keeping.
Block* MemoryPool::take(Block* block, size_t size, size_t requested) {
  BlockPool& pool = *block->pool;
  if (block->is_split()) {
    decrease(stats_.inactive_split, pool, 1);
    decrease(stats_.inactive_split_bytes, pool, block->size);
  }
  if (block->size != size && should_split(*block, size)) {
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
    make_inactive(block);
    return;
  }
  for (const NPUStream& stream : std::exchange(block->other_streams, {})) {
    add_event(block, stream);
  }
  if (block->pending_events == 0) make_inactive(block);
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

// Nobody uses the block any more: tells softnpu and keeps it.
void MemoryPool::make_inactive(Block* block) {
  BlockPool& pool = *block->pool;
  if (const auto notify = FN_OPTIONAL(softnpuMemoryReleased)) {
    // Only a hint, so its outcome does not matter here.
    notify(block->ptr, block->size, block->stream);
  }
  decrease(stats_.active, pool, 1);
  decrease(stats_.active_bytes, pool, block->size);
  if (block->is_split()) {
    increase(stats_.inactive_split, pool, 1);
    increase(stats_.inactive_split_bytes, pool, block->size);
  }
  block->requested = 0;
  block->freed_at = pool.lookups;
  if (!recent_.put(block)) put_back(block);
}

// Joins the block with free neighbours and makes it findable by size.
void MemoryPool::put_back(Block* block) {
  BlockPool& pool = *block->pool;
  if (block->is_split()) {
    decrease(stats_.inactive_split, pool, 1);
    decrease(stats_.inactive_split_bytes, pool, block->size);
  }
  absorb(block, block->prev);
  absorb(block, block->next);
  if (block->is_split()) {
    increase(stats_.inactive_split, pool, 1);
    increase(stats_.inactive_split_bytes, pool, block->size);
  }
  if (block->node.empty()) {
    pool.free_blocks.insert(block);
  } else {
    // The handle keeps the set's own memory; its value still is this block.
    pool.free_blocks.insert(std::move(block->node));
  }
}

void MemoryPool::join_recent() {
  while (Block* const block = recent_.take_any()) put_back(block);
}

void MemoryPool::absorb(Block* block, Block* neighbour) {
  if (neighbour == nullptr || neighbour->allocated || neighbour->recent ||
      neighbour->pending_events > 0) {
    return;
  }
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
      if (--block->pending_events == 0) make_inactive(block);
    }
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
