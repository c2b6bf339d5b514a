// SPDX-License-Identifier: Apache-2.0
// How the adapter reaches CANN: every function is found with dlopen + dlsym on first use and typed
// by the header's declaration, so nothing links to CANN and importing us never fails for want of
// it.
//   FN(aclrtFree)(ptr)                        throws when this CANN has no such function
//   if (auto notice = FN_OPTIONAL(softnpuX))  null when absent
// In the steady state both cost one load. Thread-safe.
#pragma once

#include <c10/macros/Export.h>
#include <c10/macros/Macros.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>

#include "acl/acl.h"

namespace torchtitan_npu {

/// Which CANN was taken and why; loads it. Throws the stored reason when there is none.
struct CannInfo {
  std::string library_folder;
  std::string version;  // "unknown" when this CANN does not say
  bool bundled = false;
  std::string note;  // why the CANN of ASCEND_HOME_PATH was not taken, or ""
};
C10_EXPORT const CannInfo& cann();

/// True when CANN is loaded or can be; never throws. The reason of a failure stays in `why`.
C10_EXPORT bool cann_usable(std::string* why = nullptr) noexcept;

/// Address of `name` in this CANN; null when absent. Throws only when there is no CANN at all.
C10_EXPORT void* find_function(const char* name);
[[noreturn]] C10_EXPORT void throw_missing_function(const char* name);

namespace detail {

template <size_t N>
struct FunctionName {
  char text[N];
  constexpr FunctionName(const char (&name)[N]) { std::copy_n(name, N, text); }
};

template <FunctionName name, typename Function>
inline Function required_function() {
  static std::atomic<Function> cached{nullptr};
  Function function = cached.load(std::memory_order_acquire);
  if (C10_LIKELY(function != nullptr)) return function;
  function = reinterpret_cast<Function>(find_function(name.text));
  if (function == nullptr) throw_missing_function(name.text);
  cached.store(function, std::memory_order_release);
  return function;
}

template <FunctionName name, typename Function>
inline Function optional_function() {
  // Unlike a null pointer, this says "looked up before".
  static std::atomic<bool> known{false};
  static std::atomic<Function> cached{nullptr};
  if (C10_UNLIKELY(!known.load(std::memory_order_acquire))) {
    cached.store(reinterpret_cast<Function>(find_function(name.text)), std::memory_order_relaxed);
    known.store(true, std::memory_order_release);
  }
  return cached.load(std::memory_order_relaxed);
}

}  // namespace detail
}  // namespace torchtitan_npu

#define FN(symbol) (::torchtitan_npu::detail::required_function<#symbol, decltype(&::symbol)>())
#define FN_OPTIONAL(symbol) \
  (::torchtitan_npu::detail::optional_function<#symbol, decltype(&::symbol)>())
