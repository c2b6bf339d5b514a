// SPDX-License-Identifier: Apache-2.0
// torch.autocast("npu"): which operators compute in the lower precision, which in float32 and which
// in the widest of their inputs. The lists are PyTorch's own (ATen/autocast_mode.h), so a model
// computes in the same types as on PyTorch's other devices.
#include <ATen/autocast_mode.h>
#include <torch/library.h>

#include "torchtitan_npu/csrc/core/check.h"

namespace torchtitan_npu {
using at::IntArrayRef, at::Scalar, at::ScalarType, at::Tensor;  // for the lists
namespace {

/// Its gradient leaves float16's range too easily; PyTorch refuses it on every device with
/// autocast.
at::Tensor refuse_binary_cross_entropy(const at::Tensor&, const at::Tensor&,
                                       const std::optional<at::Tensor>&, int64_t) {
  TORCH_CHECK(false,
              "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to "
              "autocast: use binary_cross_entropy_with_logits or BCEWithLogitsLoss on the values "
              "before the sigmoid, or compute the loss under torch.autocast(\"npu\", "
              "enabled=False) with float32 inputs.",
              error_suffix(ErrorCode::kNotSupported, Module::kOperators));
}

}  // namespace

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
#define NPU_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define NPU_FLOAT(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define NPU_FLOAT_DTYPE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define NPU_WIDEST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
  AT_FORALL_LOWER_PRECISION_FP(NPU_LOWER)
  AT_FORALL_FP32(NPU_FLOAT)
  AT_FORALL_FP32_SET_OPT_DTYPE(NPU_FLOAT_DTYPE)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
  AT_FORALL_PROMOTE(NPU_WIDEST)
#undef NPU_LOWER
#undef NPU_FLOAT
#undef NPU_FLOAT_DTYPE
#undef NPU_WIDEST
  // Lists take their widest type too, as on PyTorch's other devices.
  KERNEL_PRIVATEUSEONE(cat, promote)
  KERNEL_PRIVATEUSEONE(stack, promote)
  m.impl("binary_cross_entropy", &refuse_binary_cross_entropy);
}

}  // namespace torchtitan_npu
