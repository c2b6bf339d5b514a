// SPDX-License-Identifier: Apache-2.0
// The one error type of softnpu. Planning and validation throw it; base/abi.h turns it into an
// aclError and a message at the C edge. Kernels never throw.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace npu::base {

/// An error with CANN's code. The message says what was asked, what was found and what to do.
class Error : public std::runtime_error {
 public:
  Error(int code, std::string message) : std::runtime_error(std::move(message)), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

namespace detail {
inline void append(std::string& text, const char* part) { text += part; }
inline void append(std::string& text, const std::string& part) { text += part; }
inline void append(std::string& text, std::string_view part) { text += part; }
template <class T>
  requires std::is_arithmetic_v<T>
void append(std::string& text, T part) {
  text += std::to_string(part);
}
}  // namespace detail

/// Joins text and numbers: message("dimension ", 3, " is out of range").
template <class... Parts>
std::string message(const Parts&... parts) {
  std::string text;
  (detail::append(text, parts), ...);
  return text;
}

/// Throws Error{code, message(parts...)}.
template <class... Parts>
[[noreturn]] void fail(int code, const Parts&... parts) {
  throw Error(code, message(parts...));
}

/// Throws unless `condition` holds.
template <class... Parts>
void require(bool condition, int code, const Parts&... parts) {
  if (!condition) [[unlikely]] {
    fail(code, parts...);
  }
}

}  // namespace npu::base
