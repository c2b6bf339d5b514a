// SPDX-License-Identifier: Apache-2.0
// aclnn operators: random numbers and dropout. Results follow from seed and offset alone.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnInplaceBernoulli, const aclTensor* selfRef, const aclScalar* prob, int64_t seed,
              int64_t offset);
ACLNN_DECLARE(aclnnInplaceBernoulliTensor, const aclTensor* selfRef, const aclTensor* prob,
              int64_t seed, int64_t offset);
ACLNN_DECLARE(aclnnDropoutDoMask, const aclTensor* self, const aclTensor* mask, double prob,
              aclTensor* out);
ACLNN_DECLARE(aclnnDropoutGenMask, const aclIntArray* shape, double prob, int64_t seed,
              int64_t offset, aclTensor* out);
ACLNN_DECLARE(aclnnDropoutGenMaskV2, const aclIntArray* shape, double prob, int64_t seed,
              int64_t offset, aclDataType probDataType, aclTensor* out);
ACLNN_DECLARE(aclnnDropoutGenMaskV2Tensor, const aclIntArray* shape, double prob,
              const aclTensor* seedTensor, const aclTensor* offsetTensor, int64_t offset,
              aclDataType probDataType, aclTensor* out);
ACLNN_DECLARE(aclnnDropoutV3, const aclTensor* input, const aclTensor* optionalNoiseShape, double p,
              int64_t seed, int64_t offset, aclTensor* out, aclTensor* maskOut);
ACLNN_DECLARE(aclnnDropoutV3Grad, const aclTensor* gradY, const aclTensor* mask, double scale,
              aclTensor* gradX);
ACLNN_DECLARE(aclnnMultinomial, const aclTensor* self, int64_t numsamples, bool replacement,
              int64_t seed, int64_t offset, aclTensor* out);
ACLNN_DECLARE(aclnnMultinomialTensor, const aclTensor* self, int64_t numsamples, bool replacement,
              const aclTensor* seedTensor, const aclTensor* offsetTensor, int64_t offset,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceNormal, const aclTensor* selfRef, float mean, float std, int64_t seed,
              int64_t offset);
ACLNN_DECLARE(aclnnNormalFloatFloat, float mean, float std, int64_t seed, int64_t offset,
              aclTensor* out);
ACLNN_DECLARE(aclnnNormalFloatTensor, float mean, const aclTensor* std, int64_t seed,
              int64_t offset, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceNormalTensor, const aclTensor* selfRef, float mean, float std,
              const aclTensor* seedTensor, const aclTensor* offsetTensor, int64_t offset);
ACLNN_DECLARE(aclnnNormalTensorFloat, const aclTensor* mean, float std, int64_t seed,
              int64_t offset, aclTensor* out);
ACLNN_DECLARE(aclnnNormalTensorTensor, const aclTensor* mean, const aclTensor* std, int64_t seed,
              int64_t offset, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceRandom, const aclTensor* selfRef, int64_t from, int64_t to, int64_t seed,
              int64_t offset);
ACLNN_DECLARE(aclnnInplaceRandomTensor, const aclTensor* selfRef, int64_t from, int64_t to,
              const aclTensor* seedTensor, const aclTensor* offsetTensor, int64_t offset);
ACLNN_DECLARE(aclnnInplaceRandomWithoutFromTo, const aclTensor* selfRef, int64_t seed,
              int64_t offset);
ACLNN_DECLARE(aclnnInplaceRandomWithoutFromToTensor, const aclTensor* selfRef,
              const aclTensor* seedTensor, const aclTensor* offsetTensor, int64_t offset);
ACLNN_DECLARE(aclnnRandperm, int64_t n, int64_t seed, int64_t offset, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceUniform, const aclTensor* selfRef, double from, double to, uint64_t seed,
              uint64_t offset);
ACLNN_DECLARE(aclnnInplaceUniformTensor, const aclTensor* selfRef, double from, double to,
              const aclTensor* seedTensor, const aclTensor* offsetTensor, uint64_t offset);

#ifdef __cplusplus
}
#endif
