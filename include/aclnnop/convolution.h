// SPDX-License-Identifier: Apache-2.0
// aclnn operators: convolutions.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnConvDepthwise2d, const aclTensor* self, const aclTensor* weight,
              const aclIntArray* kernelSize, const aclTensor* bias, const aclIntArray* stride,
              const aclIntArray* padding, const aclIntArray* dilation, aclTensor* out,
              int8_t cubeMathType);
ACLNN_DECLARE(aclnnConvolution, const aclTensor* input, const aclTensor* weight,
              const aclTensor* bias, const aclIntArray* stride, const aclIntArray* padding,
              const aclIntArray* dilation, bool transposed, const aclIntArray* outputPadding,
              int64_t groups, aclTensor* output, int8_t cubeMathType);
ACLNN_DECLARE(aclnnConvolutionBackward, const aclTensor* gradOutput, const aclTensor* input,
              const aclTensor* weight, const aclIntArray* biasSizes, const aclIntArray* stride,
              const aclIntArray* padding, const aclIntArray* dilation, bool transposed,
              const aclIntArray* outputPadding, int groups, const aclBoolArray* outputMask,
              int8_t cubeMathType, aclTensor* gradInput, aclTensor* gradWeight,
              aclTensor* gradBias);
ACLNN_DECLARE(aclnnIm2col, const aclTensor* self, const aclIntArray* kernelSize,
              const aclIntArray* dilation, const aclIntArray* padding, const aclIntArray* stride,
              const aclTensor* out);
ACLNN_DECLARE(aclnnIm2colBackward, const aclTensor* gradOutput, const aclIntArray* inputSize,
              const aclIntArray* kernelSize, const aclIntArray* dilation,
              const aclIntArray* padding, const aclIntArray* stride, aclTensor* out);
ACLNN_DECLARE(aclnnUnfoldGrad, const aclTensor* gradOut, const aclIntArray* inputSizes, int64_t dim,
              int64_t size, int64_t step, const aclTensor* gradIn);

#ifdef __cplusplus
}
#endif
