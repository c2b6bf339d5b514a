// SPDX-License-Identifier: Apache-2.0
// Attention without a matrix of scores.
#include "aclnnop/attention.h"

#include "softnpu/aol/build/attention.h"

namespace npu::aol {

ACLNN_OP(aclnnFlashAttentionScore,
         (const aclTensor* query, const aclTensor* key, const aclTensor* value,
          const aclTensor* realShiftOptional, const aclTensor* dropMaskOptional,
          const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
          const aclIntArray* prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
          int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
          int64_t sparseMode, const aclTensor* softmaxMaxOut, const aclTensor* softmaxSumOut,
          const aclTensor* softmaxOutOut, const aclTensor* attentionOutOut),
         (query, key, value, realShiftOptional, dropMaskOptional, paddingMaskOptional,
          attenMaskOptional, prefixOptional, scaleValue, keepProb, preTokens, nextTokens, headNum,
          inputLayout, innerPrecise, sparseMode, softmaxMaxOut, softmaxSumOut, softmaxOutOut,
          attentionOutOut)) {
  return attention({query, key, value, realShiftOptional, dropMaskOptional, paddingMaskOptional,
                    attenMaskOptional, prefixOptional, scaleValue, keepProb, preTokens, nextTokens,
                    headNum, inputLayout, sparseMode, 1},
                   softmaxMaxOut, softmaxSumOut, attentionOutOut);
}
ACLNN_OP(aclnnFlashAttentionScoreV2,
         (const aclTensor* query, const aclTensor* key, const aclTensor* value,
          const aclTensor* realShiftOptional, const aclTensor* dropMaskOptional,
          const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
          const aclIntArray* prefixOptional, const aclIntArray* qStartIdxOptional,
          const aclIntArray* kvStartIdxOptional, double scaleValue, double keepProb,
          int64_t preTokens, int64_t nextTokens, int64_t headNum, char* inputLayout,
          int64_t innerPrecise, int64_t sparseMode, int64_t pseType, const aclTensor* softmaxMaxOut,
          const aclTensor* softmaxSumOut, const aclTensor* softmaxOutOut,
          const aclTensor* attentionOutOut),
         (query, key, value, realShiftOptional, dropMaskOptional, paddingMaskOptional,
          attenMaskOptional, prefixOptional, qStartIdxOptional, kvStartIdxOptional, scaleValue,
          keepProb, preTokens, nextTokens, headNum, inputLayout, innerPrecise, sparseMode, pseType,
          softmaxMaxOut, softmaxSumOut, softmaxOutOut, attentionOutOut)) {
  return attention({query, key, value, realShiftOptional, dropMaskOptional, paddingMaskOptional,
                    attenMaskOptional, prefixOptional, scaleValue, keepProb, preTokens, nextTokens,
                    headNum, inputLayout, sparseMode, pseType},
                   softmaxMaxOut, softmaxSumOut, attentionOutOut);
}
ACLNN_OP(aclnnFlashAttentionScoreGrad,
         (const aclTensor* query, const aclTensor* keyIn, const aclTensor* value,
          const aclTensor* dy, const aclTensor* pseShiftOptional, const aclTensor* dropMaskOptional,
          const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
          const aclTensor* softmaxMaxOptional, const aclTensor* softmaxSumOptional,
          const aclTensor* softmaxInOptional, const aclTensor* attentionInOptional,
          const aclIntArray* prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
          int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
          int64_t sparseMode, const aclTensor* dqOut, const aclTensor* dkOut,
          const aclTensor* dvOut, const aclTensor* dpseOut),
         (query, keyIn, value, dy, pseShiftOptional, dropMaskOptional, paddingMaskOptional,
          attenMaskOptional, softmaxMaxOptional, softmaxSumOptional, softmaxInOptional,
          attentionInOptional, prefixOptional, scaleValue, keepProb, preTokens, nextTokens, headNum,
          inputLayout, innerPrecise, sparseMode, dqOut, dkOut, dvOut, dpseOut)) {
  return attention_backward({query, keyIn, value, pseShiftOptional, dropMaskOptional,
                             paddingMaskOptional, attenMaskOptional, prefixOptional, scaleValue,
                             keepProb, preTokens, nextTokens, headNum, inputLayout, sparseMode, 1},
                            dy, softmaxMaxOptional, softmaxSumOptional, attentionInOptional, dqOut,
                            dkOut, dvOut, dpseOut);
}
ACLNN_OP(aclnnFlashAttentionScoreGradV2,
         (const aclTensor* query, const aclTensor* keyIn, const aclTensor* value,
          const aclTensor* dy, const aclTensor* pseShiftOptional, const aclTensor* dropMaskOptional,
          const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
          const aclTensor* softmaxMaxOptional, const aclTensor* softmaxSumOptional,
          const aclTensor* softmaxInOptional, const aclTensor* attentionInOptional,
          const aclIntArray* prefixOptional, const aclIntArray* qStartIdxOptional,
          const aclIntArray* kvStartIdxOptional, double scaleValue, double keepProb,
          int64_t preTokens, int64_t nextTokens, int64_t headNum, char* inputLayout,
          int64_t innerPrecise, int64_t sparseMode, int64_t pseType, const aclTensor* dqOut,
          const aclTensor* dkOut, const aclTensor* dvOut, const aclTensor* dpseOut),
         (query, keyIn, value, dy, pseShiftOptional, dropMaskOptional, paddingMaskOptional,
          attenMaskOptional, softmaxMaxOptional, softmaxSumOptional, softmaxInOptional,
          attentionInOptional, prefixOptional, qStartIdxOptional, kvStartIdxOptional, scaleValue,
          keepProb, preTokens, nextTokens, headNum, inputLayout, innerPrecise, sparseMode, pseType,
          dqOut, dkOut, dvOut, dpseOut)) {
  return attention_backward(
      {query, keyIn, value, pseShiftOptional, dropMaskOptional, paddingMaskOptional,
       attenMaskOptional, prefixOptional, scaleValue, keepProb, preTokens, nextTokens, headNum,
       inputLayout, sparseMode, pseType},
      dy, softmaxMaxOptional, softmaxSumOptional, attentionInOptional, dqOut, dkOut, dvOut,
      dpseOut);
}

}  // namespace npu::aol
