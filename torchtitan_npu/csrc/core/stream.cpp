// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/stream.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/library.h"
#include "torchtitan_npu/csrc/core/wait.h"

namespace torchtitan_npu {
namespace {

// A stream id is (index << 2) | kind; id 0 is the default stream, as c10 wants it.
enum Kind : c10::StreamId { kDefault = 0, kNormal = 1, kHigh = 2, kExternal = 3 };
constexpr int kKindBits = 2;
constexpr int kPoolSize = 32;

constexpr Kind kind_of(c10::StreamId id) { return static_cast<Kind>(id & 3); }
constexpr size_t index_of(c10::StreamId id) { return static_cast<size_t>(id >> kKindBits); }
constexpr c10::StreamId make_id(Kind kind, size_t index) {
  return static_cast<c10::StreamId>(index) << kKindBits | kind;
}

// CANN counts priorities upwards from the most urgent.
constexpr uint32_t kUrgent = 0;
constexpr uint32_t kOrdinary = 1;

struct DeviceStreams {
  std::atomic<aclrtStream> default_stream{nullptr};
  std::atomic<aclrtStream> pool[2][kPoolSize] = {};
  std::atomic<uint32_t> next[2] = {};
};

// Streams live as long as the process, so nothing here has a destructor.
constinit DeviceStreams device_streams[kMaxDevices];
constinit std::mutex create_mutex;

struct ExternalStreams {
  std::mutex mutex;
  std::vector<aclrtStream> handles;
};
ExternalStreams& external_streams() {
  static auto* const streams = new ExternalStreams();
  return *streams;
}

aclrtStream create_stream(c10::DeviceIndex device, uint32_t priority) {
  DeviceScope scope(device);
  aclrtStream handle = nullptr;
  NPU_CHECK(FN(aclrtCreateStreamWithConfig)(&handle, priority,
                                            ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
  return handle;
}

aclrtStream handle_in(std::atomic<aclrtStream>& slot, c10::DeviceIndex device, uint32_t priority) {
  aclrtStream handle = slot.load(std::memory_order_acquire);
  if (C10_LIKELY(handle != nullptr)) return handle;
  const std::lock_guard<std::mutex> lock(create_mutex);
  handle = slot.load(std::memory_order_relaxed);
  if (handle != nullptr) return handle;
  handle = create_stream(device, priority);
  slot.store(handle, std::memory_order_release);
  return handle;
}

NPUStream make_stream(c10::DeviceIndex device, c10::StreamId id) {
  return NPUStream(c10::Stream(c10::Stream::UNSAFE, c10::Device(kNpu, device), id));
}

c10::DeviceIndex resolve_index(c10::DeviceIndex device) {
  if (device < 0) return current_device();
  check_device_index(device);
  return device;
}

}  // namespace

NPUStream::NPUStream(c10::Stream stream) : stream_(stream) {
  TORCH_CHECK(stream.device_type() == kNpu, "expected an npu stream, got one of ", stream.device(),
              error_suffix(ErrorCode::kType));
}

aclrtStream NPUStream::handle() const {
  ensure_initialized();
  const size_t index = index_of(id());
  DeviceStreams& streams = device_streams[device_index()];
  switch (kind_of(id())) {
    case kDefault:
      return handle_in(streams.default_stream, device_index(), kOrdinary);
    case kNormal:
    case kHigh: {
      const bool high = kind_of(id()) == kHigh;
      TORCH_CHECK(index < kPoolSize, "no npu stream has id ", id());
      return handle_in(streams.pool[high ? 1 : 0][index], device_index(),
                       high ? kUrgent : kOrdinary);
    }
    case kExternal:
      break;
  }
  ExternalStreams& external = external_streams();
  const std::lock_guard<std::mutex> lock(external.mutex);
  TORCH_CHECK(index < external.handles.size(), "no npu stream has id ", id());
  return external.handles[index];
}

int NPUStream::priority() const { return kind_of(id()) == kHigh ? -1 : 0; }

bool NPUStream::query() const {
  const aclrtStream stream = handle();
  DeviceScope scope(device_index());
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  NPU_CHECK(FN(aclrtStreamQuery)(stream, &status));
  return status == ACL_STREAM_STATUS_COMPLETE;
}

void NPUStream::synchronize() const {
  const aclrtStream stream = handle();
  DeviceScope scope(device_index());
  wait_in_slices([stream](int32_t milliseconds) {
    const int status = FN(aclrtSynchronizeStreamWithTimeout)(stream, milliseconds);
    if (is_timeout(status)) return false;
    if (status != ACL_SUCCESS) throw_acl_error(status, "FN(aclrtSynchronizeStream)", NPU_HERE);
    return true;
  });
}

NPUStream current_stream(c10::DeviceIndex device) {
  device = resolve_index(device);
  return make_stream(device, detail::thread_state().stream_ids[device]);
}

NPUStream default_stream(c10::DeviceIndex device) {
  return make_stream(resolve_index(device), make_id(kDefault, 0));
}

void set_current_stream(NPUStream stream) {
  detail::ThreadState& thread = detail::thread_state();
  thread.stream_ids[stream.device_index()] = stream.id();
  thread.stream_handles[stream.device_index()] = nullptr;
}

NPUStream stream_from_pool(int priority, c10::DeviceIndex device) {
  device = resolve_index(device);
  const bool high = priority < 0;
  const uint32_t turn =
      device_streams[device].next[high ? 1 : 0].fetch_add(1, std::memory_order_relaxed);
  return make_stream(device, make_id(high ? kHigh : kNormal, turn % kPoolSize));
}

NPUStream stream_from_external(aclrtStream handle, c10::DeviceIndex device) {
  device = resolve_index(device);
  ExternalStreams& external = external_streams();
  const std::lock_guard<std::mutex> lock(external.mutex);
  size_t index = 0;
  while (index < external.handles.size() && external.handles[index] != handle) ++index;
  if (index == external.handles.size()) external.handles.push_back(handle);
  return make_stream(device, make_id(kExternal, index));
}

aclrtStream current_stream_handle() {
  bind_device();
  detail::ThreadState& thread = detail::thread_state();
  aclrtStream& cached = thread.stream_handles[thread.chosen];
  if (C10_UNLIKELY(cached == nullptr)) cached = current_stream(thread.chosen).handle();
  return cached;
}

}  // namespace torchtitan_npu
