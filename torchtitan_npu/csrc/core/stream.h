// SPDX-License-Identifier: Apache-2.0
// Streams. A c10::Stream of device type npu, with a current one per thread and device; the default
// stream and 32 pooled streams per device and priority are created when first asked for and live as
// long as the process. Thread-safe.
#pragma once

#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>
#include <c10/macros/Export.h>

#include "acl/acl.h"

namespace torchtitan_npu {

class C10_EXPORT NPUStream {
 public:
  /// Throws when `stream` is not an npu stream.
  explicit NPUStream(c10::Stream stream);

  bool operator==(const NPUStream& other) const noexcept { return unwrap() == other.unwrap(); }
  bool operator!=(const NPUStream& other) const noexcept { return unwrap() != other.unwrap(); }
  operator c10::Stream() const { return unwrap(); }
  operator aclrtStream() const { return handle(); }

  /// CANN's handle; creates the stream at its first use.
  aclrtStream handle() const;
  c10::Stream unwrap() const { return stream_; }
  c10::StreamId id() const { return stream_.id(); }
  c10::Device device() const { return stream_.device(); }
  c10::DeviceIndex device_index() const { return stream_.device_index(); }
  int priority() const;

  /// True when everything issued so far is done.
  bool query() const;
  /// Waits for it; raises errors of operators that failed. Returns to Ctrl-C.
  void synchronize() const;

 private:
  c10::Stream stream_;
};

/// Stream of `device` (-1: the current device) that the calling thread works on. Binds the thread
/// to the device when that is the current one.
C10_EXPORT NPUStream current_stream(c10::DeviceIndex device = -1);
C10_EXPORT NPUStream default_stream(c10::DeviceIndex device = -1);
C10_EXPORT void set_current_stream(NPUStream stream);
/// priority 0 is normal; anything below is high.
C10_EXPORT NPUStream stream_from_pool(int priority = 0, c10::DeviceIndex device = -1);
/// Wraps a stream that somebody else made and keeps alive.
C10_EXPORT NPUStream stream_from_external(aclrtStream handle, c10::DeviceIndex device);

/// Handle of the current device's current stream, with the thread bound to that device: what an
/// operator launch needs, in one thread_local read.
C10_EXPORT aclrtStream current_stream_handle();

}  // namespace torchtitan_npu

template <>
struct std::hash<torchtitan_npu::NPUStream> {
  size_t operator()(const torchtitan_npu::NPUStream& stream) const noexcept {
    return std::hash<c10::Stream>{}(stream.unwrap());
  }
};
