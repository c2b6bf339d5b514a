// SPDX-License-Identifier: Apache-2.0
// Events: marks in a stream that other streams and the host can wait for. NPUEvent owns one and
// creates it at the first record; movable, not copyable, used by one thread at a time.
#pragma once

#include <c10/macros/Export.h>

#include <utility>

#include "acl/acl.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/stream.h"

namespace torchtitan_npu {

/// The primitives below take raw handles, for the device guard's event interface.
C10_EXPORT aclrtEvent create_event(bool timing);
C10_EXPORT void destroy_event(aclrtEvent event) noexcept;
C10_EXPORT void record_event(aclrtEvent event, const NPUStream& stream);
C10_EXPORT void wait_event(aclrtEvent event, const NPUStream& stream);
C10_EXPORT bool query_event(aclrtEvent event);
C10_EXPORT void synchronize_event(aclrtEvent event);
C10_EXPORT double elapsed_milliseconds(aclrtEvent start, aclrtEvent end);

class NPUEvent {
 public:
  explicit NPUEvent(bool timing = false) : timing_(timing) {}
  ~NPUEvent() { reset(); }
  NPUEvent(NPUEvent&& other) noexcept { swap(other); }
  NPUEvent& operator=(NPUEvent&& other) noexcept {
    swap(other);
    return *this;
  }
  NPUEvent(const NPUEvent&) = delete;
  NPUEvent& operator=(const NPUEvent&) = delete;

  aclrtEvent handle() const noexcept { return event_; }
  bool recorded() const noexcept { return recorded_; }

  void record(const NPUStream& stream) {
    DeviceScope scope(stream.device_index());
    if (event_ == nullptr) event_ = create_event(timing_);
    record_event(event_, stream);
    recorded_ = true;
  }
  /// Makes later work of `stream` wait; nothing when never recorded.
  void block(const NPUStream& stream) const {
    if (recorded_) wait_event(event_, stream);
  }
  /// An event that was never recorded counts as complete.
  bool query() const { return !recorded_ || query_event(event_); }
  void synchronize() const {
    if (recorded_) synchronize_event(event_);
  }
  double elapsed_time(const NPUEvent& end) const {
    return elapsed_milliseconds(event_, end.event_);
  }

 private:
  void swap(NPUEvent& other) noexcept {
    std::swap(event_, other.event_);
    std::swap(timing_, other.timing_);
    std::swap(recorded_, other.recorded_);
  }
  void reset() noexcept {
    if (event_ != nullptr) destroy_event(std::exchange(event_, nullptr));
  }

  aclrtEvent event_ = nullptr;
  bool timing_ = false;
  bool recorded_ = false;
};

}  // namespace torchtitan_npu
