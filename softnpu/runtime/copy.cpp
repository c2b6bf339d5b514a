// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/base/options.h"
#include "softnpu/runtime/executor.h"
#include "softnpu/runtime/memory.h"
#include "softnpu/runtime/pending.h"
#include "softnpu/runtime/runtime.h"
#include "softnpu/runtime/tables.h"
#include "softnpu/runtime/window.h"

namespace npu::runtime {
namespace {

constexpr size_t kParallelBytes = size_t{4} << 20;  // below, one thread is faster
constexpr int64_t kTileBytes = int64_t{1} << 20;
constexpr size_t kSnapshotBytes = size_t{64} << 20;  // above, wait for the stream instead

// A rectangle of bytes in host addresses.
struct Rows {
  std::byte* data = nullptr;
  size_t pitch = 0;
};
struct Shape {
  size_t bytes = 0;  // of a row
  size_t rows = 1;
  size_t total() const { return bytes * rows; }
  size_t extent(size_t pitch) const { return rows == 0 ? 0 : (rows - 1) * pitch + bytes; }
};

Region region_of(const Rows& rows, const Shape& shape, bool write) {
  const auto begin = reinterpret_cast<uintptr_t>(rows.data);
  return {begin, begin + shape.extent(rows.pitch), write};
}

void move_rows(const Rows& dst, const Rows& src, const Shape& shape) {
  for (size_t i = 0; i < shape.rows; ++i) {
    std::memmove(dst.data + i * dst.pitch, src.data + i * src.pitch, shape.bytes);
  }
}

void move_rows(const Rows& dst, const Rows& src, const Shape& shape, base::Workers& workers) {
  const bool apart = !overlap(region_of(dst, shape, true), region_of(src, shape, false));
  if (shape.total() <= kParallelBytes || !apart) return move_rows(dst, src, shape);
  if (shape.rows == 1) {
    workers.parallel_for(
        static_cast<int64_t>(shape.bytes), kTileBytes, [&](int64_t begin, int64_t end, int) {
          std::memcpy(dst.data + begin, src.data + begin, static_cast<size_t>(end - begin));
        });
    return;
  }
  const int64_t grain = std::max<int64_t>(1, kTileBytes / static_cast<int64_t>(shape.bytes));
  workers.parallel_for(static_cast<int64_t>(shape.rows), grain,
                       [&](int64_t begin, int64_t end, int) {
                         move_rows({dst.data + begin * dst.pitch, dst.pitch},
                                   {src.data + begin * src.pitch, src.pitch},
                                   {shape.bytes, static_cast<size_t>(end - begin)});
                       });
}

void count_copied(Device& device, size_t bytes) {
  device.counters().bytes_copied.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}

class CopyNode final : public Node {
 public:
  CopyNode(Device& device, Rows dst, Rows src, Shape shape)
      : device_(device),
        dst_(dst),
        src_(src),
        shape_(shape),
        regions_{region_of(dst, shape, true), region_of(src, shape, false)} {}
  const char* name() const override { return "aclrtMemcpy"; }
  std::string describe() const override { return base::message(shape_.total(), " bytes"); }
  std::span<const Region> regions() const override { return regions_; }
  void run(base::Workers& workers) override {
    move_rows(dst_, src_, shape_, workers);
    count_copied(device_, shape_.total());
  }
  /// Takes over the source: its bytes are read now.
  static std::unique_ptr<CopyNode> with_snapshot(Device& device, Rows dst, Rows src, Shape shape) {
    auto bytes = std::make_unique_for_overwrite<std::byte[]>(shape.total());
    const Rows packed{bytes.get(), shape.bytes};
    move_rows(packed, src, shape);
    auto node = std::make_unique<CopyNode>(device, dst, packed, shape);
    node->snapshot_ = std::move(bytes);
    return node;
  }

 private:
  Device& device_;
  const Rows dst_, src_;
  const Shape shape_;
  const std::array<Region, 2> regions_;
  std::unique_ptr<std::byte[]> snapshot_;
};

class FillNode final : public Node {
 public:
  FillNode(Rows dst, Shape shape, int value)
      : dst_(dst), shape_(shape), value_(value), region_(region_of(dst, shape, true)) {}
  const char* name() const override { return "aclrtMemset"; }
  std::string describe() const override { return base::message(shape_.bytes, " bytes"); }
  std::span<const Region> regions() const override { return {&region_, 1}; }
  void run(base::Workers& workers) override {
    const int64_t grain =
        shape_.bytes <= kParallelBytes ? static_cast<int64_t>(shape_.bytes) : kTileBytes;
    workers.parallel_for(static_cast<int64_t>(shape_.bytes), grain,
                         [&](int64_t begin, int64_t end, int) {
                           std::memset(dst_.data + begin, value_, static_cast<size_t>(end - begin));
                         });
  }

 private:
  const Rows dst_;
  const Shape shape_;
  const int value_;
  const Region region_;
};

class ReleaseNode final : public Node {
 public:
  explicit ReleaseNode(Region region) : region_(region) {}
  const char* name() const override { return "softnpuMemoryReleased"; }
  Role role() const override { return Role::kRelease; }
  std::span<const Region> regions() const override { return {&region_, 1}; }
  void run(base::Workers&) override {}

 private:
  const Region region_;
};

struct Side {
  Rows rows;
  MemoryKind kind;
  Device* device = nullptr;
};

Side side_of(const void* address, size_t pitch, const Shape& shape, const char* what) {
  const size_t step = shape.rows > 1 ? pitch : shape.bytes;
  if (step < shape.bytes) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID, what, " has rows of ", shape.bytes, " bytes ", step,
               " bytes apart");
  }
  if (!address) base::fail(ACL_ERROR_RT_PARAM_INVALID, what, " is null");
  const MemoryInfo info = memory_at(address);
  Side side{{nullptr, step}, info.kind};
  if (is_device_address(address) || info.kind != MemoryKind::kUnregistered) {
    side.rows.data = resolve(address, shape.extent(step), what);
  } else {
    side.rows.data = static_cast<std::byte*>(const_cast<void*>(address));
  }
  if (info.kind == MemoryKind::kDevice) side.device = &device_at(info.device);
  return side;
}

// Device memory's sticky errors come out at the next synchronous copy as well.
void throw_errors(const Side& side) {
  if (side.device) side.device->executor().throw_any_error();
}

// Runs a node with all of the device's workers and waits for it.
void run_now(Device& device, NodePtr node) {
  Stream& stream = device.transfer_stream();
  Executor& executor = device.executor();
  const uint64_t position = executor.enqueue(stream, std::move(node));
  executor.wait(stream, position);
  executor.throw_error(stream, position);
}

}  // namespace

void check_kind(const void* dst, const void* src, CopyKind kind) {
  struct Row {
    bool dst_on_device, src_on_device;
  };
  constexpr Row kRows[] = {{false, false}, {true, false}, {false, true}, {true, true},
                           {false, false}, {true, false}, {true, true},  {true, true}};
  if (kind == CopyKind::kDefault) return;
  if (static_cast<size_t>(kind) >= std::size(kRows)) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID, "unknown kind of copy ", static_cast<int>(kind));
  }
  const Row& row = kRows[static_cast<size_t>(kind)];
  const auto check = [](const char* what, const void* address, bool on_device) {
    if (is_device_address(address) == on_device) return;
    base::fail(ACL_ERROR_RT_PARAM_INVALID, "the kind of copy says that ", what, " is in ",
               on_device ? "device" : "host", " memory, but its address is in ",
               on_device ? "host" : "device", " memory");
  };
  check("the destination", dst, row.dst_on_device);
  check("the source", src, row.src_on_device);
}

void copy(const Copy& c) {
  require_usable();
  const Shape shape{c.bytes, c.rows};
  if (shape.total() == 0) return;
  const Side dst = side_of(c.dst, c.dst_pitch, shape, "the destination");
  const Side src = side_of(c.src, c.src_pitch, shape, "the source");
  complete_pending({region_of(dst.rows, shape, true), region_of(src.rows, shape, false)});
  throw_errors(dst);
  throw_errors(src);
  Device* device = dst.device ? dst.device : src.device;
  if (device && shape.total() > kParallelBytes) {  // the executor has the workers
    Stream& stream = device->transfer_stream();
    Executor& executor = device->executor();
    const uint64_t position =
        executor.enqueue(stream, std::make_unique<CopyNode>(*device, dst.rows, src.rows, shape));
    executor.wait(stream, position);
    return;
  }
  move_rows(dst.rows, src.rows, shape);
  if (device) count_copied(*device, shape.total());
}

void copy_async(const Copy& c, Stream& stream) {
  require_usable();
  const Shape shape{c.bytes, c.rows};
  if (shape.total() == 0) return;
  const Side dst = side_of(c.dst, c.dst_pitch, shape, "the destination");
  const Side src = side_of(c.src, c.src_pitch, shape, "the source");
  Device& device = stream.device();
  const bool pageable_src = src.kind == MemoryKind::kUnregistered;
  const bool pageable_dst = dst.kind == MemoryKind::kUnregistered;
  if (pageable_src && shape.total() > kSnapshotBytes) stream.synchronize();
  if (pageable_src && stream.idle()) {  // nothing to wait for: the copy is its own snapshot
    move_rows(dst.rows, src.rows, shape);
    count_copied(device, shape.total());
    return;
  }
  if (pageable_src) {
    stream.enqueue(CopyNode::with_snapshot(device, dst.rows, src.rows, shape));
  } else {
    stream.enqueue(std::make_unique<CopyNode>(device, dst.rows, src.rows, shape));
  }
  if (pageable_dst) stream.synchronize();
}

void fill(void* address, int value, size_t bytes) {
  require_usable();
  if (bytes == 0) return;
  const Shape shape{bytes, 1};
  const Side dst = side_of(address, 0, shape, "the destination");
  complete_pending({region_of(dst.rows, shape, true)});
  throw_errors(dst);
  if (dst.device && bytes > kParallelBytes) {
    run_now(*dst.device, std::make_unique<FillNode>(dst.rows, shape, value));
    return;
  }
  std::memset(dst.rows.data, value, bytes);
}

void fill_async(void* address, int value, size_t bytes, Stream& stream) {
  require_usable();
  if (bytes == 0) return;
  const Shape shape{bytes, 1};
  const Side dst = side_of(address, 0, shape, "the destination");
  stream.enqueue(std::make_unique<FillNode>(dst.rows, shape, value));
  if (dst.kind == MemoryKind::kUnregistered) stream.synchronize();
}

void memory_released(void* address, size_t bytes, Stream& stream) {
  if (bytes == 0 || !windows_enabled()) return;  // only a rewriter makes use of it
  const auto begin = reinterpret_cast<uintptr_t>(resolve(address, bytes, "the released memory"));
  stream.enqueue(std::make_unique<ReleaseNode>(Region{begin, begin + bytes, true}));
}

}  // namespace npu::runtime
