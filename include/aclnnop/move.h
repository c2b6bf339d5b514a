// SPDX-License-Identifier: Apache-2.0
// aclnn operators: copies, casts, and rearrangements of whole tensors.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnCast, const aclTensor* self, const aclDataType dtype, aclTensor* out);
ACLNN_DECLARE(aclnnCat, const aclTensorList* tensors, int64_t dim, aclTensor* out);
ACLNN_DECLARE(aclnnChannelShuffle, const aclTensor* self, int64_t groups, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceCopy, aclTensor* selfRef, const aclTensor* src);
ACLNN_DECLARE(aclnnFlip, const aclTensor* self, const aclIntArray* dims, aclTensor* out);
ACLNN_DECLARE(aclnnRepeat, const aclTensor* self, const aclIntArray* repeats, aclTensor* out);
ACLNN_DECLARE(aclnnRepeatInterleave, const aclTensor* self, const aclTensor* repeats,
              int64_t outputSize, aclTensor* out);
ACLNN_DECLARE(aclnnRepeatInterleaveGrad, const aclTensor* yGrad, const aclTensor* repeats,
              int64_t axis, const aclTensor* out);
ACLNN_DECLARE(aclnnRepeatInterleaveInt, const aclTensor* self, int64_t repeats, int64_t outputSize,
              aclTensor* out);
ACLNN_DECLARE(aclnnRepeatInterleaveIntWithDim, const aclTensor* self, int64_t repeats, int64_t dim,
              int64_t outputSize, aclTensor* out);
ACLNN_DECLARE(aclnnRepeatInterleaveTensor, const aclTensor* repeats, int64_t outputSize,
              aclTensor* out);
ACLNN_DECLARE(aclnnRepeatInterleaveWithDim, const aclTensor* self, const aclTensor* repeats,
              int64_t dim, int64_t outputSize, aclTensor* out);
ACLNN_DECLARE(aclnnRoll, const aclTensor* x, const aclIntArray* shifts, const aclIntArray* dims,
              aclTensor* out);
ACLNN_DECLARE(aclnnSplitWithSize, const aclTensor* self, const aclIntArray* splitSize, int64_t dim,
              aclTensorList* out);
ACLNN_DECLARE(aclnnStack, const aclTensorList* tensors, int64_t dim, aclTensor* out);
ACLNN_DECLARE(aclnnStridedSlice, const aclTensor* self, const aclIntArray* begin,
              const aclIntArray* end, const aclIntArray* strides, int64_t beginMask,
              int64_t endMask, int64_t ellipsisMask, int64_t newAxisMask, int64_t shrinkAxisMask,
              aclTensor* out);
ACLNN_DECLARE(aclnnTril, const aclTensor* self, int64_t diagonal, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceTril, const aclTensor* selfRef, int64_t diagonal);
ACLNN_DECLARE(aclnnTriu, const aclTensor* self, int64_t diagonal, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceTriu, aclTensor* selfRef, int64_t diagonal);

#ifdef __cplusplus
}
#endif
