// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/host_budget.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace npu::runtime {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();
constexpr size_t kMargin = size_t{128} << 20;    // for the client's own memory
constexpr size_t kAllowance = size_t{64} << 20;  // checked ahead

using Line = std::array<char, 512>;

template <class Visit>
void each_line(const std::string& path, Visit&& visit) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (!file) return;
  Line line;
  while (std::fgets(line.data(), line.size(), file)) visit(line.data());
  std::fclose(file);
}

// The number after `key` in a file of "key number" lines; an empty key takes the first number.
size_t number_in(const std::string& path, const char* key) {
  size_t found = kNone;
  each_line(path, [&](const char* line) {
    unsigned long long value = 0;
    const size_t length = std::strlen(key);
    if (found == kNone && std::strncmp(line, key, length) == 0 &&
        std::sscanf(line + length, "%llu", &value) == 1) {
      found = value;
    }
  });
  return found;
}

struct CgroupFiles {
  const char* limit;
  const char* usage;
  const char* reclaimable;  // in memory.stat
};
constexpr CgroupFiles kV2{"/memory.max", "/memory.current", "inactive_file "};
constexpr CgroupFiles kV1{"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                          "total_inactive_file "};

size_t left_in(const std::string& folder, const CgroupFiles& files) {
  const size_t limit = number_in(folder + files.limit, "");  // "max" is no number: no limit
  const size_t usage = number_in(folder + files.usage, "");
  if (limit == kNone || usage == kNone) return kNone;
  const size_t cache = number_in(folder + "/memory.stat", files.reclaimable);
  const size_t used = usage - std::min(usage, cache == kNone ? 0 : cache);
  return limit - std::min(limit, used);
}

struct Cgroup {
  std::string mount;
  std::string path;  // inside mount
  const CgroupFiles* files;
};

// Where this process' memory is limited; found once, for a process rarely moves.
const std::vector<Cgroup>& cgroups() {
  static const std::vector<Cgroup>& found = *new std::vector<Cgroup>([] {
    std::vector<Cgroup> groups;
    each_line("/proc/self/cgroup", [&](const char* text) {
      std::string line = text;
      while (!line.empty() && line.back() == '\n') line.pop_back();
      const size_t first = line.find(':');
      const size_t second = line.find(':', first + 1);
      if (second == std::string::npos) return;
      const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
      const std::string path = line.substr(second + 1);
      if (controllers == ",,") groups.push_back({"/sys/fs/cgroup", path, &kV2});
      if (controllers.find(",memory,") != std::string::npos) {
        groups.push_back({"/sys/fs/cgroup/memory", path, &kV1});
      }
    });
    return groups;
  }());
  return found;
}

size_t cgroup_available() {
  size_t available = kNone;
  for (const Cgroup& group : cgroups()) {
    // Every ancestor limits as well; in a container the path may not exist, but the mount does.
    std::string path = group.path;
    for (;;) {
      available = std::min(available, left_in(group.mount + path, *group.files));
      const size_t slash = path.rfind('/');
      if (path.empty() || slash == std::string::npos) break;
      path.resize(slash);
    }
  }
  return available;
}

size_t resident_bytes() {
  unsigned long long size = 0, resident = 0;
  each_line("/proc/self/statm",
            [&](const char* line) { std::sscanf(line, "%llu %llu", &size, &resident); });
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

size_t host_available_bytes() {
  const size_t kib = number_in("/proc/meminfo", "MemAvailable:");
  const size_t machine = kib == kNone ? kNone : kib * 1024;
  return std::min(machine, cgroup_available());
}

bool HostBudget::promise(size_t bytes) {
  std::lock_guard lock(mutex_);
  if (bytes > allowance_) {
    // Promised but not touched yet: still to come out of what is available. What the process grew
    // by since its first promise is taken for touched; the margin covers the client's share in it.
    const size_t resident = resident_bytes();
    if (promised_ == 0) baseline_ = resident;
    const size_t touched = resident - std::min(resident, baseline_);
    const size_t untouched = promised_ - std::min(promised_, touched);
    const size_t available = host_available_bytes();
    const size_t taken = untouched + kMargin;
    if (available < taken || available - taken < bytes) return false;
    allowance_ = std::min(available - taken - bytes, kAllowance) + bytes;
  }
  allowance_ -= bytes;
  promised_ += bytes;
  return true;
}

void HostBudget::give_back(size_t bytes) {
  std::lock_guard lock(mutex_);
  promised_ -= std::min(promised_, bytes);
}

HostBudget& host_budget() {
  static HostBudget& budget = *new HostBudget;  // never destroyed: see Note [Exit]
  return budget;
}

}  // namespace npu::runtime
