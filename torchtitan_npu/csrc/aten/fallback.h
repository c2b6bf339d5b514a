// SPDX-License-Identifier: Apache-2.0
// Running an operator with PyTorch's CPU kernel on copies of its tensors.
#pragma once

#include <ATen/core/operator_name.h>

#include <string>

namespace torchtitan_npu {

/// "aten::add.Tensor"
std::string full_name(const c10::OperatorName& name);
/// Says once an operator that it runs on the CPU, and `why`; not with
/// TORCHTITAN_NPU_FALLBACK=silent.
void warn_of_cpu(const std::string& name, const char* why);

}  // namespace torchtitan_npu
