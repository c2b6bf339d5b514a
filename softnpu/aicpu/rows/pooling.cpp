// SPDX-License-Identifier: Apache-2.0
// Pooling and padding without a native kernel. Functional overloads where ATen's out form would
// give the output other strides.
#include "aclnnop/pooling.h"
#include "aclnnop/convolution.h"
#include "softnpu/aicpu/aten_call.h"

namespace npu::aicpu {

namespace {
/// CANN writes "no divisor" as 0.
aol::Argument divisor(int64_t value) { return value == 0 ? aol::Argument() : aol::Argument(value); }
}  // namespace

ACLNN_OP(aclnnAdaptiveAvgPool3d,
         (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out),
         (self, outputSize, out)) {
  return aicpu_wide("aten::adaptive_avg_pool3d.out", self, outputSize, out);
}
ACLNN_OP(aclnnAdaptiveAvgPool3dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out),
         (gradOutput, self, out)) {
  return aicpu_wide("aten::adaptive_avg_pool3d_backward.grad_input", gradOutput, self, out);
}
ACLNN_OP(aclnnAdaptiveMaxPool2d,
         (const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
          aclTensor* indicesOut),
         (self, outputSize, outputOut, indicesOut)) {
  return aicpu_wide("aten::adaptive_max_pool2d.out", self, outputSize, outputOut, indicesOut);
}
ACLNN_OP(aclnnAdaptiveMaxPool2dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
          aclTensor* gradInput),
         (gradOutput, self, indices, gradInput)) {
  return aicpu_wide("aten::adaptive_max_pool2d_backward.grad_input", gradOutput, self, indices,
                    gradInput);
}
ACLNN_OP(aclnnAdaptiveMaxPool3d,
         (const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
          aclTensor* indicesOut),
         (self, outputSize, outputOut, indicesOut)) {
  return aicpu_wide("aten::adaptive_max_pool3d", self, outputSize, outputOut, indicesOut);
}
ACLNN_OP(aclnnAdaptiveMaxPool3dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
          aclTensor* gradInput),
         (gradOutput, self, indices, gradInput)) {
  return aicpu_wide("aten::adaptive_max_pool3d_backward.grad_input", gradOutput, self, indices,
                    gradInput);
}
ACLNN_OP(aclnnAvgPool3d,
         (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
          const aclIntArray* padding, bool ceilMode, bool countIncludePad, int64_t divisorOverride,
          aclTensor* out),
         (self, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride, out)) {
  return aicpu_wide("aten::avg_pool3d.out", self, kernelSize, stride, padding, ceilMode,
                    countIncludePad, divisor(divisorOverride), out);
}
ACLNN_OP(aclnnAvgPool3dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
          const aclIntArray* stride, const aclIntArray* padding, bool ceilMode,
          bool countIncludePad, int64_t divisorOverride, aclTensor* output),
         (gradOutput, self, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride,
          output)) {
  return aicpu_wide("aten::avg_pool3d_backward.grad_input", gradOutput, self, kernelSize, stride,
                    padding, ceilMode, countIncludePad, divisor(divisorOverride), output);
}
ACLNN_OP(aclnnIm2col,
         (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* dilation,
          const aclIntArray* padding, const aclIntArray* stride, const aclTensor* out),
         (self, kernelSize, dilation, padding, stride, out)) {
  return aicpu_wide("aten::im2col.out", self, kernelSize, dilation, padding, stride, out);
}
ACLNN_OP(aclnnIm2colBackward,
         (const aclTensor* gradOutput, const aclIntArray* inputSize, const aclIntArray* kernelSize,
          const aclIntArray* dilation, const aclIntArray* padding, const aclIntArray* stride,
          aclTensor* out),
         (gradOutput, inputSize, kernelSize, dilation, padding, stride, out)) {
  return aicpu_wide("aten::col2im.out", gradOutput, inputSize, kernelSize, dilation, padding,
                    stride, out);
}
ACLNN_OP(aclnnMaxPool3dWithArgmax,
         (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
          const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
          aclTensor* indices),
         (self, kernelSize, stride, padding, dilation, ceilMode, out, indices)) {
  return aicpu_wide("aten::max_pool3d_with_indices", self, kernelSize, stride, padding, dilation,
                    ceilMode, out, indices);
}
ACLNN_OP(aclnnMaxPool3dWithArgmaxBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
          const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
          const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput),
         (gradOutput, self, indices, kernelSize, stride, padding, dilation, ceilMode, gradInput)) {
  return aicpu_wide("aten::max_pool3d_with_indices_backward.grad_input", gradOutput, self,
                    kernelSize, stride, padding, dilation, ceilMode, indices, gradInput);
}
ACLNN_OP(aclnnMaxUnpool2d,
         (const aclTensor* self, const aclTensor* indices, const aclIntArray* outputSize,
          aclTensor* out),
         (self, indices, outputSize, out)) {
  return aicpu_wide("aten::max_unpool2d", self, indices, outputSize, out);
}
ACLNN_OP(aclnnMaxUnpool3d,
         (const aclTensor* self, const aclTensor* indices, const aclIntArray* outputSize,
          const aclIntArray* stride, const aclIntArray* padding, aclTensor* outRef),
         (self, indices, outputSize, stride, padding, outRef)) {
  return aicpu_wide("aten::max_unpool3d", self, indices, outputSize, stride, padding, outRef);
}
ACLNN_OP(aclnnReflectionPad1d, (const aclTensor* self, const aclIntArray* padding, aclTensor* out),
         (self, padding, out)) {
  return aicpu_wide("aten::reflection_pad1d.out", self, padding, out);
}
ACLNN_OP(aclnnReflectionPad1dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
          aclTensor* gradInput),
         (gradOutput, self, padding, gradInput)) {
  return aicpu_wide("aten::reflection_pad1d_backward.grad_input", gradOutput, self, padding,
                    gradInput);
}
ACLNN_OP(aclnnReflectionPad2d, (const aclTensor* self, const aclIntArray* padding, aclTensor* out),
         (self, padding, out)) {
  return aicpu_wide("aten::reflection_pad2d", self, padding, out);
}
ACLNN_OP(aclnnReflectionPad2dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
          aclTensor* gradInput),
         (gradOutput, self, padding, gradInput)) {
  return aicpu_wide("aten::reflection_pad2d_backward.grad_input", gradOutput, self, padding,
                    gradInput);
}
ACLNN_OP(aclnnReflectionPad3d, (const aclTensor* self, const aclIntArray* padding, aclTensor* out),
         (self, padding, out)) {
  return aicpu_wide("aten::reflection_pad3d.out", self, padding, out);
}
ACLNN_OP(aclnnReflectionPad3dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
          aclTensor* gradInput),
         (gradOutput, self, padding, gradInput)) {
  return aicpu_wide("aten::reflection_pad3d_backward.grad_input", gradOutput, self, padding,
                    gradInput);
}
ACLNN_OP(aclnnReplicationPad1d, (const aclTensor* self, const aclIntArray* padding, aclTensor* out),
         (self, padding, out)) {
  return aicpu_wide("aten::replication_pad1d.out", self, padding, out);
}
ACLNN_OP(aclnnReplicationPad1dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
          aclTensor* gradInput),
         (gradOutput, self, padding, gradInput)) {
  return aicpu_wide("aten::replication_pad1d_backward.grad_input", gradOutput, self, padding,
                    gradInput);
}
ACLNN_OP(aclnnReplicationPad2d, (const aclTensor* self, const aclIntArray* padding, aclTensor* out),
         (self, padding, out)) {
  return aicpu_wide("aten::replication_pad2d.out", self, padding, out);
}
ACLNN_OP(aclnnReplicationPad2dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
          aclTensor* gradInput),
         (gradOutput, self, padding, gradInput)) {
  return aicpu_wide("aten::replication_pad2d_backward.grad_input", gradOutput, self, padding,
                    gradInput);
}
ACLNN_OP(aclnnReplicationPad3d, (const aclTensor* self, const aclIntArray* padding, aclTensor* out),
         (self, padding, out)) {
  return aicpu_wide("aten::replication_pad3d.out", self, padding, out);
}
ACLNN_OP(aclnnReplicationPad3dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
          aclTensor* gradInput),
         (gradOutput, self, padding, gradInput)) {
  return aicpu_wide("aten::replication_pad3d_backward.grad_input", gradOutput, self, padding,
                    gradInput);
}

}  // namespace npu::aicpu
