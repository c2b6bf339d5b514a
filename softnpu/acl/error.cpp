// SPDX-License-Identifier: Apache-2.0
// The calling thread's last error, and the application's own log lines.
#include <cstdarg>
#include <cstdio>
#include <string>

#include "acl/acl.h"
#include "softnpu/acl/entry.h"

using npu::base::guard;
using npu::base::require;

namespace {

void check_level(aclrtLastErrLevel level) {
  require(level == ACL_RT_THREAD_LEVEL, ACL_ERROR_INVALID_PARAM, "error level ",
          static_cast<int>(level), " does not exist; the only one is 0 (thread)");
}

}  // namespace

const char* aclGetRecentErrMsg() {
  static thread_local std::string text;  // what the caller reads, after the message was cleared
  text = npu::base::recent_error_message();
  npu::base::clear_recent_error();
  guard("aclGetRecentErrMsg", [] {}, text.c_str());
  return text.empty() ? nullptr : text.c_str();
}

// These answer with the recorded code, so they cannot go through guard(), which would record it
// anew.
aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  const int last = npu::base::last_error_code();
  const int code = guard("aclrtPeekAtLastError", [&] { check_level(level); }, level);
  return code == ACL_SUCCESS ? last : code;
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  const int last = npu::base::last_error_code();
  const int code = guard("aclrtGetLastError", [&] { check_level(level); }, level);
  if (code != ACL_SUCCESS) return code;
  npu::base::last_error_code() = ACL_SUCCESS;
  return last;
}

// There is no log file: SOFTNPU_TRACE shows the lines between the calls that they are about.
void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line,
               const char* fmt, ...) {
  if (!npu::base::trace_enabled() || fmt == nullptr) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, fmt);
  std::vsnprintf(text, sizeof(text), fmt, arguments);
  va_end(arguments);
  npu::base::trace_call("aclAppLog", 0, logLevel, func, file, line, static_cast<const char*>(text));
}
