// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/convolution_backward_overrideable_ops.h>
#include <ATen/ops/convolution_overrideable_ops.h>
// END ROW HEADERS

#include <ATen/native/ConvUtils.h>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"

namespace torchtitan_npu {
namespace {

std::vector<int64_t> convolution_sizes(const at::Tensor& input, const at::Tensor& weight,
                                       at::IntArrayRef stride, at::IntArrayRef padding,
                                       at::IntArrayRef dilation, bool transposed,
                                       at::IntArrayRef output_padding, int64_t groups) {
  if (transposed) {
    return at::native::conv_input_size(input.sizes(), weight.sizes(), padding, output_padding,
                                       stride, dilation, groups);
  }
  return at::native::conv_output_size(input.sizes(), weight.sizes(), padding, stride, dilation);
}

// A channels-last argument makes a channels-last result, as on other devices.
at::MemoryFormat convolution_format(const at::Tensor& input, const at::Tensor& weight) {
  const at::MemoryFormat format = input.suggest_memory_format();
  return format != at::MemoryFormat::Contiguous ? format : weight.suggest_memory_format();
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "convolution";
#include "torchtitan_npu/csrc/aten/ops_convolution.inc"
}

}  // namespace torchtitan_npu
