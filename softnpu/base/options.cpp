// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/options.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "softnpu/base/error.h"
#include "softnpu/base/soc.h"

namespace npu::base {
namespace {

constexpr int kMaxDevices = 64, kMaxThreads = 4096;

using Lookup = const char* (*)(const char*);

// Keeps the first complaint: one clear error is more use than a list.
class Parser {
 public:
  Parser(Lookup lookup, std::string& error) : lookup_(lookup), error_(error) {}

  std::string text(const char* name, const char* otherwise = "") const {
    const char* value = lookup_(name);
    return value ? value : otherwise;
  }

  int64_t number(const char* name, int64_t otherwise, int64_t low, int64_t high) {
    const char* value = lookup_(name);
    if (!value || *value == '\0') return otherwise;
    const std::optional<int64_t> parsed = whole(value);
    if (parsed && *parsed >= low && *parsed <= high) return *parsed;
    complain(message(name, "=", value, ": expected a whole number from ", low, " to ", high));
    return otherwise;
  }

  // "64G", "512M", "1000000".
  int64_t bytes(const char* name) {
    const char* value = lookup_(name);
    if (!value || *value == '\0') return 0;
    std::string_view digits = value;
    int shift = 0;
    switch (digits.back()) {
      case 'k':
      case 'K':
        shift = 10;
        break;
      case 'm':
      case 'M':
        shift = 20;
        break;
      case 'g':
      case 'G':
        shift = 30;
        break;
      case 't':
      case 'T':
        shift = 40;
        break;
      default:
        break;
    }
    if (shift > 0) digits.remove_suffix(1);
    const std::optional<int64_t> parsed = whole(digits);
    constexpr int64_t kMost = int64_t{1} << 46;  // what a device's address range can hold
    if (parsed && *parsed > 0 && *parsed <= (kMost >> shift)) return *parsed << shift;
    complain(message(name, "=", value,
                     ": expected a size in bytes, or with a suffix K, M, G or T, e.g. 64G"));
    return 0;
  }

  std::vector<int> visible(int devices) {
    constexpr const char* kName = "ASCEND_RT_VISIBLE_DEVICES";
    std::vector<int> ids;
    const char* value = lookup_(kName);
    if (!value) {
      for (int i = 0; i < devices; ++i) ids.push_back(i);
      return ids;
    }
    std::string_view rest = value;
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      const std::string_view item = trimmed(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
      const std::optional<int64_t> id = whole(item);
      if (!id || *id < 0 || *id >= devices) {
        complain(message(kName, "=", value, ": \"", item, "\" is not a device of this machine, ",
                         "which has ", devices, " (0 to ", devices - 1,
                         "; SOFTNPU_DEVICES changes that)"));
        return ids;
      }
      for (int seen : ids) {
        if (seen == *id)
          complain(message(kName, "=", value, ": device ", seen, " is listed twice"));
      }
      ids.push_back(static_cast<int>(*id));
    }
    return ids;
  }

  void complain(std::string text) {
    if (error_.empty()) error_ = std::move(text);
  }

 private:
  static std::string_view trimmed(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
  }
  static std::optional<int64_t> whole(std::string_view s) {
    int64_t value = 0;
    const auto [end, code] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (s.empty() || code != std::errc{} || end != s.data() + s.size()) return {};
    return value;
  }

  Lookup lookup_;
  std::string& error_;
};

void check_soc(const Options& options, Parser& parser) {
  const Soc* soc = find_soc(options.soc);
  if (!soc) {
    parser.complain(
        message("SOFTNPU_SOC=", options.soc, ": unknown chip; valid names are ", soc_names()));
  } else if (soc->hbm_bytes == 0 && options.hbm_bytes == 0) {
    parser.complain(message("SOFTNPU_SOC=", options.soc, ": this chip's memory size is not ",
                            "documented; set SOFTNPU_HBM, e.g. SOFTNPU_HBM=64G"));
  }
}

}  // namespace

Options parse_options(Lookup lookup) {
  Options o{};
  Parser parser(lookup, o.error);
  o.soc = parser.text("SOFTNPU_SOC", "Ascend910B1");
  o.devices = static_cast<int>(parser.number("SOFTNPU_DEVICES", 8, 0, kMaxDevices));
  o.hbm_bytes = parser.bytes("SOFTNPU_HBM");
  o.threads = static_cast<int>(parser.number("SOFTNPU_THREADS", 0, 0, kMaxThreads));
  o.graph_level = static_cast<int>(parser.number("SOFTNPU_GRAPH_LEVEL", 0, 0, 2));
  o.ge_dump = parser.text("SOFTNPU_GE_DUMP");
  o.trace = parser.text("SOFTNPU_TRACE");
  o.isa = parser.text("SOFTNPU_ISA");
  if (!o.isa.empty() && o.isa != "baseline" && o.isa != "avx2" && o.isa != "avx512") {
    parser.complain(message("SOFTNPU_ISA=", o.isa, ": expected baseline, avx2 or avx512"));
  }
  o.shm = parser.text("SOFTNPU_SHM", "/dev/shm");
  std::error_code ignored;
  if (o.shm != "/dev/shm" && !std::filesystem::is_directory(o.shm, ignored)) {
    parser.complain(message("SOFTNPU_SHM=", o.shm, ": there is no such folder"));
  }
  o.visible = parser.visible(o.devices);
  o.launch_blocking = parser.number("ASCEND_LAUNCH_BLOCKING", 0, 0, 1) == 1;
  check_soc(o, parser);
  return o;
}

const Options& options() {
  // Never destroyed: executors and other libraries' destructors may still ask while the process
  // exits.
  static const Options& parsed = *new Options(
      parse_options([](const char* name) -> const char* { return std::getenv(name); }));
  return parsed;
}

}  // namespace npu::base
