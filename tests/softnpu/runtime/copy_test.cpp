// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/copy.h"

#include <cstring>
#include <numeric>
#include <thread>

#include "testing_nodes.h"

namespace npu::runtime {
namespace {

class CopyTest : public RuntimeTest {
 protected:
  static std::vector<uint8_t> pattern(size_t bytes, int seed = 1) {
    std::vector<uint8_t> data(bytes);
    for (size_t i = 0; i < bytes; ++i) {
      data[i] = static_cast<uint8_t>((i * 31 + i / 257 + static_cast<size_t>(seed)) % 251);
    }
    return data;
  }
  static std::vector<uint8_t> contents(const void* device, size_t bytes) {
    std::vector<uint8_t> data(bytes);
    copy({.dst = data.data(), .src = device, .bytes = bytes});
    return data;
  }
};

TEST_F(CopyTest, AllDirectionsAndSizes) {
  for (size_t bytes : {size_t{1}, size_t{4097}, size_t{1} << 20, (size_t{9} << 20) + 13}) {
    const std::vector<uint8_t> data = pattern(bytes);
    void* a = allocate(current_device(), bytes);
    void* b = allocate(device_at(1), bytes);
    copy({.dst = a, .src = data.data(), .bytes = bytes});
    copy({.dst = b, .src = a, .bytes = bytes});  // to the peer
    EXPECT_EQ(contents(b, bytes), data) << bytes;
    release(a);
    release(b);
  }
  std::vector<uint8_t> from = pattern(100), to(100);
  copy({.dst = to.data(), .src = from.data(), .bytes = 100});
  EXPECT_EQ(to, from);
}

TEST_F(CopyTest, AsynchronousRoundTripThroughPinnedMemory) {
  constexpr size_t kBytes = 6 << 20;
  auto* in = static_cast<uint8_t*>(allocate_host(kBytes));
  auto* out = static_cast<uint8_t*>(allocate_host(kBytes));
  const std::vector<uint8_t> data = pattern(kBytes);
  std::memcpy(in, data.data(), kBytes);
  std::memset(out, 0, kBytes);
  void* device = allocate(current_device(), kBytes);
  copy_async({.dst = device, .src = in, .bytes = kBytes}, default_stream());
  copy_async({.dst = out, .src = device, .bytes = kBytes}, default_stream());
  default_stream().synchronize();
  EXPECT_EQ(std::memcmp(out, data.data(), kBytes), 0);
  release_host(in);
  release_host(out);
  release(device);
}

TEST_F(CopyTest, PageableSourceIsReadBeforeTheCallReturns) {
  Gate gate;
  void* device = allocate(current_device(), 1000);
  std::vector<uint8_t> data = pattern(1000);
  const std::vector<uint8_t> expected = data;
  default_stream().enqueue(gate.node());  // the stream is busy: a snapshot is needed
  copy_async({.dst = device, .src = data.data(), .bytes = 1000}, default_stream());
  std::fill(data.begin(), data.end(), uint8_t{0});
  gate.open();
  default_stream().synchronize();
  EXPECT_EQ(contents(device, 1000), expected);
  data = expected;  // an idle stream
  copy_async({.dst = device, .src = data.data(), .bytes = 1000}, default_stream());
  std::fill(data.begin(), data.end(), uint8_t{0});
  EXPECT_EQ(contents(device, 1000), expected);
  release(device);
}

TEST_F(CopyTest, PinnedSourceIsReadInStreamOrder) {
  Gate gate;
  void* device = allocate(current_device(), 16);
  auto* pinned = static_cast<uint8_t*>(allocate_host(16));
  std::memset(pinned, 1, 16);
  default_stream().enqueue(gate.node());
  default_stream().enqueue(node([pinned] { std::memset(pinned, 2, 16); }));
  copy_async({.dst = device, .src = pinned, .bytes = 16}, default_stream());
  gate.open();
  EXPECT_EQ(contents(device, 16), std::vector<uint8_t>(16, 2));
  release(device);
  release_host(pinned);
}

TEST_F(CopyTest, IntoPageableMemoryTheCopyHasFinishedOnReturn) {
  void* device = allocate(current_device(), 8);
  std::vector<uint8_t> out(8, 0);
  std::byte* host = resolve(device, 8, "device");
  default_stream().enqueue(node(
      [host] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::memset(host, 9, 8);
      },
      {writes(device, 8)}));
  copy_async({.dst = out.data(), .src = device, .bytes = 8}, default_stream());
  EXPECT_EQ(out, std::vector<uint8_t>(8, 9));
  release(device);
}

TEST_F(CopyTest, SynchronousCopyWaitsForConflictsOnlyInAnyStream) {
  Gate gate;
  void* device = allocate(current_device(), 8);
  void* untouched = allocate(current_device(), 8);
  fill(untouched, 5, 8);
  std::byte* host = resolve(device, 8, "device");
  Stream& other = stream_of(create_stream());
  other.enqueue(node(
      [host] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::memset(host, 3, 8);
      },
      {writes(device, 8)}));
  other.enqueue(gate.node({reads(untouched, 8)}));
  EXPECT_EQ(contents(device, 8), std::vector<uint8_t>(8, 3));
  // A pending reader does not hold another reader.
  EXPECT_EQ(contents(untouched, 8), std::vector<uint8_t>(8, 5));
  gate.open();
  release(device);
  release(untouched);
}

TEST_F(CopyTest, RowsWithPitches) {
  const std::vector<uint8_t> data = pattern(10 * 100);
  void* device = allocate(current_device(), 4096);
  fill(device, 0, 4096);
  copy({.dst = device,
        .src = data.data(),
        .bytes = 60,
        .rows = 10,
        .dst_pitch = 64,
        .src_pitch = 100});
  std::vector<uint8_t> back(10 * 60);
  copy_async({.dst = back.data(),
              .src = device,
              .bytes = 60,
              .rows = 10,
              .dst_pitch = 60,
              .src_pitch = 64},
             default_stream());
  for (size_t row = 0; row < 10; ++row) {
    EXPECT_EQ(std::memcmp(&back[row * 60], &data[row * 100], 60), 0) << row;
  }
  // The gaps are not written.
  EXPECT_EQ(contents(device, 64)[63], 0);
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "rows of 60 bytes 50 bytes apart", [&] {
    copy({.dst = device,
          .src = data.data(),
          .bytes = 60,
          .rows = 2,
          .dst_pitch = 50,
          .src_pitch = 100});
  });
  release(device);
}

TEST_F(CopyTest, LargeRowsInParallel) {
  constexpr size_t kRow = 3000, kRows = 2000, kPitch = 3072;
  const std::vector<uint8_t> data = pattern(kRow * kRows);
  void* device = allocate(current_device(), kPitch * kRows);
  copy({.dst = device,
        .src = data.data(),
        .bytes = kRow,
        .rows = kRows,
        .dst_pitch = kPitch,
        .src_pitch = kRow});
  std::vector<uint8_t> back(kRow * kRows);
  copy({.dst = back.data(),
        .src = device,
        .bytes = kRow,
        .rows = kRows,
        .dst_pitch = kRow,
        .src_pitch = kPitch});
  EXPECT_EQ(back, data);
  release(device);
}

TEST_F(CopyTest, Fills) {
  for (size_t bytes : {size_t{3}, size_t{5} << 20}) {
    void* device = allocate(current_device(), bytes);
    fill(device, 0x5a, bytes);
    EXPECT_EQ(contents(device, bytes), std::vector<uint8_t>(bytes, 0x5a));
    fill_async(device, 0x11, bytes, default_stream());
    EXPECT_EQ(contents(device, bytes), std::vector<uint8_t>(bytes, 0x11));
    release(device);
  }
}

TEST_F(CopyTest, BadArgumentsAreNamed) {
  auto* device = static_cast<std::byte*>(allocate(current_device(), 100));
  char host[1000] = {};
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "the destination",
               [&] { copy({.dst = device, .src = host, .bytes = 1000}); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "the source is null",
               [&] { copy({.dst = device, .src = nullptr, .bytes = 4}); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "the destination",
               [&] { copy_async({.dst = device, .src = host, .bytes = 1000}, default_stream()); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "device memory, but its address is in host",
               [&] { check_kind(host, host, CopyKind::kHostToDevice); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "host memory, but its address is in device",
               [&] { check_kind(device, device, CopyKind::kDeviceToHost); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "unknown kind",
               [&] { check_kind(device, host, static_cast<CopyKind>(99)); });
  EXPECT_NO_THROW(check_kind(device, host, CopyKind::kHostToDevice));
  EXPECT_NO_THROW(check_kind(host, device, CopyKind::kDefault));
  EXPECT_NO_THROW(copy({.dst = nullptr, .src = nullptr, .bytes = 0}));
  release(device);
}

TEST_F(CopyTest, BytesAreCounted) {
  Device& device = current_device();
  void* memory = allocate(device, 1000);
  const int64_t before = counter("bytes_copied", device);
  const std::vector<uint8_t> data = pattern(1000);
  copy({.dst = memory, .src = data.data(), .bytes = 1000});
  copy_async({.dst = memory, .src = data.data(), .bytes = 500}, default_stream());
  default_stream().synchronize();
  EXPECT_EQ(counter("bytes_copied", device) - before, 1500);
  EXPECT_GE(counter("bytes_copied"), 1500);
  expect_error(ACL_ERROR_INVALID_PARAM, "nodes_run", [] { counter("no_such_counter"); });
  release(memory);
}

}  // namespace
}  // namespace npu::runtime
