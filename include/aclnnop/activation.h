// SPDX-License-Identifier: Apache-2.0
// aclnn operators: activations and their gradients.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnCelu, const aclTensor* self, const aclScalar* alpha, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceCelu, aclTensor* selfRef, const aclScalar* alpha);
ACLNN_DECLARE(aclnnElu, const aclTensor* self, const aclScalar* alpha, const aclScalar* scale,
              const aclScalar* inputScale, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceElu, aclTensor* selfRef, const aclScalar* alpha, const aclScalar* scale,
              const aclScalar* inputScale);
ACLNN_DECLARE(aclnnEluBackward, const aclTensor* gradOutput, const aclScalar* alpha,
              const aclScalar* scale, const aclScalar* inputScale, bool isResult,
              const aclTensor* selfOrResult, aclTensor* gradInput);
ACLNN_DECLARE(aclnnFastGelu, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnFastGeluBackward, const aclTensor* gradOutput, const aclTensor* self,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnGeGluV3, const aclTensor* self, int64_t dim, int64_t approximate,
              bool activateLeft, aclTensor* out, aclTensor* outGelu);
ACLNN_DECLARE(aclnnGeGluV3Backward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* gelu, int64_t dim, int64_t approximate, bool activateLeft,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnGelu, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnGeluBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* gradInput);
ACLNN_DECLARE(aclnnGeluBackwardV2, const aclTensor* gradOutput, const aclTensor* self,
              char* approximate, aclTensor* gradInput);
ACLNN_DECLARE(aclnnGeluV2, const aclTensor* x, int64_t approximate, aclTensor* y);
ACLNN_DECLARE(aclnnGlu, const aclTensor* self, int64_t dim, const aclTensor* out);
ACLNN_DECLARE(aclnnGluBackward, const aclTensor* gradOut, const aclTensor* self, int64_t dim,
              const aclTensor* out);
ACLNN_DECLARE(aclnnHardshrink, const aclTensor* self, const aclScalar* lambd, aclTensor* out);
ACLNN_DECLARE(aclnnHardshrinkBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclScalar* lambd, aclTensor* gradInput);
ACLNN_DECLARE(aclnnHardsigmoid, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceHardsigmoid, const aclTensor* self);
ACLNN_DECLARE(aclnnHardsigmoidBackward, const aclTensor* gradOutput, const aclTensor* self,
              aclTensor* out);
ACLNN_DECLARE(aclnnHardswish, const aclTensor* self, const aclTensor* out);
ACLNN_DECLARE(aclnnInplaceHardswish, const aclTensor* self);
ACLNN_DECLARE(aclnnHardswishBackward, const aclTensor* gradOutput, const aclTensor* self,
              aclTensor* out);
ACLNN_DECLARE(aclnnHardswishBackwardV2, const aclTensor* gradOutput, const aclTensor* self,
              aclTensor* out);
ACLNN_DECLARE(aclnnHardtanh, const aclTensor* self, const aclScalar* clipValueMin,
              const aclScalar* clipValueMax, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceHardtanh, aclTensor* selfRef, const aclScalar* clipValueMin,
              const aclScalar* clipValueMax);
ACLNN_DECLARE(aclnnHardtanhBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclScalar* min, const aclScalar* max, aclTensor* out);
ACLNN_DECLARE(aclnnLeakyRelu, const aclTensor* self, const aclScalar* negativeSlope,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLeakyRelu, aclTensor* selfRef, const aclScalar* negativeSlope);
ACLNN_DECLARE(aclnnLeakyReluBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclScalar* negativeSlope, bool selfIsResult, aclTensor* out);
ACLNN_DECLARE(aclnnLogSigmoid, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnLogSigmoidBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* buffer, aclTensor* gradInput);
ACLNN_DECLARE(aclnnLogSigmoidForward, const aclTensor* self, aclTensor* out, aclTensor* buffer);
ACLNN_DECLARE(aclnnMish, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceMish, aclTensor* selfRef);
ACLNN_DECLARE(aclnnMishBackward, const aclTensor* gradOutput, const aclTensor* self,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnPrelu, const aclTensor* self, const aclTensor* weight, aclTensor* out);
ACLNN_DECLARE(aclnnPreluBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* weight, aclTensor* gradInput, aclTensor* gradWeight);
ACLNN_DECLARE(aclnnRReluWithNoise, const aclTensor* self, const aclTensor* noise,
              const aclScalar* lower, const aclScalar* upper, bool training, int64_t seed,
              int64_t offset, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceRReluWithNoise, const aclTensor* self, const aclTensor* noise,
              const aclScalar* lower, const aclScalar* upper, bool training, int64_t seed,
              int64_t offset);
ACLNN_DECLARE(aclnnRelu, const aclTensor* self, const aclTensor* out);
ACLNN_DECLARE(aclnnInplaceRelu, aclTensor* selfRef);
ACLNN_DECLARE(aclnnSigmoid, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceSigmoid, aclTensor* selfRef);
ACLNN_DECLARE(aclnnSigmoidBackward, const aclTensor* gradOutput, const aclTensor* output,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnSilu, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnSiluBackward, const aclTensor* gradOutput, const aclTensor* self,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnSoftplus, const aclTensor* self, const aclScalar* beta,
              const aclScalar* threshold, aclTensor* out);
ACLNN_DECLARE(aclnnSoftplusBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclScalar* beta, const aclScalar* threshold, aclTensor* gradInput);
ACLNN_DECLARE(aclnnSoftshrink, const aclTensor* self, const aclScalar* lambd, aclTensor* out);
ACLNN_DECLARE(aclnnSoftshrinkBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclScalar* lambd, aclTensor* gradInput);
ACLNN_DECLARE(aclnnSwiGlu, const aclTensor* x, int64_t dim, const aclTensor* out);
ACLNN_DECLARE(aclnnSwiGluGrad, const aclTensor* yGrad, const aclTensor* x, int64_t dim,
              const aclTensor* out);
ACLNN_DECLARE(aclnnTanh, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceTanh, aclTensor* selfRef);
ACLNN_DECLARE(aclnnTanhBackward, const aclTensor* gradOutput, const aclTensor* output,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnThreshold, const aclTensor* self, const aclScalar* threshold,
              const aclScalar* value, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceThreshold, aclTensor* selfRef, const aclScalar* threshold,
              const aclScalar* value);
ACLNN_DECLARE(aclnnThresholdBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclScalar* threshold, aclTensor* out);

#ifdef __cplusplus
}
#endif
