// SPDX-License-Identifier: Apache-2.0
// Operators without a row: refused by name, or run on the CPU when TORCHTITAN_NPU_FALLBACK asks
// for it.
#include "torchtitan_npu/csrc/aten/fallback.h"

#include <ATen/native/CPUFallback.h>
#include <torch/library.h>

#include <mutex>
#include <string>
#include <unordered_set>

#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/options.h"

namespace torchtitan_npu {

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

void warn_of_cpu(const std::string& name, const char* why) {
  if (options().fallback == FallbackMode::kSilent) return;
  static std::mutex& mutex = *new std::mutex;
  static auto& seen = *new std::unordered_set<std::string>;  // guarded by mutex
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!seen.insert(name).second) return;
  }
  TORCH_WARN("operator ", name, " ", why, "; it runs on the CPU, with copies there and back. ",
             "TORCHTITAN_NPU_FALLBACK=silent says nothing.");
}

namespace {

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const std::string name = full_name(op.operator_name());
  const FallbackMode mode = options().fallback;
  TORCH_CHECK(
      mode != FallbackMode::kError, "operator ", name,
      " not implemented for NPU. Ways on: run this step on the CPU (x.cpu() … .to(\"npu\")); "
      "look for another operator in torchtitan_npu.ops.table(); or set "
      "TORCHTITAN_NPU_FALLBACK=warn to have such operators run on the CPU.",
      error_suffix(ErrorCode::kNotSupported, Module::kOperators));
  warn_of_cpu(name, "is not implemented for NPU");
  at::native::cpu_fallback(op, stack);
}

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

}  // namespace torchtitan_npu
