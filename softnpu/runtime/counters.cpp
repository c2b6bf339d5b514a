// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/counters.h"

#include <string>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/runtime/device.h"
#include "softnpu/runtime/executor.h"

namespace npu::runtime {
namespace {

struct Row {
  const char* name;
  std::atomic<int64_t> Counters::* value;
};

constexpr Row kRows[] = {
    {"nodes_run", &Counters::nodes_run},
    {"nodes_failed", &Counters::nodes_failed},
    {"nodes_skipped", &Counters::nodes_skipped},
    {"windows_rewritten", &Counters::windows_rewritten},
    {"bytes_copied", &Counters::bytes_copied},
    {"allocations", &Counters::allocations},
    {"allocated_bytes", &Counters::allocated_bytes},
};
constexpr std::string_view kBusy = "busy_ns";

const Row* find_row(std::string_view name) {
  std::string names;
  for (const Row& row : kRows) {
    if (name == row.name) return &row;
    names += row.name;
    names += ", ";
  }
  if (name == kBusy) return nullptr;
  base::fail(ACL_ERROR_INVALID_PARAM, "there is no counter \"", name, "\"; the counters are ",
             names, kBusy);
}

}  // namespace

int64_t counter(std::string_view name, Device& device) {
  const Row* row = find_row(name);
  if (!row) return device.executor().busy_ns();
  return (device.counters().*row->value).load(std::memory_order_relaxed);
}

int64_t counter(std::string_view name) {
  find_row(name);  // a wrong name is an error before any device was used, too
  int64_t sum = 0;
  for (Device* device : devices_in_use()) sum += counter(name, *device);
  return sum;
}

}  // namespace npu::runtime
