// SPDX-License-Identifier: Apache-2.0
// Pooling and padding.
#include <algorithm>

#include "aclnnop/pooling.h"
#include "softnpu/aol/build/elementwise.h"
#include "softnpu/aol/build/pool.h"

namespace npu::aol {
namespace {

/// `pad` holds (before, after) from the last dimension on; negative values cut.
Plan constant_pad(const aclTensor* self, const aclIntArray* pad, const Scalar& value,
                  const aclTensor* out) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  const auto widths = ints(pad, "pad");
  expect(widths.size() % 2 == 0 && std::ssize(widths) <= 2 * in.rank, "pad has ", widths.size(),
         " values; it must have two for each of at most ", static_cast<int>(in.rank),
         " dimensions");
  TensorView inner = to, source = in;
  Shape shape = Shape::of(in);
  for (size_t i = 0; i < widths.size() / 2; ++i) {
    const int dim = in.rank - 1 - static_cast<int>(i);
    const int64_t before = widths[2 * i], after = widths[2 * i + 1];
    shape.dims[dim] += before + after;
    expect(shape.dims[dim] >= 0, "pad cuts more from dimension ", dim, " than it has");
    const int64_t kept = std::max<int64_t>(
        0, in.dims[dim] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0));
    source = slice(source, dim, std::max<int64_t>(0, -before), kept);
    inner = slice(inner, dim, std::max<int64_t>(0, before), kept);
  }
  expect_shape(to, shape, "out");
  Plan plan = fill(out, value);
  if (source.numel() != 0) add_copy(plan, source, inner);
  return plan;
}

}  // namespace

ACLNN_OP(aclnnMaxPool2dWithIndices,
         (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
          const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
          aclTensor* indices),
         (self, kernelSize, stride, padding, dilation, ceilMode, out, indices)) {
  return max_pool2d(self, {kernelSize, stride, padding, dilation, ceilMode}, Positions::kIndices,
                    out, indices);
}
ACLNN_OP(aclnnMaxPool2dWithIndicesBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
          const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
          const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput),
         (gradOutput, self, indices, kernelSize, stride, padding, dilation, ceilMode, gradInput)) {
  return max_pool2d_backward(gradOutput, self, indices,
                             {kernelSize, stride, padding, dilation, ceilMode}, Positions::kIndices,
                             gradInput);
}
ACLNN_OP(aclnnMaxPool2dWithMask,
         (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
          const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
          aclTensor* indices),
         (self, kernelSize, stride, padding, dilation, ceilMode, out, indices)) {
  return max_pool2d(self, {kernelSize, stride, padding, dilation, ceilMode}, Positions::kMask, out,
                    indices);
}
ACLNN_OP(aclnnMaxPool2dWithMaskBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
          const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
          const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput),
         (gradOutput, self, indices, kernelSize, stride, padding, dilation, ceilMode, gradInput)) {
  return max_pool2d_backward(gradOutput, self, indices,
                             {kernelSize, stride, padding, dilation, ceilMode}, Positions::kMask,
                             gradInput);
}
ACLNN_OP(aclnnAvgPool2d,
         (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* strides,
          const aclIntArray* paddings, bool ceilMode, bool countIncludePad, int64_t divisorOverride,
          int8_t cubeMathType, aclTensor* out),
         (self, kernelSize, strides, paddings, ceilMode, countIncludePad, divisorOverride,
          cubeMathType, out)) {
  return avg_pool2d(self, {kernelSize, strides, paddings, nullptr, ceilMode},
                    {countIncludePad, divisorOverride, cubeMathType}, out);
}
ACLNN_OP(aclnnAvgPool2dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
          const aclIntArray* stride, const aclIntArray* padding, bool ceilMode,
          bool countIncludePad, int64_t divisorOverride, int8_t cubeMathType, aclTensor* gradInput),
         (gradOutput, self, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride,
          cubeMathType, gradInput)) {
  return avg_pool2d_backward(gradOutput, self, {kernelSize, stride, padding, nullptr, ceilMode},
                             {countIncludePad, divisorOverride, cubeMathType}, gradInput);
}
ACLNN_OP(aclnnAdaptiveAvgPool2d,
         (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out),
         (self, outputSize, out)) {
  return adaptive_avg_pool2d(self, outputSize, out);
}
ACLNN_OP(aclnnAdaptiveAvgPool2dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out),
         (gradOutput, self, out)) {
  return adaptive_avg_pool2d_backward(gradOutput, self, out);
}
ACLNN_OP(aclnnConstantPadNd,
         (const aclTensor* self, const aclIntArray* pad, const aclScalar* value, aclTensor* out),
         (self, pad, value, out)) {
  return constant_pad(self, pad, number(value, "value"), out);
}

}  // namespace npu::aol
