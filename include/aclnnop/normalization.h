// SPDX-License-Identifier: Apache-2.0
// aclnn operators: batch, layer, group and root-mean-square normalisation.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnAddLayerNorm, const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma,
              const aclTensor* beta, const aclTensor* biasOptional, double epsilon,
              bool additionalOutput, const aclTensor* yOut, const aclTensor* meanOut,
              const aclTensor* rstdOut, const aclTensor* xOut);
ACLNN_DECLARE(aclnnAddLayerNormGrad, const aclTensor* dy, const aclTensor* x1, const aclTensor* x2,
              const aclTensor* rstd, const aclTensor* mean, const aclTensor* gamma,
              const aclTensor* dsumOptional, const aclTensor* dxOut, const aclTensor* dgammaOut,
              const aclTensor* dbetaOut);
ACLNN_DECLARE(aclnnAddRmsNorm, const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma,
              double epsilon, aclTensor* yOut, aclTensor* rstdOut, aclTensor* xOut);
ACLNN_DECLARE(aclnnInplaceAddRmsNorm, aclTensor* x1Ref, aclTensor* x2Ref, const aclTensor* gamma,
              double epsilon, const aclTensor* rstdOut);
ACLNN_DECLARE(aclnnAddRmsNormCast, const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma,
              double epsilon, const aclTensor* y1Out, const aclTensor* y2Out,
              const aclTensor* rstdOut, const aclTensor* xOut);
ACLNN_DECLARE(aclnnBatchNorm, const aclTensor* input, const aclTensor* weight,
              const aclTensor* bias, aclTensor* runningMean, aclTensor* runningVar, bool training,
              double momentum, double eps, aclTensor* output, aclTensor* saveMean,
              aclTensor* saveInvstd);
ACLNN_DECLARE(aclnnBatchNormBackward, const aclTensor* gradOut, const aclTensor* input,
              const aclTensor* weight, const aclTensor* runningMean, const aclTensor* runningVar,
              const aclTensor* saveMean, const aclTensor* saveInvstd, bool training, double eps,
              const aclBoolArray* outputMask, aclTensor* gradInput, aclTensor* gradWeight,
              aclTensor* gradBias);
ACLNN_DECLARE(aclnnBatchNormElemt, const aclTensor* input, const aclTensor* weight,
              const aclTensor* bias, aclTensor* mean, aclTensor* invstd, double eps,
              aclTensor* output);
ACLNN_DECLARE(aclnnBatchNormElemtBackward, const aclTensor* gradOut, const aclTensor* input,
              const aclTensor* mean, const aclTensor* invstd, const aclTensor* weight,
              const aclTensor* sumDy, const aclTensor* sumDyXmu, aclTensor* counter,
              aclTensor* gradInput);
ACLNN_DECLARE(aclnnBatchNormGatherStatsWithCounts, const aclTensor* input, const aclTensor* mean,
              const aclTensor* invstd, aclTensor* runningMean, aclTensor* runningVar,
              double momentum, double eps, const aclTensor* counts, aclTensor* meanAll,
              aclTensor* invstdAll);
ACLNN_DECLARE(aclnnBatchNormReduce, const aclTensor* x, aclTensor* sum, aclTensor* squareSum);
ACLNN_DECLARE(aclnnBatchNormReduceBackward, const aclTensor* gradOut, const aclTensor* input,
              const aclTensor* mean, const aclTensor* invstd, const aclTensor* weight, bool inputG,
              bool weightG, bool biasG, aclTensor* sumDy, aclTensor* sumDyXmu,
              aclTensor* gradWeight, aclTensor* gradBias);
ACLNN_DECLARE(aclnnBatchNormStats, const aclTensor* input, double eps, aclTensor* mean,
              aclTensor* invstd);
ACLNN_DECLARE(aclnnGroupNorm, const aclTensor* self, const aclTensor* gamma, const aclTensor* beta,
              int64_t N, int64_t C, int64_t HxW, int64_t group, double eps, aclTensor* out,
              aclTensor* meanOut, aclTensor* rstdOut);
ACLNN_DECLARE(aclnnGroupNormBackward, const aclTensor* gradOut, const aclTensor* input,
              const aclTensor* mean, const aclTensor* rstd, const aclTensor* gamma, int64_t N,
              int64_t C, int64_t HxW, int64_t group, const aclBoolArray* outputMask,
              aclTensor* gradInput, aclTensor* gradGammaOut, aclTensor* gradBetaOut);
ACLNN_DECLARE(aclnnGroupNormSilu, const aclTensor* self, const aclTensor* gamma,
              const aclTensor* beta, int64_t group, double eps, aclTensor* out, aclTensor* meanOut,
              aclTensor* rstdOut);
ACLNN_DECLARE(aclnnLayerNorm, const aclTensor* input, const aclIntArray* normalizedShape,
              const aclTensor* weightOptional, const aclTensor* biasOptional, double eps,
              aclTensor* out, aclTensor* meanOutOptional, aclTensor* rstdOutOptional);
ACLNN_DECLARE(aclnnLayerNormBackward, const aclTensor* gradOut, const aclTensor* input,
              const aclIntArray* normalizedShape, const aclTensor* mean, const aclTensor* rstd,
              const aclTensor* weightOptional, const aclTensor* biasOptional,
              const aclBoolArray* outputMask, aclTensor* gradInputOut, aclTensor* gradWeightOut,
              aclTensor* gradBiasOut);
ACLNN_DECLARE(aclnnRmsNorm, const aclTensor* x, const aclTensor* gamma, double epsilon,
              const aclTensor* yOut, const aclTensor* rstdOut);
ACLNN_DECLARE(aclnnRmsNormGrad, const aclTensor* dy, const aclTensor* x, const aclTensor* rstd,
              const aclTensor* gamma, const aclTensor* dxOut, const aclTensor* dgammaOut);
ACLNN_DECLARE(aclnnSyncBatchNormGatherStats, const aclTensor* totalSum,
              const aclTensor* totalSquareSum, const aclTensor* sampleCount, aclTensor* mean,
              aclTensor* variance, float momentum, float eps, aclTensor* batchMean,
              aclTensor* batchInvstd);

#ifdef __cplusplus
}
#endif
