// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/abi.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

namespace npu::base {
namespace {

// Plain storage: errors must be reportable when the host is out of memory and while a thread ends.
constexpr size_t kMessageBytes = 4096;
thread_local std::array<char, kMessageBytes> message_text;
thread_local int error_code = 0;

std::atomic<bool> fork_unsafe{false};
std::atomic<bool> forked_child{false};

}  // namespace

int record_error(const char* name, int code, const char* text) noexcept {
  error_code = code;
  std::snprintf(message_text.data(), kMessageBytes, "%s: %s", name, text);
  return code;
}

const char* recent_error_message() noexcept { return message_text.data(); }

void clear_recent_error() noexcept { message_text[0] = '\0'; }

int& last_error_code() noexcept { return error_code; }

void mark_fork_unsafe() noexcept {
  if (fork_unsafe.exchange(true)) return;
  // The child owns none of the runtime's threads and no device memory. It is told so by every call.
  pthread_atfork(nullptr, nullptr, [] { forked_child.store(true, std::memory_order_relaxed); });
}

bool in_forked_child() noexcept { return forked_child.load(std::memory_order_relaxed); }

int reject_forked_child(const char* name) noexcept {
  if (!in_forked_child()) [[likely]] {
    return 0;
  }
  return record_error(name, 507000 /* ACL_ERROR_RT_INTERNAL_ERROR */,
                      "this process was forked after its parent initialised the NPU, which it "
                      "cannot use; start it with the 'spawn' start method, e.g. "
                      "multiprocessing.set_start_method('spawn')");
}

}  // namespace npu::base
