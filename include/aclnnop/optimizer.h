// SPDX-License-Identifier: Apache-2.0
// aclnn operators: whole optimiser steps and gradient scaling.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnAmpUpdateScale, const aclTensor* currentScale, const aclTensor* growthTracker,
              const aclTensor* foundInf, double growthFactor, double backoffFactor,
              int64_t growthInterval, const aclTensor* updatedScale,
              const aclTensor* updatedGrowthTracker);
ACLNN_DECLARE(aclnnApplyAdam, aclTensor* varRef, const aclTensor* m, const aclTensor* v,
              const aclTensor* beta1Power, const aclTensor* beta2Power, const aclTensor* lr,
              const aclTensor* beta1, const aclTensor* beta2, const aclTensor* epsilon,
              const aclTensor* grad, bool useLocking, bool useNesterov);
ACLNN_DECLARE(aclnnApplyAdamW, aclTensor* varRef, aclTensor* mRef, aclTensor* vRef,
              const aclTensor* beta1Power, const aclTensor* beta2Power, const aclTensor* lr,
              const aclTensor* weightDecay, const aclTensor* beta1, const aclTensor* beta2,
              const aclTensor* eps, const aclTensor* grad, const aclTensor* maxGradNormOptional,
              bool amsgrad, bool maximize);
ACLNN_DECLARE(aclnnApplyAdamWV2, aclTensor* varRef, aclTensor* mRef, aclTensor* vRef,
              aclTensor* maxGradNormOptionalRef, const aclTensor* grad, const aclTensor* step,
              float lr, float beta1, float beta2, float weightDecay, float eps, bool amsgrad,
              bool maximize);
ACLNN_DECLARE(aclnnFusedAdam, const aclTensorList* paramsRef, const aclTensorList* gradsRef,
              const aclTensorList* expAvgsRef, const aclTensorList* expAvgSqsRef,
              const aclTensorList* maxExpAvgSqsRef, const aclTensorList* stateSteps,
              const aclTensor* gradScaleOptional, const aclTensor* foundInfOptional, double lr,
              double beta1, double beta2, double weightDecay, double eps, bool amsgrad,
              bool maximize);
ACLNN_DECLARE(aclnnFusedSgd, const aclTensorList* paramsRef, const aclTensorList* gradsRef,
              const aclTensorList* momentumBufferListOptionalRef,
              const aclTensor* gradScaleOptional, float weightDecay, float momentum, float lr,
              float dampening, bool nesterov, bool maximize, bool isFirstStep);
ACLNN_DECLARE(aclnnForeachNonFiniteCheckAndUnscale, const aclTensorList* scaledGrads,
              const aclTensor* foundInf, const aclTensor* invScale);

#ifdef __cplusplus
}
#endif
