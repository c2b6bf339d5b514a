// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/trace.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "softnpu/base/options.h"

namespace npu::base {
namespace {

constexpr int kUnopened = -2, kOff = -1;
std::atomic<int> trace_file{kUnopened};

int open_trace() {
  const std::string& path = options().trace;
  int file = kOff;
  if (!path.empty()) {
    file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) {
      std::fprintf(stderr, "softnpu: cannot open SOFTNPU_TRACE file %s: %s; not tracing\n",
                   path.c_str(), std::strerror(errno));
      file = kOff;
    }
  }
  int expected = kUnopened;
  if (!trace_file.compare_exchange_strong(expected, file)) {  // another thread was first
    if (file >= 0) close(file);
    return expected;
  }
  return file;
}

}  // namespace

bool trace_enabled() noexcept {
  const int file = trace_file.load(std::memory_order_relaxed);
  if (file == kUnopened) [[unlikely]] {
    try {
      return open_trace() >= 0;
    } catch (...) {  // no memory for the options: then there is no trace either
      return false;
    }
  }
  return file >= 0;
}

void trace_line(const std::string& json) noexcept {
  const int file = trace_file.load(std::memory_order_relaxed);
  if (file < 0) return;
  try {
    // One write to an O_APPEND file: lines of several threads and processes do not mix.
    const std::string line = json + '\n';
    [[maybe_unused]] const ssize_t written = write(file, line.data(), line.size());
  } catch (...) {  // tracing must never fail the call it reports
  }
}

void trace_text(std::string& json, const char* text) {
  json += '"';
  for (const char* c = text; *c != '\0'; ++c) {
    const auto byte = static_cast<unsigned char>(*c);
    if (byte == '"' || byte == '\\') {
      json += '\\';
      json += *c;
    } else if (byte < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
      json += escape.data();
    } else {
      json += *c;
    }
  }
  json += '"';
}

void trace_pointer(std::string& json, const void* pointer) {
  if (pointer == nullptr) {
    json += "null";
    return;
  }
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "\"0x%llx\"",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(pointer)));
  json += text.data();
}

void trace_number(std::string& json, double value) {
  if (!std::isfinite(value)) {  // JSON has no such numbers
    json += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    return;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  json += text.data();
}

}  // namespace npu::base
