// SPDX-License-Identifier: Apache-2.0
// Interpolation and sampling by a grid.
#include "aclnnop/resample.h"

#include "softnpu/aicpu/aten_call.h"

namespace npu::aicpu {

namespace {
/// CANN writes "not given" as a scale that is not positive.
aol::Argument scale(double value) { return value > 0 ? aol::Argument(value) : aol::Argument(); }
}  // namespace

ACLNN_OP(aclnnAffineGrid,
         (const aclTensor* theta, const aclIntArray* size, bool alignCorners, aclTensor* out),
         (theta, size, alignCorners, out)) {
  return aicpu_wide("aten::affine_grid_generator", theta, size, alignCorners, out);
}
ACLNN_OP(aclnnGridSampler2D,
         (const aclTensor* input, const aclTensor* grid, int64_t interpolationMode,
          int64_t paddingMode, bool alignCorners, aclTensor* out),
         (input, grid, interpolationMode, paddingMode, alignCorners, out)) {
  return aicpu_wide("aten::grid_sampler_2d", input, grid, interpolationMode, paddingMode,
                    alignCorners, out);
}
ACLNN_OP(aclnnGridSampler2DBackward,
         (const aclTensor* gradOutput, const aclTensor* input, const aclTensor* grid,
          int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
          const aclBoolArray* outputMask, aclTensor* inputGrad, aclTensor* gridGrad),
         (gradOutput, input, grid, interpolationMode, paddingMode, alignCorners, outputMask,
          inputGrad, gridGrad)) {
  return aicpu_wide("aten::grid_sampler_2d_backward", gradOutput, input, grid, interpolationMode,
                    paddingMode, alignCorners, outputMask, inputGrad, gridGrad);
}
ACLNN_OP(aclnnGridSampler3D,
         (const aclTensor* input, const aclTensor* grid, int64_t interpolationMode,
          int64_t paddingMode, bool alignCorners, aclTensor* out),
         (input, grid, interpolationMode, paddingMode, alignCorners, out)) {
  return aicpu_wide("aten::grid_sampler_3d", input, grid, interpolationMode, paddingMode,
                    alignCorners, out);
}
ACLNN_OP(aclnnGridSampler3DBackward,
         (const aclTensor* gradOutput, const aclTensor* input, const aclTensor* grid,
          int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
          const aclBoolArray* outputMask, aclTensor* inputGrad, aclTensor* gridGrad),
         (gradOutput, input, grid, interpolationMode, paddingMode, alignCorners, outputMask,
          inputGrad, gridGrad)) {
  return aicpu_wide("aten::grid_sampler_3d_backward", gradOutput, input, grid, interpolationMode,
                    paddingMode, alignCorners, outputMask, inputGrad, gridGrad);
}
ACLNN_OP(aclnnUpsampleBicubic2d,
         (const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scalesH,
          double scalesW, aclTensor* out),
         (self, outputSize, alignCorners, scalesH, scalesW, out)) {
  return aicpu_wide("aten::upsample_bicubic2d.out", self, outputSize, alignCorners, scale(scalesH),
                    scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleBicubic2dAA,
         (const aclTensor* x, const aclIntArray* outputSize, bool alignCorners, double scalesH,
          double scalesW, aclTensor* out),
         (x, outputSize, alignCorners, scalesH, scalesW, out)) {
  return aicpu_wide("aten::_upsample_bicubic2d_aa.out", x, outputSize, alignCorners, scale(scalesH),
                    scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleBicubic2dAAGrad,
         (const aclTensor* gradOutput, const aclIntArray* outputSize, const aclIntArray* inputSize,
          bool alignCorners, double scalesH, double scalesW, aclTensor* out),
         (gradOutput, outputSize, inputSize, alignCorners, scalesH, scalesW, out)) {
  return aicpu_wide("aten::_upsample_bicubic2d_aa_backward.grad_input", gradOutput, outputSize,
                    inputSize, alignCorners, scale(scalesH), scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleBicubic2dBackward,
         (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
          bool alignCorners, double scalesH, double scalesW, aclTensor* gradInput),
         (gradOut, outputSize, inputSize, alignCorners, scalesH, scalesW, gradInput)) {
  return aicpu_wide("aten::upsample_bicubic2d_backward.grad_input", gradOut, outputSize, inputSize,
                    alignCorners, scale(scalesH), scale(scalesW), gradInput);
}
ACLNN_OP(aclnnUpsampleBilinear2d,
         (const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scalesH,
          double scalesW, aclTensor* out),
         (self, outputSize, alignCorners, scalesH, scalesW, out)) {
  return aicpu_wide("aten::upsample_bilinear2d.out", self, outputSize, alignCorners, scale(scalesH),
                    scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleBilinear2dAA,
         (const aclTensor* input, const aclIntArray* outputSize, bool alignCorners, double scalesH,
          double scalesW, aclTensor* out),
         (input, outputSize, alignCorners, scalesH, scalesW, out)) {
  return aicpu_wide("aten::_upsample_bilinear2d_aa.out", input, outputSize, alignCorners,
                    scale(scalesH), scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleBilinear2dAABackward,
         (const aclTensor* gradOutput, const aclIntArray* outputSize, const aclIntArray* inputSize,
          bool alignCorners, double scalesH, double scalesW, aclTensor* out),
         (gradOutput, outputSize, inputSize, alignCorners, scalesH, scalesW, out)) {
  return aicpu_wide("aten::_upsample_bilinear2d_aa_backward.grad_input", gradOutput, outputSize,
                    inputSize, alignCorners, scale(scalesH), scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleBilinear2dBackward,
         (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
          bool alignCorners, double scalesH, double scalesW, aclTensor* out),
         (gradOut, outputSize, inputSize, alignCorners, scalesH, scalesW, out)) {
  return aicpu_wide("aten::upsample_bilinear2d_backward.grad_input", gradOut, outputSize, inputSize,
                    alignCorners, scale(scalesH), scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleBilinear2dBackwardV2,
         (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
          bool alignCorners, double scalesH, double scalesW, aclTensor* out),
         (gradOut, outputSize, inputSize, alignCorners, scalesH, scalesW, out)) {
  return aicpu_wide("aten::upsample_bilinear2d_backward.grad_input", gradOut, outputSize, inputSize,
                    alignCorners, scale(scalesH), scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleLinear1d,
         (const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scales,
          aclTensor* out),
         (self, outputSize, alignCorners, scales, out)) {
  return aicpu_wide("aten::upsample_linear1d.out", self, outputSize, alignCorners, scale(scales),
                    out);
}
ACLNN_OP(aclnnUpsampleLinear1dBackward,
         (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
          bool alignCorners, double scales, aclTensor* out),
         (gradOut, outputSize, inputSize, alignCorners, scales, out)) {
  return aicpu_wide("aten::upsample_linear1d_backward.grad_input", gradOut, outputSize, inputSize,
                    alignCorners, scale(scales), out);
}
ACLNN_OP(aclnnUpsampleNearest1d,
         (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out),
         (self, outputSize, out)) {
  return aicpu_wide("aten::upsample_nearest1d.out", self, outputSize, std::nullopt, out);
}
ACLNN_OP(aclnnUpsampleNearest1dBackward,
         (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
          double scales, aclTensor* out),
         (gradOut, outputSize, inputSize, scales, out)) {
  return aicpu_wide("aten::upsample_nearest1d_backward.grad_input", gradOut, outputSize, inputSize,
                    scale(scales), out);
}
ACLNN_OP(aclnnUpsampleNearest1dV2,
         (const aclTensor* self, const aclIntArray* outputSize, float scaleL, aclTensor* out),
         (self, outputSize, scaleL, out)) {
  return aicpu_wide("aten::upsample_nearest1d.out", self, outputSize, scale(scaleL), out);
}
ACLNN_OP(aclnnUpsampleNearest2d,
         (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out),
         (self, outputSize, out)) {
  return aicpu_wide("aten::upsample_nearest2d.out", self, outputSize, std::nullopt, std::nullopt,
                    out);
}
ACLNN_OP(aclnnUpsampleNearest2dBackward,
         (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
          double scalesH, double scalesW, aclTensor* gradInput),
         (gradOut, outputSize, inputSize, scalesH, scalesW, gradInput)) {
  return aicpu_wide("aten::upsample_nearest2d_backward.grad_input", gradOut, outputSize, inputSize,
                    scale(scalesH), scale(scalesW), gradInput);
}
ACLNN_OP(aclnnUpsampleNearest2dV2,
         (const aclTensor* self, const aclIntArray* outputSize, float scalesH, float scalesW,
          aclTensor* out),
         (self, outputSize, scalesH, scalesW, out)) {
  return aicpu_wide("aten::upsample_nearest2d.out", self, outputSize, scale(scalesH),
                    scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleNearest3d,
         (const aclTensor* self, const aclIntArray* outputSize, double scalesD, double scalesH,
          double scalesW, aclTensor* out),
         (self, outputSize, scalesD, scalesH, scalesW, out)) {
  return aicpu_wide("aten::upsample_nearest3d.out", self, outputSize, scale(scalesD),
                    scale(scalesH), scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleNearest3dBackward,
         (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
          double scalesD, double scalesH, double scalesW, aclTensor* gradInput),
         (gradOut, outputSize, inputSize, scalesD, scalesH, scalesW, gradInput)) {
  return aicpu_wide("aten::upsample_nearest3d_backward.grad_input", gradOut, outputSize, inputSize,
                    scale(scalesD), scale(scalesH), scale(scalesW), gradInput);
}
ACLNN_OP(aclnnUpsampleNearestExact1d,
         (const aclTensor* self, const aclIntArray* outputSize, double scales, aclTensor* out),
         (self, outputSize, scales, out)) {
  return aicpu_wide("aten::_upsample_nearest_exact1d.out", self, outputSize, scale(scales), out);
}
ACLNN_OP(aclnnUpsampleNearestExact1dBackward,
         (const aclTensor* gradOutput, const aclIntArray* outputSize, const aclIntArray* inputSize,
          double scales, aclTensor* out),
         (gradOutput, outputSize, inputSize, scales, out)) {
  return aicpu_wide("aten::_upsample_nearest_exact1d_backward.grad_input", gradOutput, outputSize,
                    inputSize, scale(scales), out);
}
ACLNN_OP(aclnnUpsampleNearestExact2d,
         (const aclTensor* self, const aclIntArray* outputSize, double scalesH, double scalesW,
          aclTensor* out),
         (self, outputSize, scalesH, scalesW, out)) {
  return aicpu_wide("aten::_upsample_nearest_exact2d.out", self, outputSize, scale(scalesH),
                    scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleNearestExact2dBackward,
         (const aclTensor* gradOutput, const aclIntArray* outputSize, const aclIntArray* inputSize,
          double scalesH, double scalesW, aclTensor* out),
         (gradOutput, outputSize, inputSize, scalesH, scalesW, out)) {
  return aicpu_wide("aten::_upsample_nearest_exact2d_backward.grad_input", gradOutput, outputSize,
                    inputSize, scale(scalesH), scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleNearestExact3d,
         (const aclTensor* self, const aclIntArray* outputSize, double scalesD, double scalesH,
          double scalesW, aclTensor* out),
         (self, outputSize, scalesD, scalesH, scalesW, out)) {
  return aicpu_wide("aten::_upsample_nearest_exact3d.out", self, outputSize, scale(scalesD),
                    scale(scalesH), scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleNearestExact3dBackward,
         (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
          double scalesD, double scalesH, double scalesW, aclTensor* gradInput),
         (gradOut, outputSize, inputSize, scalesD, scalesH, scalesW, gradInput)) {
  return aicpu_wide("aten::_upsample_nearest_exact3d_backward.grad_input", gradOut, outputSize,
                    inputSize, scale(scalesD), scale(scalesH), scale(scalesW), gradInput);
}
ACLNN_OP(aclnnUpsampleTrilinear3d,
         (const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scalesD,
          double scalesH, double scalesW, aclTensor* out),
         (self, outputSize, alignCorners, scalesD, scalesH, scalesW, out)) {
  return aicpu_wide("aten::upsample_trilinear3d.out", self, outputSize, alignCorners,
                    scale(scalesD), scale(scalesH), scale(scalesW), out);
}
ACLNN_OP(aclnnUpsampleTrilinear3dBackward,
         (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
          bool alignCorners, double scalesD, double scalesH, double scalesW, aclTensor* gradInput),
         (gradOut, outputSize, inputSize, alignCorners, scalesD, scalesH, scalesW, gradInput)) {
  return aicpu_wide("aten::upsample_trilinear3d_backward.grad_input", gradOut, outputSize,
                    inputSize, alignCorners, scale(scalesD), scale(scalesH), scale(scalesW),
                    gradInput);
}

}  // namespace npu::aicpu
