// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/soc.h"

#include "softnpu/base/options.h"

namespace npu::base {
namespace {

constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

// "Ascend910B" without a digit and Ascend910ProB are first-generation chips with 30 cores; from
// Ascend910B1 on the family is Atlas A2. Columns as in Soc.
// clang-format off
constexpr Soc kSocs[] = {
    {"Ascend910A", "Ascend910", 32, 32, 32, 4, 1000, 1000, 4096, 0, 0, 8192, 128, 64, 256 * kKiB, 1024 * kKiB, 64 * kKiB, 64 * kKiB, 256 * kKiB, 32 * kMiB, 32 * kGiB, 1200, 3300},
    {"Ascend910ProA", "Ascend910", 32, 32, 32, 4, 1100, 1100, 4096, 0, 0, 8192, 128, 64, 256 * kKiB, 1024 * kKiB, 64 * kKiB, 64 * kKiB, 256 * kKiB, 32 * kMiB, 32 * kGiB, 1200, 3300},
    {"Ascend910PremiumA", "Ascend910", 32, 32, 32, 4, 1220, 1220, 4096, 0, 0, 8192, 128, 64, 256 * kKiB, 1024 * kKiB, 64 * kKiB, 64 * kKiB, 256 * kKiB, 32 * kMiB, 32 * kGiB, 1200, 3300},
    {"Ascend910B", "Ascend910", 30, 30, 30, 6, 900, 900, 4096, 0, 0, 8192, 128, 64, 256 * kKiB, 1024 * kKiB, 64 * kKiB, 64 * kKiB, 256 * kKiB, 32 * kMiB, 32 * kGiB, 1200, 3300},
    {"Ascend910ProB", "Ascend910", 30, 30, 30, 4, 1150, 1150, 4096, 0, 0, 8192, 128, 64, 256 * kKiB, 1024 * kKiB, 64 * kKiB, 64 * kKiB, 256 * kKiB, 32 * kMiB, 32 * kGiB, 1200, 3300},
    {"Ascend910B1", "Ascend910B", 24, 24, 48, 6, 1850, 1850, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kGiB, 1600, 4884},
    {"Ascend910B2", "Ascend910B", 24, 24, 48, 6, 1800, 1800, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kGiB, 1600, 4752},
    {"Ascend910B2C", "Ascend910B", 24, 24, 48, 6, 1800, 1800, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 192 * kMiB, 0, 1600, 4752},
    {"Ascend910B3", "Ascend910B", 20, 20, 40, 6, 1800, 1800, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kGiB, 1600, 3960},
    {"Ascend910B4", "Ascend910B", 20, 20, 40, 6, 1500, 1500, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 96 * kMiB, 32 * kGiB, 800, 3300},
    {"Ascend910B4-1", "Ascend910B", 20, 20, 40, 6, 1500, 1500, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 168 * kMiB, 32 * kGiB, 1600, 3300},
    {"Ascend910_9391", "Ascend910_93", 24, 24, 48, 6, 1850, 1850, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kGiB, 1600, 4884},
    {"Ascend910_9392", "Ascend910_93", 24, 24, 48, 6, 1850, 1850, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kGiB, 1600, 4884},
    {"Ascend910_9381", "Ascend910_93", 24, 24, 48, 6, 1800, 1800, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kGiB, 1600, 4752},
    {"Ascend910_9382", "Ascend910_93", 24, 24, 48, 6, 1800, 1800, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kGiB, 1600, 4752},
    {"Ascend910_9372", "Ascend910_93", 20, 20, 40, 6, 1800, 1800, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 192 * kMiB, 64 * kGiB, 1600, 3960},
    {"Ascend910_9362", "Ascend910_93", 20, 20, 40, 6, 1500, 1500, 4096, 4096, 1024, 8192, 128, 64, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 168 * kMiB, 64 * kGiB, 1600, 3300},
    {"Ascend310P1", "Ascend310P", 10, 10, 18, 8, 1060, 1000, 4096, 0, 0, 8192, 128, 64, 256 * kKiB, 1024 * kKiB, 64 * kKiB, 64 * kKiB, 256 * kKiB, 16 * kMiB, 24'000'000'000, 204.8, 1300},
    {"Ascend310P3", "Ascend310P", 8, 8, 15, 7, 1060, 1000, 4096, 0, 0, 8192, 128, 64, 256 * kKiB, 1024 * kKiB, 64 * kKiB, 64 * kKiB, 256 * kKiB, 16 * kMiB, 24'000'000'000, 204.8, 1300},
    {"Ascend310P5", "Ascend310P", 8, 8, 15, 8, 800, 1000, 4096, 0, 0, 8192, 128, 64, 256 * kKiB, 1024 * kKiB, 64 * kKiB, 64 * kKiB, 256 * kKiB, 16 * kMiB, 24'000'000'000, 204.8, 1300},
    {"Ascend310P7", "Ascend310P", 8, 8, 15, 8, 550, 1000, 4096, 0, 0, 8192, 128, 64, 256 * kKiB, 1024 * kKiB, 64 * kKiB, 64 * kKiB, 256 * kKiB, 16 * kMiB, 24'000'000'000, 204.8, 1300},
};
// clang-format on
constexpr const char* kDefaultSoc = "Ascend910B1";

}  // namespace

std::span<const Soc> socs() { return kSocs; }

const Soc* find_soc(std::string_view name) {
  for (const Soc& soc : kSocs) {
    if (name == soc.name) return &soc;
  }
  return nullptr;
}

std::string soc_names() {
  std::string names;
  for (const Soc& soc : kSocs) {
    if (!names.empty()) names += ", ";
    names += soc.name;
  }
  return names;
}

const Soc& soc() {
  static const Soc& chosen = [&]() -> const Soc& {
    const Soc* named = find_soc(options().soc);
    return named ? *named : *find_soc(kDefaultSoc);
  }();
  return chosen;
}

}  // namespace npu::base
