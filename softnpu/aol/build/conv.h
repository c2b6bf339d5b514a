// SPDX-License-Identifier: Apache-2.0
// Convolution plans: 1 to 3 spatial dimensions, stored as 3.
#pragma once

#include "softnpu/aol/build/shape.h"
#include "softnpu/aol/build/types.h"

namespace npu::aol {

struct ConvolutionArgs {
  const aclIntArray* stride;
  const aclIntArray* padding;
  const aclIntArray* dilation;
  bool transposed;
  const aclIntArray* output_padding;
  int64_t groups;
};

Plan convolution(const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
                 const ConvolutionArgs& args, const aclTensor* out, int8_t math);
/// Gradients whose flag in `mask` (input, weight, bias) is set.
Plan convolution_backward(const aclTensor* grad_out, const aclTensor* input,
                          const aclTensor* weight, const ConvolutionArgs& args,
                          const aclBoolArray* mask, const aclTensor* grad_input,
                          const aclTensor* grad_weight, const aclTensor* grad_bias, int8_t math);

}  // namespace npu::aol
