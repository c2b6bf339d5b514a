// SPDX-License-Identifier: Apache-2.0
// Operators that CANN has no function for and that training uses rarely: PyTorch's CPU kernels
// compute them on copies. TORCHTITAN_NPU_FALLBACK is about operators that have no row at all.
#include <ATen/native/CPUFallback.h>
#include <torch/library.h>

#include <optional>
#include <string>

#include "torchtitan_npu/csrc/aten/op_table.h"

namespace torchtitan_npu {
namespace {

struct HostRow {
  const char* name;
  const char* overload;
};

constexpr HostRow kRows[] = {
    {"aten::_fused_adagrad_", ""},
    {"aten::_pdist_backward", ""},
    {"aten::_pdist_forward", ""},
    {"aten::fractional_max_pool2d", ""},
    {"aten::fractional_max_pool2d_backward", ""},
    {"aten::fractional_max_pool3d", ""},
    {"aten::fractional_max_pool3d_backward", ""},
    {"aten::multi_margin_loss", ""},
    {"aten::multi_margin_loss_backward", ""},
    {"aten::multilabel_margin_loss_backward", ""},
};

/// Not all of these kernels take half precision: float32 computes it, and is rounded once.
void compute_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  std::optional<at::ScalarType> half;
  for (size_t i = stack->size() - op.schema().arguments().size(); i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    const at::ScalarType type = value.toTensor().scalar_type();
    if (!at::isReducedFloatingType(type)) continue;
    half = type;
    value = value.toTensor().to(at::kFloat);
  }
  at::native::cpu_fallback(op, stack);
  if (!half.has_value()) return;
  for (size_t i = stack->size() - op.schema().returns().size(); i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (value.isTensor() && value.toTensor().scalar_type() == at::kFloat) {
      value = value.toTensor().to(*half);
    }
  }
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  for (const HostRow& row : kRows) {
    std::string name = row.name;
    if (*row.overload != '\0') name.append(".").append(row.overload);
    m.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&compute_on_host>());
    add_operator_row({row.name, row.overload, "", "host", kFloats});
  }
}

}  // namespace torchtitan_npu
