// SPDX-License-Identifier: Apache-2.0
#include "softnpu/ge/operator_node.h"

#include <new>

#include "softnpu/base/object_pool.h"

namespace npu::ge {
namespace {

// No address of memory has this bit (neither plain nor with the device tag).
constexpr uintptr_t kWorkspaceBit = uintptr_t{1} << 62;

bool in_workspace(const base::TensorView& view) {
  return (reinterpret_cast<uintptr_t>(view.data) & kWorkspaceBit) != 0;
}

/// visit_views with a callable.
template <class F>
void for_each_view_of(OperatorNode& node, F f) {
  node.visit_views([](void* state, base::TensorView& view,
                      Access access) { (*static_cast<F*>(state))(view, access); },
                   &f);
}

template <size_t kBytes>
struct alignas(std::max_align_t) Block {
  std::byte bytes[kBytes];
};

/// Calls f with the pool for nodes of `bytes` bytes; false if they are too large to be pooled.
template <class F>
bool with_pool(size_t bytes, F f) {
#if defined(__SANITIZE_ADDRESS__)
  return false;  // so that the sanitizer sees every node's life
#else
  if (bytes <= 512) return f(base::ObjectPool<Block<512> >()), true;
  if (bytes <= 1024) return f(base::ObjectPool<Block<1024> >()), true;
  if (bytes <= 2048) return f(base::ObjectPool<Block<2048> >()), true;
  return false;
#endif
}

}  // namespace

std::byte* workspace_address(uint64_t offset) {
  return reinterpret_cast<std::byte*>(kWorkspaceBit | offset);
}

void* OperatorNode::operator new(size_t bytes) {
  void* memory = nullptr;
  if (with_pool(bytes, [&]<class Pool>(Pool) { memory = Pool::take(); })) return memory;
  return ::operator new(bytes);
}

void OperatorNode::operator delete(void* memory, size_t bytes) noexcept {
  const bool pooled = with_pool(bytes, [&]<class T>(base::ObjectPool<T>) {
    base::ObjectPool<T>::give(static_cast<T*>(memory));
  });
  if (!pooled) ::operator delete(memory);
}

void OperatorNode::add_region(runtime::Region region) {
  if (overflow_.empty() && count_ < inline_.size()) {
    inline_[count_++] = region;
    return;
  }
  if (overflow_.empty()) overflow_.assign(inline_.begin(), inline_.end());
  overflow_.push_back(region);
}

void OperatorNode::add_region(const base::TensorView& view, Access access) {
  const base::ByteExtent extent = base::extent_of(view);
  if (extent.begin == extent.end) return;
  const auto data = reinterpret_cast<uintptr_t>(view.data);
  const uintptr_t begin = data + static_cast<uintptr_t>(extent.begin);
  const uintptr_t end = data + static_cast<uintptr_t>(extent.end);
  if (access != Access::kWrite) add_region({begin, end, false});
  if (access != Access::kRead) add_region({begin, end, true});
}

void OperatorNode::refresh_regions() {
  count_ = 0;
  overflow_.clear();
  for_each_view_of(*this,
                   [this](base::TensorView& view, Access access) { add_region(view, access); });
  if (scratch_ != nullptr && scratch_bytes_ != 0) {
    const auto begin = reinterpret_cast<uintptr_t>(scratch_);
    add_region({begin, begin + scratch_bytes_, true});
  }
}

void OperatorNode::bind_workspace(std::byte* base) {
  for_each_view_of(*this, [base](base::TensorView& view, Access) {
    if (!in_workspace(view)) return;
    view.data = base + (reinterpret_cast<uintptr_t>(view.data) & ~kWorkspaceBit);
  });
  if (scratch_bytes_ != 0) scratch_ = base + scratch_offset_;
  refresh_regions();
}

void OperatorNode::move_views(const std::byte* from, size_t bytes, std::byte* to) {
  for_each_view_of(*this, [=](base::TensorView& view, Access) {
    if (view.data >= from && view.data < from + bytes) view.data = to + (view.data - from);
  });
  refresh_regions();
}

std::string OperatorNode::describe() const {
  std::string reads, writes;
  // visit_views changes nothing here; it is not const because others rewrite through it.
  for_each_view_of(const_cast<OperatorNode&>(*this), [&](base::TensorView& view, Access access) {
    std::string& list = access == Access::kWrite ? writes : reads;
    if (!list.empty()) list += ", ";
    list += base::to_string(view);
  });
  return writes.empty() ? reads : reads + " -> " + writes;
}

}  // namespace npu::ge
