// SPDX-License-Identifier: Apache-2.0
// Rows of autograd: where an npu saves less for the gradient than PyTorch's own formulas do.
// Dropout keeps one bit an element, max pooling the chip's mask. Gradients of gradients work;
// function transforms (torch.func, vmap) take PyTorch's general way.
#include <ATen/core/grad_mode.h>
#include <ATen/native/Pool.h>
#include <ATen/ops/dropout_native.h>
#include <ATen/ops/max_pool2d_native.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_backward.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "aclnnop/pooling.h"
#include "aclnnop/random.h"
#include "torchtitan_npu/csrc/aten/dropout_bits.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_call.h"
#include "torchtitan_npu/csrc/aten/op_table.h"
#include "torchtitan_npu/csrc/aten/pool.h"

namespace torchtitan_npu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// C++ autograd functions know nothing of torch.func's levels.
bool in_function_transform() {
  return c10::impl::tls_local_dispatch_key_set().included_.has(
      c10::DispatchKey::FuncTorchDynamicLayerBackMode);
}

// out = keep ? x / (1 - p) : 0, linear in x: its gradient is itself, to any order.
class DropoutApply : public torch::autograd::Function<DropoutApply> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                            const at::Tensor& mask, double p) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    context->save_for_backward({mask});
    context->saved_data["p"] = p;
    at::Tensor out = new_tensor(input.sizes(), {}, input.scalar_type());
    ACLNN(DropoutDoMask)(input, mask, p, out);
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    return {apply(grads[0], context->get_saved_variables()[0], context->saved_data["p"].toDouble()),
            at::Tensor(), at::Tensor()};
  }
};

at::Tensor dropout(const at::Tensor& input, double p, bool train) {
  if (!train || p <= 0 || p >= 1 || input.numel() == 0 || in_function_transform()) {
    return at::native::dropout(input, p, train);
  }
  return DropoutApply::apply(input, dropout_bits(input, input.numel(), p), p);
}

// A card's mask has, for each window position, a row of 16-bit groups, one more than needed. The
// software NPU writes one byte an output element and needs no more room.
c10::DimVector mask_sizes(const at::Tensor& out, at::IntArrayRef kernel) {
  if (cann().bundled) return c10::DimVector(out.sizes());
  const int64_t positions = out.size(-1) * out.size(-2);
  c10::DimVector sizes(out.sizes());
  sizes[sizes.size() - 2] = kernel[0] * kernel[1];
  sizes[sizes.size() - 1] = ((positions + 15) / 16 + 1) * 2 * 16;
  return sizes;
}

class MaxPool2d : public torch::autograd::Function<MaxPool2d> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& self,
                            at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
                            at::IntArrayRef dilation, bool ceil_mode) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(self.device());
    const auto size = [&](size_t i) {
      return at::native::pooling_output_shape<int64_t>(self.size(static_cast<int64_t>(i) - 2),
                                                       kernel[i], padding[i], stride[i],
                                                       dilation[i], ceil_mode);
    };
    c10::DimVector sizes(self.sizes());
    sizes[sizes.size() - 2] = size(0);
    sizes[sizes.size() - 1] = size(1);
    at::Tensor out = new_tensor(sizes, {}, self.scalar_type(), self.suggest_memory_format());
    at::Tensor mask = new_tensor(mask_sizes(out, kernel), {}, at::kChar);
    ACLNN(MaxPool2dWithMask)(self, kernel, stride, padding, dilation, ceil_mode, out, mask);
    context->save_for_backward({self, mask});
    context->saved_data["kernel"] = kernel;
    context->saved_data["stride"] = stride;
    context->saved_data["padding"] = padding;
    context->saved_data["dilation"] = dilation;
    context->saved_data["ceil_mode"] = ceil_mode;
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& self = saved[0];
    const auto values = [&](const char* name) { return context->saved_data[name].toIntVector(); };
    const auto kernel = values("kernel"), stride = values("stride"), padding = values("padding"),
               dilation = values("dilation");
    const bool ceil_mode = context->saved_data["ceil_mode"].toBool();
    at::Tensor grad_self;
    if (at::GradMode::is_enabled()) {
      // Somebody differentiates the gradient: PyTorch has its formula for the form with indices.
      const at::Tensor indices = std::get<1>(
          at::max_pool2d_with_indices(self.detach(), kernel, stride, padding, dilation, ceil_mode));
      grad_self = at::max_pool2d_with_indices_backward(grads[0], self, kernel, stride, padding,
                                                       dilation, ceil_mode, indices);
    } else {
      const c10::DeviceGuard guard(self.device());
      grad_self = new_like(self);
      ACLNN(MaxPool2dWithMaskBackward)
      (grads[0], self, saved[1], at::IntArrayRef(kernel), at::IntArrayRef(stride),
       at::IntArrayRef(padding), at::IntArrayRef(dilation), ceil_mode, grad_self);
    }
    return {grad_self, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

// The mask is for what the chip's pool takes and for gradients; the rest has true indices.
bool takes_mask(const at::Tensor& self, at::IntArrayRef kernel, at::IntArrayRef dilation) {
  constexpr int64_t kLargestWindow = 127;
  return at::GradMode::is_enabled() && self.requires_grad() && !in_function_transform() &&
         (self.dim() == 3 || self.dim() == 4) && self.numel() != 0 &&
         kernel[0] * kernel[1] <= kLargestWindow && dilation[0] == 1 && dilation[1] == 1;
}

at::Tensor max_pool2d(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride,
                      at::IntArrayRef padding, at::IntArrayRef dilation, bool ceil_mode) {
  const bool sized = (kernel_size.size() == 1 || kernel_size.size() == 2) && stride.size() <= 2 &&
                     (padding.size() == 1 || padding.size() == 2) &&
                     (dilation.size() == 1 || dilation.size() == 2);
  if (!sized) {  // the general way says what is wrong
    return at::native::max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode);
  }
  const c10::DimVector kernel = pair(kernel_size), step = stride_of(stride, kernel_size),
                       pad = pair(padding), dilated = pair(dilation);
  if (!takes_mask(self, kernel, dilated)) {
    return at::native::max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode);
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    TORCH_CHECK(kernel[i] > 0 && step[i] > 0,
                "max_pool2d: kernel size and stride should be "
                "greater than zero, but got kernel_size=",
                kernel_size, " stride=", stride);
    TORCH_CHECK(pad[i] >= 0 && pad[i] * 2 <= kernel[i],
                "pad should be at most half of effective "
                "kernel size, but got pad=",
                pad[i], ", kernel_size=", kernel[i]);
    TORCH_CHECK(self.size(static_cast<int64_t>(i) - 2) + 2 * pad[i] >= kernel[i],
                "max_pool2d: the window is larger than the padded input ", self.sizes());
  }
  return MaxPool2d::apply(self, at::IntArrayRef(kernel), at::IntArrayRef(step),
                          at::IntArrayRef(pad), at::IntArrayRef(dilated), ceil_mode);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  m.impl("dropout", &dropout);
  m.impl("max_pool2d", &max_pool2d);
  add_operator_row({"aten::dropout", "", "aclnnDropoutGenMaskV2", "autograd", kFloats});
  add_operator_row({"aten::max_pool2d", "", "aclnnMaxPool2dWithMask", "autograd", kFloats});
}

}  // namespace torchtitan_npu
