// SPDX-License-Identifier: Apache-2.0
// SOFTNPU_TRACE=file: one JSON line for each ABI call, {"call", "result", "args": [...]}. Types
// that want a readable form overload `void trace_value(std::string& json, const T&)` in their
// namespace.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

namespace npu::base {

/// True when SOFTNPU_TRACE names a file that could be opened (one relaxed load).
bool trace_enabled() noexcept;
/// Appends `json` and a newline to the trace, as one write.
void trace_line(const std::string& json) noexcept;
/// Appends a quoted, escaped JSON string.
void trace_text(std::string& json, const char* text);
void trace_pointer(std::string& json, const void* pointer);
void trace_number(std::string& json, double value);

template <class T>
void trace_value(std::string& json, const T& value) {
  if constexpr (std::is_array_v<T>) {  // a literal
    trace_value(json, static_cast<const std::remove_extent_t<T>*>(value));
  } else if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, char*>) {
    value ? trace_text(json, value) : static_cast<void>(json += "null");
  } else if constexpr (std::is_same_v<T, bool>) {
    json += value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    trace_number(json, value);
  } else if constexpr (std::is_enum_v<T>) {
    json += std::to_string(static_cast<int64_t>(value));
  } else if constexpr (std::is_integral_v<T>) {
    json += std::to_string(value);
  } else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>) {
    trace_pointer(json, reinterpret_cast<const void*>(value));
  } else {
    static_assert(std::is_pointer_v<T>, "overload trace_value for this type");
    trace_pointer(json, value);
  }
}

template <class... Args>
void trace_call(const char* name, int code, const Args&... args) noexcept {
  try {
    std::string json = "{\"call\":\"" + std::string(name) +
                       "\",\"result\":" + std::to_string(code) + ",\"args\":[";
    bool first = true;
    ((first ? void(first = false) : void(json += ','), trace_value(json, args)), ...);
    json += "]}";
    trace_line(json);
  } catch (...) {  // tracing must never fail the call it reports
  }
}

}  // namespace npu::base
