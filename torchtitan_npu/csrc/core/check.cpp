// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/check.h"

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <utility>

#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/library.h"
#include "torchtitan_npu/csrc/core/options.h"

namespace torchtitan_npu {
namespace {

constexpr std::array<const char*, 5> kModuleNames = {"PTA", "OPS", "DIST", "GRAPH", "PROF"};

constexpr std::pair<ErrorCode, const char*> kErrorTexts[] = {
    {ErrorCode::kParameter, "invalid parameter"},
    {ErrorCode::kType, "invalid type"},
    {ErrorCode::kValue, "invalid value"},
    {ErrorCode::kPointer, "invalid pointer"},
    {ErrorCode::kInternal, "internal error"},
    {ErrorCode::kMemory, "memory error"},
    {ErrorCode::kNotSupported, "feature not supported"},
    {ErrorCode::kNotFound, "resource not found"},
    {ErrorCode::kUnavailable, "resource unavailable"},
    {ErrorCode::kSystemCall, "system call failed"},
    {ErrorCode::kTimeout, "timeout error"},
    {ErrorCode::kPermission, "permission error"},
    {ErrorCode::kAcl, "call acl api failed"},
    {ErrorCode::kHccl, "call hccl api failed"},
    {ErrorCode::kGraphEngine, "call ge api failed"},
};

constexpr std::pair<int, const char*> kAclTexts[] = {
    {ACL_ERROR_INVALID_PARAM, "invalid parameter"},
    {ACL_ERROR_UNINITIALIZE, "CANN is not initialised"},
    {ACL_ERROR_REPEAT_INITIALIZE, "CANN is initialised already"},
    {ACL_ERROR_REPEAT_FINALIZE, "CANN was finalised"},
    {ACL_ERROR_UNSUPPORTED_DATA_TYPE, "unsupported data type"},
    {ACL_ERROR_OP_NOT_FOUND, "operator not found"},
    {ACL_ERROR_BAD_ALLOC, "host memory allocation failed"},
    {ACL_ERROR_API_NOT_SUPPORT, "function not supported"},
    {ACL_ERROR_FEATURE_UNSUPPORTED, "feature not supported"},
    {ACL_ERROR_INVALID_DEVICE, "invalid device"},
    {ACL_ERROR_RT_PARAM_INVALID, "invalid parameter"},
    {ACL_ERROR_RT_INVALID_DEVICEID, "invalid device index"},
    {ACL_ERROR_RT_CONTEXT_NULL, "the thread has no device context"},
    {ACL_ERROR_RT_STREAM_CONTEXT, "the stream belongs to another context"},
    {ACL_ERROR_RT_TASK_TIMEOUT, "stream synchronisation timed out"},
    {ACL_ERROR_RT_STREAM_UNJOINED, "a captured stream was not joined"},
    {ACL_ERROR_RT_STREAM_CAPTURED, "not permitted while the stream is captured"},
    {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "feature not supported"},
    {ACL_ERROR_RT_MEMORY_ALLOCATION, "out of device memory"},
    {ACL_ERROR_RT_NO_DEVICE, "no such device"},
    {ACL_ERROR_RT_DEVICE_OOM, "out of device memory"},
    {ACL_ERROR_RT_INTERNAL_ERROR, "internal error of the runtime"},
    {ACL_ERROR_RT_AICORE_EXCEPTION, "exception in an AI Core kernel"},
    {ACL_ERROR_RT_AICPU_EXCEPTION, "exception in an AI CPU kernel"},
    {ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "stream synchronisation timed out"},
};

// "FN(aclrtFree)(ptr)" -> "aclrtFree"; other expressions stay as they are.
std::string symbol_of(std::string_view call) {
  constexpr std::string_view kPrefix = "FN(";
  const size_t begin = call.find(kPrefix);
  if (begin == std::string_view::npos) return std::string(call);
  const size_t end = call.find(')', begin);
  return std::string(call.substr(begin + kPrefix.size(), end - begin - kPrefix.size()));
}

std::string describe(int code, const char* call) {
  std::string text = symbol_of(call) + " failed with error " + std::to_string(code);
  if (const char* meaning = acl_error_text(code); *meaning != '\0') {
    text += std::string(" (") + meaning + ")";
  }
  try {
    const char* recent = FN(aclGetRecentErrMsg)();
    if (recent != nullptr && *recent != '\0') text += std::string(": ") + recent;
  } catch (const std::exception&) {
    // No CANN, no text of its own: the code still says what happened.
  }
  return text;
}

}  // namespace

const char* acl_error_text(int code) noexcept {
  for (const auto& [known, text] : kAclTexts) {
    if (known == code) return text;
  }
  return "";
}

std::string error_suffix(ErrorCode code, Module module) {
  if (options().compact_errors) return "";
  const char* text = "";
  for (const auto& [known, words] : kErrorTexts) {
    if (known == code) text = words;
  }
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char time_text[32];
  std::strftime(time_text, sizeof(time_text), "%Y-%m-%d-%H:%M:%S", &local);
  char line[160];
  std::snprintf(line, sizeof(line), "\n[ERROR] %s (PID:%d, Device:%d, RankID:%d) ERR%02d%03d %s %s",
                time_text, static_cast<int>(getpid()), static_cast<int>(current_device()),
                options().rank, static_cast<int>(module), static_cast<int>(code),
                kModuleNames[static_cast<size_t>(module)], text);
  return line;
}

void throw_npu_error(int code, const std::string& text, c10::SourceLocation where, Module module) {
  throw c10::AcceleratorError(where, code, text + error_suffix(ErrorCode::kAcl, module));
}

void throw_acl_error(int code, const char* call, c10::SourceLocation where, Module module) {
  throw_npu_error(code, describe(code, call), where, module);
}

void warn_acl_error(int code, const char* call, c10::SourceLocation where) noexcept {
  try {
    c10::warn(c10::Warning(c10::UserWarning(), where, describe(code, call), /*verbatim=*/false));
  } catch (...) {
    // A warning handler that throws must not end a destructor.
  }
}

}  // namespace torchtitan_npu
