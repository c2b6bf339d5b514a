// SPDX-License-Identifier: Apache-2.0
// Root-mean-square norm in one CANN call, which keeps one number a line for the gradient. PyTorch
// composes it of five operators where a device has none.
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_rms_norm.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <limits>

#include "aclnnop/normalization.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_call.h"
#include "torchtitan_npu/csrc/aten/op_table.h"

namespace torchtitan_npu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class RmsNorm : public torch::autograd::Function<RmsNorm> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                            const at::Tensor& weight, double eps) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    c10::DimVector lines(input.sizes());
    std::fill(lines.end() - weight.dim(), lines.end(), 1);
    at::Tensor out = new_like(input, input.sizes()), rstd = new_like(input, lines, at::kFloat);
    ACLNN(RmsNorm)(input, weight, eps, out, rstd);
    context->save_for_backward({input, weight, rstd});
    context->saved_data["eps"] = eps;
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &input = saved[0], &weight = saved[1];
    if (at::GradMode::is_enabled()) return differentiable(context, saved, grads[0]);
    const c10::DeviceGuard guard(input.device());
    at::Tensor grad_input = new_like(input, input.sizes());
    at::Tensor grad_weight = new_like(weight, weight.sizes(), at::kFloat);
    ACLNN(RmsNormGrad)(grads[0], input, saved[2], weight, grad_input, grad_weight);
    return {grad_input, grad_weight.to(weight.scalar_type()), at::Tensor()};
  }

 private:
  /// By PyTorch's composition, whose gradient has one too.
  static variable_list differentiable(AutogradContext* context, const variable_list& saved,
                                      const at::Tensor& grad) {
    const at::Tensor &input = saved[0], &weight = saved[1];
    const at::Tensor out = std::get<0>(
        at::_fused_rms_norm(input, weight.sizes(), weight, context->saved_data["eps"].toDouble()));
    variable_list inputs;
    for (const at::Tensor* tensor : {&input, &weight}) {
      if (tensor->requires_grad()) inputs.push_back(*tensor);
    }
    const variable_list found = torch::autograd::grad({out}, inputs, {grad}, true, true, true);
    size_t next = 0;
    const at::Tensor grad_input = input.requires_grad() ? found[next++] : at::Tensor();
    const at::Tensor grad_weight = weight.requires_grad() ? found[next++] : at::Tensor();
    return {grad_input, grad_weight, at::Tensor()};
  }
};

bool takes_weight(const at::Tensor& input, const std::optional<at::Tensor>& weight) {
  const at::ScalarType type = input.scalar_type();
  return weight.has_value() && weight->defined() && weight->scalar_type() == type &&
         (type == at::kFloat || at::isReducedFloatingType(type)) && input.numel() != 0 &&
         !c10::impl::tls_local_dispatch_key_set().included_.has(
             c10::DispatchKey::FuncTorchDynamicLayerBackMode);
}

void check_shapes(const at::Tensor& input, at::IntArrayRef shape,
                  const std::optional<at::Tensor>& weight) {
  TORCH_CHECK(!shape.empty(),
              "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
              "one element, but got normalized_shape = ",
              shape);
  TORCH_CHECK(!weight.has_value() || !weight->defined() || weight->sizes() == shape,
              "Expected weight to be of same shape as normalized_shape, but got weight of shape ",
              weight.has_value() ? weight->sizes() : at::IntArrayRef(),
              " and normalized_shape = ", shape);
  const auto rank = static_cast<int64_t>(shape.size());
  TORCH_CHECK(
      input.dim() >= rank && input.sizes().slice(static_cast<size_t>(input.dim() - rank)) == shape,
      "Given normalized_shape=", shape,
      ", expected input with these last dimensions, but got input "
      "of size",
      input.sizes());
}

at::Tensor rms_norm(const at::Tensor& input, c10::SymIntArrayRef symbolic_shape,
                    const std::optional<at::Tensor>& weight, std::optional<double> eps) {
  const at::IntArrayRef shape = C10_AS_INTARRAYREF_SLOW(symbolic_shape);
  check_shapes(input, shape, weight);
  if (!takes_weight(input, weight)) {
    return std::get<0>(at::_fused_rms_norm(input, shape, weight, eps));
  }
  constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
  return RmsNorm::apply(input, *weight, eps.value_or(kEpsilon));
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("rms_norm", &rms_norm); }
TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  m.impl("rms_norm", &rms_norm);
  add_operator_row({"aten::rms_norm", "", "aclnnRmsNorm", "rms_norm", kFloats});
}

}  // namespace torchtitan_npu
