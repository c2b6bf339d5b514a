// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_native_batch_norm_legit_ops.h>
#include <ATen/ops/native_batch_norm_backward_ops.h>
#include <ATen/ops/native_batch_norm_ops.h>
#include <ATen/ops/native_group_norm_backward_ops.h>
#include <ATen/ops/native_group_norm_ops.h>
#include <ATen/ops/native_layer_norm_backward_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
// END ROW HEADERS

#include <ATen/native/layer_norm.h>

#include "aclnnop/normalization.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"

namespace torchtitan_npu {
namespace {

using ThreeTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

at::ScalarType statistics_type(const at::Tensor& input) {
  return at::isReducedFloatingType(input.scalar_type()) ? at::kFloat : input.scalar_type();
}

ThreeTensors batch_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                        const std::optional<at::Tensor>& bias,
                        const std::optional<at::Tensor>& running_mean,
                        const std::optional<at::Tensor>& running_var, bool training,
                        double momentum, double eps) {
  // Only training keeps statistics for the gradient.
  const int64_t channels = training ? input.size(1) : 0;
  at::Tensor out = new_like(input);
  at::Tensor mean = new_like(input, channels, statistics_type(input));
  at::Tensor invstd = new_like(mean);
  ACLNN(BatchNorm)(input, weight, bias, running_mean, running_var, training, momentum, eps, out,
                   mean, invstd);
  return ThreeTensors(out, mean, invstd);
}

// One statistic for each index of the dimensions that are not normalised.
c10::DimVector statistics_sizes(const at::Tensor& input, at::IntArrayRef shape,
                                const std::optional<at::Tensor>& weight,
                                const std::optional<at::Tensor>& bias) {
  const at::Tensor none;
  at::native::_check_layer_norm_inputs(input, shape, weight.value_or(none), bias.value_or(none));
  c10::DimVector sizes(input.sizes());
  std::fill(sizes.end() - static_cast<int64_t>(shape.size()), sizes.end(), 1);
  return sizes;
}

void check_group_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, int64_t channels, int64_t groups) {
  TORCH_CHECK(
      input.dim() >= 2 && input.size(1) == channels && groups > 0 && channels % groups == 0,
      "Expected number of channels in input to be divisible by num_groups, but got input of "
      "shape ",
      input.sizes(), " and num_groups=", groups);
  for (const auto* tensor : {&weight, &bias}) {
    TORCH_CHECK(!tensor->has_value() || !(*tensor)->defined() || (*tensor)->numel() == channels,
                "Expected weight and bias to be vectors of as many elements as the input has "
                "channels, ",
                channels);
  }
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "normalization";
#include "torchtitan_npu/csrc/aten/ops_normalization.inc"
}

}  // namespace torchtitan_npu
