// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_log_softmax_backward_data_meta.h>
#include <ATen/ops/_log_softmax_backward_data_ops.h>
#include <ATen/ops/_log_softmax_meta.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_prelu_kernel_backward_ops.h>
#include <ATen/ops/_prelu_kernel_ops.h>
#include <ATen/ops/_softmax_backward_data_meta.h>
#include <ATen/ops/_softmax_backward_data_ops.h>
#include <ATen/ops/_softmax_meta.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/elu_backward_meta.h>
#include <ATen/ops/elu_backward_ops.h>
#include <ATen/ops/elu_meta.h>
#include <ATen/ops/elu_ops.h>
#include <ATen/ops/gelu_backward_meta.h>
#include <ATen/ops/gelu_backward_ops.h>
#include <ATen/ops/gelu_meta.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/glu_backward_ops.h>
#include <ATen/ops/glu_meta.h>
#include <ATen/ops/glu_ops.h>
#include <ATen/ops/hardshrink_backward_meta.h>
#include <ATen/ops/hardshrink_backward_ops.h>
#include <ATen/ops/hardshrink_meta.h>
#include <ATen/ops/hardshrink_ops.h>
#include <ATen/ops/hardsigmoid_backward_meta.h>
#include <ATen/ops/hardsigmoid_backward_ops.h>
#include <ATen/ops/hardsigmoid_meta.h>
#include <ATen/ops/hardsigmoid_ops.h>
#include <ATen/ops/hardswish_backward_ops.h>
#include <ATen/ops/hardswish_ops.h>
#include <ATen/ops/hardtanh_backward_ops.h>
#include <ATen/ops/hardtanh_ops.h>
#include <ATen/ops/leaky_relu_backward_meta.h>
#include <ATen/ops/leaky_relu_backward_ops.h>
#include <ATen/ops/leaky_relu_meta.h>
#include <ATen/ops/leaky_relu_ops.h>
#include <ATen/ops/log_sigmoid_backward_ops.h>
#include <ATen/ops/log_sigmoid_forward_ops.h>
#include <ATen/ops/mish_backward_ops.h>
#include <ATen/ops/mish_meta.h>
#include <ATen/ops/mish_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/rrelu_with_noise_ops.h>
#include <ATen/ops/sigmoid_backward_meta.h>
#include <ATen/ops/sigmoid_backward_ops.h>
#include <ATen/ops/silu_backward_meta.h>
#include <ATen/ops/silu_backward_ops.h>
#include <ATen/ops/silu_meta.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/softplus_backward_meta.h>
#include <ATen/ops/softplus_backward_ops.h>
#include <ATen/ops/softplus_meta.h>
#include <ATen/ops/softplus_ops.h>
#include <ATen/ops/softshrink_backward_meta.h>
#include <ATen/ops/softshrink_backward_ops.h>
#include <ATen/ops/softshrink_meta.h>
#include <ATen/ops/softshrink_ops.h>
#include <ATen/ops/tanh_backward_meta.h>
#include <ATen/ops/tanh_backward_ops.h>
#include <ATen/ops/threshold_backward_meta.h>
#include <ATen/ops/threshold_backward_ops.h>
#include <ATen/ops/threshold_meta.h>
#include <ATen/ops/threshold_ops.h>
// END ROW HEADERS

#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid.h>

#include <ATen/native/Activation.h>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/philox.h"

namespace torchtitan_npu {

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "activation";
#include "torchtitan_npu/csrc/aten/ops_activation.inc"
}

}  // namespace torchtitan_npu
