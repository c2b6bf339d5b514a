// SPDX-License-Identifier: Apache-2.0
// aclnn operators: changing the resolution, and sampling at the points of a grid. A scale that is
// not positive is not given: the sizes decide.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnAffineGrid, const aclTensor* theta, const aclIntArray* size, bool alignCorners,
              aclTensor* out);
ACLNN_DECLARE(aclnnGridSampler2D, const aclTensor* input, const aclTensor* grid,
              int64_t interpolationMode, int64_t paddingMode, bool alignCorners, aclTensor* out);
ACLNN_DECLARE(aclnnGridSampler2DBackward, const aclTensor* gradOutput, const aclTensor* input,
              const aclTensor* grid, int64_t interpolationMode, int64_t paddingMode,
              bool alignCorners, const aclBoolArray* outputMask, aclTensor* inputGrad,
              aclTensor* gridGrad);
ACLNN_DECLARE(aclnnGridSampler3D, const aclTensor* input, const aclTensor* grid,
              int64_t interpolationMode, int64_t paddingMode, bool alignCorners, aclTensor* out);
ACLNN_DECLARE(aclnnGridSampler3DBackward, const aclTensor* gradOutput, const aclTensor* input,
              const aclTensor* grid, int64_t interpolationMode, int64_t paddingMode,
              bool alignCorners, const aclBoolArray* outputMask, aclTensor* inputGrad,
              aclTensor* gridGrad);
ACLNN_DECLARE(aclnnUpsampleBicubic2d, const aclTensor* self, const aclIntArray* outputSize,
              bool alignCorners, double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleBicubic2dAA, const aclTensor* x, const aclIntArray* outputSize,
              bool alignCorners, double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleBicubic2dAAGrad, const aclTensor* gradOutput,
              const aclIntArray* outputSize, const aclIntArray* inputSize, bool alignCorners,
              double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleBicubic2dBackward, const aclTensor* gradOut,
              const aclIntArray* outputSize, const aclIntArray* inputSize, bool alignCorners,
              double scalesH, double scalesW, aclTensor* gradInput);
ACLNN_DECLARE(aclnnUpsampleBilinear2d, const aclTensor* self, const aclIntArray* outputSize,
              bool alignCorners, double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleBilinear2dAA, const aclTensor* input, const aclIntArray* outputSize,
              bool alignCorners, double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleBilinear2dAABackward, const aclTensor* gradOutput,
              const aclIntArray* outputSize, const aclIntArray* inputSize, bool alignCorners,
              double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleBilinear2dBackward, const aclTensor* gradOut,
              const aclIntArray* outputSize, const aclIntArray* inputSize, bool alignCorners,
              double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleBilinear2dBackwardV2, const aclTensor* gradOut,
              const aclIntArray* outputSize, const aclIntArray* inputSize, bool alignCorners,
              double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleLinear1d, const aclTensor* self, const aclIntArray* outputSize,
              bool alignCorners, double scales, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleLinear1dBackward, const aclTensor* gradOut,
              const aclIntArray* outputSize, const aclIntArray* inputSize, bool alignCorners,
              double scales, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearest1d, const aclTensor* self, const aclIntArray* outputSize,
              aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearest1dBackward, const aclTensor* gradOut,
              const aclIntArray* outputSize, const aclIntArray* inputSize, double scales,
              aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearest1dV2, const aclTensor* self, const aclIntArray* outputSize,
              float scaleL, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearest2d, const aclTensor* self, const aclIntArray* outputSize,
              aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearest2dBackward, const aclTensor* gradOut,
              const aclIntArray* outputSize, const aclIntArray* inputSize, double scalesH,
              double scalesW, aclTensor* gradInput);
ACLNN_DECLARE(aclnnUpsampleNearest2dV2, const aclTensor* self, const aclIntArray* outputSize,
              float scalesH, float scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearest3d, const aclTensor* self, const aclIntArray* outputSize,
              double scalesD, double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearest3dBackward, const aclTensor* gradOut,
              const aclIntArray* outputSize, const aclIntArray* inputSize, double scalesD,
              double scalesH, double scalesW, aclTensor* gradInput);
ACLNN_DECLARE(aclnnUpsampleNearestExact1d, const aclTensor* self, const aclIntArray* outputSize,
              double scales, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearestExact1dBackward, const aclTensor* gradOutput,
              const aclIntArray* outputSize, const aclIntArray* inputSize, double scales,
              aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearestExact2d, const aclTensor* self, const aclIntArray* outputSize,
              double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearestExact2dBackward, const aclTensor* gradOutput,
              const aclIntArray* outputSize, const aclIntArray* inputSize, double scalesH,
              double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearestExact3d, const aclTensor* self, const aclIntArray* outputSize,
              double scalesD, double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleNearestExact3dBackward, const aclTensor* gradOut,
              const aclIntArray* outputSize, const aclIntArray* inputSize, double scalesD,
              double scalesH, double scalesW, aclTensor* gradInput);
ACLNN_DECLARE(aclnnUpsampleTrilinear3d, const aclTensor* self, const aclIntArray* outputSize,
              bool alignCorners, double scalesD, double scalesH, double scalesW, aclTensor* out);
ACLNN_DECLARE(aclnnUpsampleTrilinear3dBackward, const aclTensor* gradOut,
              const aclIntArray* outputSize, const aclIntArray* inputSize, bool alignCorners,
              double scalesD, double scalesH, double scalesW, aclTensor* gradInput);

#ifdef __cplusplus
}
#endif
