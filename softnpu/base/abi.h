// SPDX-License-Identifier: Apache-2.0
// The C edge: guard() runs an entry point's body, turns errors into codes, keeps their text for
// aclGetRecentErrMsg and writes the call to SOFTNPU_TRACE. Nothing throws across the ABI.
#pragma once

#include <exception>
#include <new>

#include "softnpu/base/error.h"
#include "softnpu/base/trace.h"

namespace npu::base {

/// Stores `code` and `text` as this thread's most recent error; returns `code`.
int record_error(const char* name, int code, const char* text) noexcept;
/// This thread's most recent message (valid until its next error), or "" if there is none.
/// aclGetRecentErrMsg returns it and then clears it.
const char* recent_error_message() noexcept;
void clear_recent_error() noexcept;
/// Last error code of this thread, as aclrtGetLastError/aclrtPeekAtLastError report it.
int& last_error_code() noexcept;

/// Called once the process holds what a fork cannot carry over: threads, device memory, contexts.
/// A process forked from it is then refused.
void mark_fork_unsafe() noexcept;
bool in_forked_child() noexcept;
/// Every call from a forked child fails here with one message that says "spawn"; 0 if not a child.
int reject_forked_child(const char* name) noexcept;

/// Runs `body` (which throws base::Error on failure) for the ABI function `name`; returns its code.
template <class Body, class... Args>
int guard(const char* name, Body&& body, const Args&... args) noexcept {
  int code = reject_forked_child(name);
  if (code == 0) {
    try {
      body();
    } catch (const Error& e) {
      code = record_error(name, e.code(), e.what());
    } catch (const std::bad_alloc&) {
      code = record_error(name, 200000 /* ACL_ERROR_BAD_ALLOC */, "the host is out of memory");
    } catch (const std::exception& e) {
      code = record_error(name, 500000 /* ACL_ERROR_INTERNAL_ERROR */, e.what());
    }
  }
  if (trace_enabled()) [[unlikely]] {
    trace_call(name, code, args...);
  }
  return code;
}

}  // namespace npu::base
