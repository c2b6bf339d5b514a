// SPDX-License-Identifier: Apache-2.0
// aclnn operators: pooling and padding.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnAdaptiveAvgPool2d, const aclTensor* self, const aclIntArray* outputSize,
              aclTensor* out);
ACLNN_DECLARE(aclnnAdaptiveAvgPool2dBackward, const aclTensor* gradOutput, const aclTensor* self,
              aclTensor* out);
ACLNN_DECLARE(aclnnAdaptiveAvgPool3d, const aclTensor* self, const aclIntArray* outputSize,
              aclTensor* out);
ACLNN_DECLARE(aclnnAdaptiveAvgPool3dBackward, const aclTensor* gradOutput, const aclTensor* self,
              aclTensor* out);
ACLNN_DECLARE(aclnnAdaptiveMaxPool2d, const aclTensor* self, const aclIntArray* outputSize,
              aclTensor* outputOut, aclTensor* indicesOut);
ACLNN_DECLARE(aclnnAdaptiveMaxPool2dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* indices, aclTensor* gradInput);
ACLNN_DECLARE(aclnnAdaptiveMaxPool3d, const aclTensor* self, const aclIntArray* outputSize,
              aclTensor* outputOut, aclTensor* indicesOut);
ACLNN_DECLARE(aclnnAdaptiveMaxPool3dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* indices, aclTensor* gradInput);
ACLNN_DECLARE(aclnnAvgPool2d, const aclTensor* self, const aclIntArray* kernelSize,
              const aclIntArray* strides, const aclIntArray* paddings, bool ceilMode,
              bool countIncludePad, int64_t divisorOverride, int8_t cubeMathType, aclTensor* out);
ACLNN_DECLARE(aclnnAvgPool2dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
              bool ceilMode, bool countIncludePad, int64_t divisorOverride, int8_t cubeMathType,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnAvgPool3d, const aclTensor* self, const aclIntArray* kernelSize,
              const aclIntArray* stride, const aclIntArray* padding, bool ceilMode,
              bool countIncludePad, int64_t divisorOverride, aclTensor* out);
ACLNN_DECLARE(aclnnAvgPool3dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
              bool ceilMode, bool countIncludePad, int64_t divisorOverride, aclTensor* output);
ACLNN_DECLARE(aclnnMaxPool2dWithIndices, const aclTensor* self, const aclIntArray* kernelSize,
              const aclIntArray* stride, const aclIntArray* padding, const aclIntArray* dilation,
              bool ceilMode, aclTensor* out, aclTensor* indices);
ACLNN_DECLARE(aclnnMaxPool2dWithIndicesBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* indices, const aclIntArray* kernelSize, const aclIntArray* stride,
              const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnMaxPool2dWithMask, const aclTensor* self, const aclIntArray* kernelSize,
              const aclIntArray* stride, const aclIntArray* padding, const aclIntArray* dilation,
              bool ceilMode, aclTensor* out, aclTensor* indices);
ACLNN_DECLARE(aclnnMaxPool2dWithMaskBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* indices, const aclIntArray* kernelSize, const aclIntArray* stride,
              const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnMaxPool3dWithArgmax, const aclTensor* self, const aclIntArray* kernelSize,
              const aclIntArray* stride, const aclIntArray* padding, const aclIntArray* dilation,
              bool ceilMode, aclTensor* out, aclTensor* indices);
ACLNN_DECLARE(aclnnMaxPool3dWithArgmaxBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* indices, const aclIntArray* kernelSize, const aclIntArray* stride,
              const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnMaxUnpool2d, const aclTensor* self, const aclTensor* indices,
              const aclIntArray* outputSize, aclTensor* out);
ACLNN_DECLARE(aclnnMaxUnpool3d, const aclTensor* self, const aclTensor* indices,
              const aclIntArray* outputSize, const aclIntArray* stride, const aclIntArray* padding,
              aclTensor* outRef);
ACLNN_DECLARE(aclnnConstantPadNd, const aclTensor* self, const aclIntArray* pad,
              const aclScalar* value, aclTensor* out);
ACLNN_DECLARE(aclnnReflectionPad1d, const aclTensor* self, const aclIntArray* padding,
              aclTensor* out);
ACLNN_DECLARE(aclnnReflectionPad1dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclIntArray* padding, aclTensor* gradInput);
ACLNN_DECLARE(aclnnReflectionPad2d, const aclTensor* self, const aclIntArray* padding,
              aclTensor* out);
ACLNN_DECLARE(aclnnReflectionPad2dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclIntArray* padding, aclTensor* gradInput);
ACLNN_DECLARE(aclnnReflectionPad3d, const aclTensor* self, const aclIntArray* padding,
              aclTensor* out);
ACLNN_DECLARE(aclnnReflectionPad3dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclIntArray* padding, aclTensor* gradInput);
ACLNN_DECLARE(aclnnReplicationPad1d, const aclTensor* self, const aclIntArray* padding,
              aclTensor* out);
ACLNN_DECLARE(aclnnReplicationPad1dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclIntArray* padding, aclTensor* gradInput);
ACLNN_DECLARE(aclnnReplicationPad2d, const aclTensor* self, const aclIntArray* padding,
              aclTensor* out);
ACLNN_DECLARE(aclnnReplicationPad2dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclIntArray* padding, aclTensor* gradInput);
ACLNN_DECLARE(aclnnReplicationPad3d, const aclTensor* self, const aclIntArray* padding,
              aclTensor* out);
ACLNN_DECLARE(aclnnReplicationPad3dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclIntArray* padding, aclTensor* gradInput);

#ifdef __cplusplus
}
#endif
