// SPDX-License-Identifier: Apache-2.0
// Errors of CANN calls and the adapter's error style.
//   NPU_CHECK(FN(aclrtFree)(ptr));   throws c10::AcceleratorError: code, symbol, CANN's own text
//   NPU_WARN(FN(aclrtFree)(ptr));    the same as a warning, for destructors
//   TORCH_CHECK(ok, "what, what to do", error_suffix(ErrorCode::kParameter));   user mistakes
#pragma once

#include <c10/macros/Export.h>
#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>

#include <string>

#include "acl/acl.h"

namespace torchtitan_npu {

// ERRmmccc: which part of the adapter, which kind of error (torch_npu's numbering).
enum class Module { kAdapter = 0, kOperators = 1, kDistributed = 2, kGraph = 3, kProfiler = 4 };
enum class ErrorCode {
  kParameter = 1,
  kType = 2,
  kValue = 3,
  kPointer = 4,
  kInternal = 5,
  kMemory = 6,
  kNotSupported = 7,
  kNotFound = 8,
  kUnavailable = 9,
  kSystemCall = 10,
  kTimeout = 11,
  kPermission = 12,
  kAcl = 100,
  kHccl = 200,
  kGraphEngine = 300,
};

/// "\n[ERROR] time (PID:n, Device:n, RankID:n) ERRmmccc MODULE text", or "" in compact mode.
C10_EXPORT std::string error_suffix(ErrorCode code, Module module = Module::kAdapter);

/// What a CANN error code means in a few words, or "".
C10_EXPORT const char* acl_error_text(int code) noexcept;

/// Whether a bounded wait ended because its time was up.
constexpr bool is_timeout(int code) noexcept {
  return code == ACL_ERROR_RT_TASK_TIMEOUT || code == ACL_ERROR_RT_WAIT_TIMEOUT ||
         code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT || code == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
}

/// `call` is the failed expression's text; its symbol is taken from between "FN(" and ")".
[[noreturn]] C10_EXPORT void throw_acl_error(int code, const char* call, c10::SourceLocation where,
                                             Module module = Module::kAdapter);
C10_EXPORT void warn_acl_error(int code, const char* call, c10::SourceLocation where) noexcept;

/// Throws c10::AcceleratorError for an error whose text the caller composed.
[[noreturn]] C10_EXPORT void throw_npu_error(int code, const std::string& text,
                                             c10::SourceLocation where,
                                             Module module = Module::kAdapter);

}  // namespace torchtitan_npu

#define NPU_HERE \
  c10::SourceLocation { __func__, __FILE__, static_cast<uint32_t>(__LINE__) }

#define NPU_CHECK(expr)                                                   \
  do {                                                                    \
    const int npu_error_code = (expr);                                    \
    if (C10_UNLIKELY(npu_error_code != 0)) {                              \
      ::torchtitan_npu::throw_acl_error(npu_error_code, #expr, NPU_HERE); \
    }                                                                     \
  } while (0)

#define NPU_WARN(expr)                                                   \
  do {                                                                   \
    const int npu_error_code = (expr);                                   \
    if (C10_UNLIKELY(npu_error_code != 0)) {                             \
      ::torchtitan_npu::warn_acl_error(npu_error_code, #expr, NPU_HERE); \
    }                                                                    \
  } while (0)
