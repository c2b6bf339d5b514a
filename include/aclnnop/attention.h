// SPDX-License-Identifier: Apache-2.0
// aclnn operators: attention that keeps no matrix of scores. The first form computes
// softmax(scale * (q @ k + pse)); V2's pseType 0 is softmax(scale * q @ k + pse), 1 the first form.
// attenMask: true or 1 is masked. The sparse modes read here: 0 (the mask, or the band from
// preTokens and nextTokens), 1 (the whole mask), 2 (causal from the upper left corner),
// 3 (from the lower right one).
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnFlashAttentionScore, const aclTensor* query, const aclTensor* key,
              const aclTensor* value, const aclTensor* realShiftOptional,
              const aclTensor* dropMaskOptional, const aclTensor* paddingMaskOptional,
              const aclTensor* attenMaskOptional, const aclIntArray* prefixOptional,
              double scaleValue, double keepProb, int64_t preTokens, int64_t nextTokens,
              int64_t headNum, char* inputLayout, int64_t innerPrecise, int64_t sparseMode,
              const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut,
              const aclTensor* softmaxOutOut, const aclTensor* attentionOutOut);
ACLNN_DECLARE(aclnnFlashAttentionScoreV2, const aclTensor* query, const aclTensor* key,
              const aclTensor* value, const aclTensor* realShiftOptional,
              const aclTensor* dropMaskOptional, const aclTensor* paddingMaskOptional,
              const aclTensor* attenMaskOptional, const aclIntArray* prefixOptional,
              const aclIntArray* qStartIdxOptional, const aclIntArray* kvStartIdxOptional,
              double scaleValue, double keepProb, int64_t preTokens, int64_t nextTokens,
              int64_t headNum, char* inputLayout, int64_t innerPrecise, int64_t sparseMode,
              int64_t pseType, const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut,
              const aclTensor* softmaxOutOut, const aclTensor* attentionOutOut);
ACLNN_DECLARE(aclnnFlashAttentionScoreGrad, const aclTensor* query, const aclTensor* keyIn,
              const aclTensor* value, const aclTensor* dy, const aclTensor* pseShiftOptional,
              const aclTensor* dropMaskOptional, const aclTensor* paddingMaskOptional,
              const aclTensor* attenMaskOptional, const aclTensor* softmaxMaxOptional,
              const aclTensor* softmaxSumOptional, const aclTensor* softmaxInOptional,
              const aclTensor* attentionInOptional, const aclIntArray* prefixOptional,
              double scaleValue, double keepProb, int64_t preTokens, int64_t nextTokens,
              int64_t headNum, char* inputLayout, int64_t innerPrecise, int64_t sparseMode,
              const aclTensor* dqOut, const aclTensor* dkOut, const aclTensor* dvOut,
              const aclTensor* dpseOut);
ACLNN_DECLARE(aclnnFlashAttentionScoreGradV2, const aclTensor* query, const aclTensor* keyIn,
              const aclTensor* value, const aclTensor* dy, const aclTensor* pseShiftOptional,
              const aclTensor* dropMaskOptional, const aclTensor* paddingMaskOptional,
              const aclTensor* attenMaskOptional, const aclTensor* softmaxMaxOptional,
              const aclTensor* softmaxSumOptional, const aclTensor* softmaxInOptional,
              const aclTensor* attentionInOptional, const aclIntArray* prefixOptional,
              const aclIntArray* qStartIdxOptional, const aclIntArray* kvStartIdxOptional,
              double scaleValue, double keepProb, int64_t preTokens, int64_t nextTokens,
              int64_t headNum, char* inputLayout, int64_t innerPrecise, int64_t sparseMode,
              int64_t pseType, const aclTensor* dqOut, const aclTensor* dkOut,
              const aclTensor* dvOut, const aclTensor* dpseOut);

#ifdef __cplusplus
}
#endif
