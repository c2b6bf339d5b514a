// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/isa.h"

#include <atomic>
#include <string>

#include "softnpu/base/options.h"
#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci {

// Defined by kernels/table.cpp in each build.
#ifdef NPU_HAVE_ISA_avx2
namespace avx2 {
extern const KernelTable kTable;
}
#endif
#ifdef NPU_HAVE_ISA_avx512
namespace avx512 {
extern const KernelTable kTable;
}
#endif
namespace baseline {
extern const KernelTable kTable;
}

namespace {

std::vector<Isa> detect() {
  std::vector<Isa> found{Isa::kBaseline};
  // The compiler's runtime also asks the operating system (XGETBV) whether it saves the registers.
#ifdef NPU_HAVE_ISA_avx2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c")) {
    found.push_back(Isa::kAvx2);
  }
#endif
#ifdef NPU_HAVE_ISA_avx512
  if (found.size() == 2 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    found.push_back(Isa::kAvx512);
  }
#endif
  return found;
}

const KernelTable& table_of(Isa isa) {
  switch (isa) {
#ifdef NPU_HAVE_ISA_avx512
    case Isa::kAvx512:
      return avx512::kTable;
#endif
#ifdef NPU_HAVE_ISA_avx2
    case Isa::kAvx2:
      return avx2::kTable;
#endif
    default:
      return baseline::kTable;
  }
}

Isa choose() {
  Isa best = Isa::kBaseline;
  const std::string& wanted = base::options().isa;
  for (Isa isa : available_isas()) {
    best = isa;
    if (wanted == name_of(isa)) break;
  }
  return best;
}

std::atomic<Isa>& choice() {
  static std::atomic<Isa> value{choose()};
  return value;
}

}  // namespace

const char* name_of(Isa isa) {
  static constexpr const char* kNames[] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<int>(isa)];
}

const std::vector<Isa>& available_isas() {
  static const std::vector<Isa> found = detect();
  return found;
}

Isa current_isa() { return choice().load(std::memory_order_relaxed); }

void set_isa_for_test(Isa isa) { choice().store(isa, std::memory_order_relaxed); }

const KernelTable& kernels() { return table_of(current_isa()); }

}  // namespace npu::davinci
