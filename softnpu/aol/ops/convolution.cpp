// SPDX-License-Identifier: Apache-2.0
// Convolutions.
#include "aclnnop/convolution.h"
#include "softnpu/aol/build/conv.h"

namespace npu::aol {

ACLNN_OP(aclnnConvolution,
         (const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
          const aclIntArray* stride, const aclIntArray* padding, const aclIntArray* dilation,
          bool transposed, const aclIntArray* outputPadding, int64_t groups, aclTensor* output,
          int8_t cubeMathType),
         (input, weight, bias, stride, padding, dilation, transposed, outputPadding, groups, output,
          cubeMathType)) {
  return convolution(input, weight, bias,
                     {stride, padding, dilation, transposed, outputPadding, groups}, output,
                     cubeMathType);
}
ACLNN_OP(aclnnConvolutionBackward,
         (const aclTensor* gradOutput, const aclTensor* input, const aclTensor* weight,
          const aclIntArray* biasSizes, const aclIntArray* stride, const aclIntArray* padding,
          const aclIntArray* dilation, bool transposed, const aclIntArray* outputPadding,
          int groups, const aclBoolArray* outputMask, int8_t cubeMathType, aclTensor* gradInput,
          aclTensor* gradWeight, aclTensor* gradBias),
         (gradOutput, input, weight, biasSizes, stride, padding, dilation, transposed,
          outputPadding, groups, outputMask, cubeMathType, gradInput, gradWeight, gradBias)) {
  return convolution_backward(gradOutput, input, weight,
                              {stride, padding, dilation, transposed, outputPadding, groups},
                              outputMask, gradInput, gradWeight, gradBias, cubeMathType);
}
ACLNN_OP(aclnnConvDepthwise2d,
         (const aclTensor* self, const aclTensor* weight, const aclIntArray* kernelSize,
          const aclTensor* bias, const aclIntArray* stride, const aclIntArray* padding,
          const aclIntArray* dilation, aclTensor* out, int8_t cubeMathType),
         (self, weight, kernelSize, bias, stride, padding, dilation, out, cubeMathType)) {
  const TensorView filter = view(weight, "weight");
  const auto kernel = ints(kernelSize, "kernelSize");
  expect(filter.rank == 4 && kernel.size() == 2 && filter.dims[2] == kernel[0] &&
             filter.dims[3] == kernel[1],
         "weight is ", base::to_string(filter), "; its last dimensions must be kernelSize");
  const int64_t channels =
      view(self, "self").rank < 3 ? 1 : view(self, "self").dims[view(self, "self").rank - 3];
  return convolution(self, weight, bias, {stride, padding, dilation, false, nullptr, channels}, out,
                     cubeMathType);
}

}  // namespace npu::aol
