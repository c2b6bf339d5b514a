// SPDX-License-Identifier: Apache-2.0
// aclnn operators: softmax and relatives.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnLogSoftmax, const aclTensor* self, int64_t dim, aclTensor* out);
ACLNN_DECLARE(aclnnLogSoftmaxBackward, const aclTensor* gradOutput, const aclTensor* output,
              int64_t dim, aclTensor* out);
ACLNN_DECLARE(aclnnSoftmax, const aclTensor* self, int64_t dim, aclTensor* out);
ACLNN_DECLARE(aclnnSoftmaxBackward, const aclTensor* gradOutput, const aclTensor* output,
              int64_t dim, aclTensor* out);
ACLNN_DECLARE(aclnnScaledMaskedSoftmax, const aclTensor* x, const aclTensor* mask, double scale,
              bool fixedTriuMask, aclTensor* y);
ACLNN_DECLARE(aclnnScaledMaskedSoftmaxBackward, const aclTensor* gradOutput, const aclTensor* y,
              const aclTensor* mask, double scale, bool fixTriuMask, aclTensor* out);

#ifdef __cplusplus
}
#endif
