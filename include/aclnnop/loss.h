// SPDX-License-Identifier: Apache-2.0
// aclnn operators: losses and their gradients.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnBinaryCrossEntropy, const aclTensor* self, const aclTensor* target,
              const aclTensor* weight, int64_t reduction, aclTensor* out);
ACLNN_DECLARE(aclnnBinaryCrossEntropyBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* target, const aclTensor* weightOptional, int64_t reduction,
              aclTensor* out);
ACLNN_DECLARE(aclnnBinaryCrossEntropyWithLogits, const aclTensor* self, const aclTensor* target,
              const aclTensor* weightOptional, const aclTensor* posWeightOptional,
              int64_t reduction, aclTensor* out);
ACLNN_DECLARE(aclnnBinaryCrossEntropyWithLogitsBackward, const aclTensor* gradOutput,
              const aclTensor* self, const aclTensor* target, const aclTensor* weightOptional,
              const aclTensor* posWeightOptional, int64_t reduction, aclTensor* out);
ACLNN_DECLARE(aclnnCrossEntropyLoss, const aclTensor* input, const aclTensor* target,
              const aclTensor* weightOptional, char* reductionOptional, int64_t ignoreIndex,
              double labelSmoothing, double lseSquareScaleForZloss, bool returnZloss,
              const aclTensor* lossOut, const aclTensor* logProbOut, const aclTensor* zlossOut,
              const aclTensor* lseForZlossOut);
ACLNN_DECLARE(aclnnCrossEntropyLossGrad, const aclTensor* gradLoss, const aclTensor* logProb,
              const aclTensor* target, const aclTensor* weightOptional,
              const aclTensor* gradZlossOptional, const aclTensor* lseForZlossOptional,
              char* reductionOptional, int64_t ignoreIndex, double labelSmoothing,
              double lseSquareScaleForZloss, const aclTensor* out);
ACLNN_DECLARE(aclnnCtcLoss, const aclTensor* logProbs, const aclTensor* targets,
              const aclIntArray* inputLengths, const aclIntArray* targetlengths, int64_t blank,
              bool zeroInfinity, aclTensor* negLogLikelihoodOut, aclTensor* logAlphaOut);
ACLNN_DECLARE(aclnnCtcLossBackward, const aclTensor* gradOut, const aclTensor* logProbs,
              const aclTensor* targets, const aclIntArray* inputLengths,
              const aclIntArray* targetLengths, const aclTensor* negLogLikelihood,
              const aclTensor* logAlpha, int64_t blank, bool zeroInfinity, aclTensor* out);
ACLNN_DECLARE(aclnnKlDiv, const aclTensor* self, const aclTensor* target, int64_t reduction,
              bool logTarget, aclTensor* out);
ACLNN_DECLARE(aclnnKlDivBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* target, int64_t reduction, bool logTarget, aclTensor* out);
ACLNN_DECLARE(aclnnL1Loss, const aclTensor* self, const aclTensor* target, int64_t reduction,
              aclTensor* out);
ACLNN_DECLARE(aclnnL1LossBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* target, int64_t reduction, aclTensor* gradInput);
ACLNN_DECLARE(aclnnMseLoss, const aclTensor* self, const aclTensor* target, int64_t reduction,
              aclTensor* out);
ACLNN_DECLARE(aclnnMseLossBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* target, int64_t reduction, aclTensor* out);
ACLNN_DECLARE(aclnnMultilabelMarginLoss, const aclTensor* self, const aclTensor* target,
              int64_t reduction, aclTensor* out, aclTensor* isTarget);
ACLNN_DECLARE(aclnnNLLLoss, const aclTensor* self, const aclTensor* target, const aclTensor* weight,
              int64_t reduction, int64_t ignoreIndex, aclTensor* out, aclTensor* totalWeightOut);
ACLNN_DECLARE(aclnnNLLLoss2d, const aclTensor* self, const aclTensor* target,
              const aclTensor* weight, int64_t reduction, int64_t ignoreIndex, aclTensor* out,
              aclTensor* totalWeightOut);
ACLNN_DECLARE(aclnnNLLLoss2dBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* target, const aclTensor* weight, int64_t reduction,
              int64_t ignoreIndex, aclTensor* totalWeight, aclTensor* out);
ACLNN_DECLARE(aclnnNLLLossBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* target, const aclTensor* weight, int64_t reduction,
              int64_t ignoreIndex, const aclTensor* totalWeight, aclTensor* out);
ACLNN_DECLARE(aclnnSmoothL1Loss, const aclTensor* self, const aclTensor* target, int64_t reduction,
              float beta, aclTensor* result);
ACLNN_DECLARE(aclnnSmoothL1LossBackward, const aclTensor* gradOut, const aclTensor* self,
              const aclTensor* target, int64_t reduction, float beta, aclTensor* gradInput);
ACLNN_DECLARE(aclnnSoftMarginLoss, const aclTensor* self, const aclTensor* target,
              int64_t reduction, aclTensor* out);
ACLNN_DECLARE(aclnnSoftMarginLossBackward, const aclTensor* gradOutput, const aclTensor* self,
              const aclTensor* target, int64_t reduction, aclTensor* out);

#ifdef __cplusplus
}
#endif
