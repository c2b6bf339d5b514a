// SPDX-License-Identifier: Apache-2.0
// Batch, layer, group and root-mean-square norm.
#include "aclnnop/normalization.h"
#include "softnpu/aol/build/normalize.h"

namespace npu::aol {

ACLNN_OP(aclnnAddRmsNorm,
         (const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma, double epsilon,
          aclTensor* yOut, aclTensor* rstdOut, aclTensor* xOut),
         (x1, x2, gamma, epsilon, yOut, rstdOut, xOut)) {
  return add_rms_norm(x1, x2, gamma, epsilon, yOut, rstdOut, xOut);
}
ACLNN_OP(aclnnBatchNorm,
         (const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
          aclTensor* runningMean, aclTensor* runningVar, bool training, double momentum, double eps,
          aclTensor* output, aclTensor* saveMean, aclTensor* saveInvstd),
         (input, weight, bias, runningMean, runningVar, training, momentum, eps, output, saveMean,
          saveInvstd)) {
  return batch_norm({input, weight, bias, runningMean, runningVar, training, eps}, momentum, output,
                    saveMean, saveInvstd);
}
ACLNN_OP(aclnnBatchNormBackward,
         (const aclTensor* gradOut, const aclTensor* input, const aclTensor* weight,
          const aclTensor* runningMean, const aclTensor* runningVar, const aclTensor* saveMean,
          const aclTensor* saveInvstd, bool training, double eps, const aclBoolArray* outputMask,
          aclTensor* gradInput, aclTensor* gradWeight, aclTensor* gradBias),
         (gradOut, input, weight, runningMean, runningVar, saveMean, saveInvstd, training, eps,
          outputMask, gradInput, gradWeight, gradBias)) {
  return batch_norm_backward(gradOut,
                             {input, weight, nullptr, runningMean, runningVar, training, eps},
                             saveMean, saveInvstd, outputMask, gradInput, gradWeight, gradBias);
}
ACLNN_OP(aclnnGroupNorm,
         (const aclTensor* self, const aclTensor* gamma, const aclTensor* beta, int64_t N,
          int64_t C, int64_t HxW, int64_t group, double eps, aclTensor* out, aclTensor* meanOut,
          aclTensor* rstdOut),
         (self, gamma, beta, N, C, HxW, group, eps, out, meanOut, rstdOut)) {
  return group_norm(self, gamma, beta, {N, C, HxW, group}, eps, out, meanOut, rstdOut);
}
ACLNN_OP(aclnnGroupNormBackward,
         (const aclTensor* gradOut, const aclTensor* input, const aclTensor* mean,
          const aclTensor* rstd, const aclTensor* gamma, int64_t N, int64_t C, int64_t HxW,
          int64_t group, const aclBoolArray* outputMask, aclTensor* gradInput,
          aclTensor* gradGammaOut, aclTensor* gradBetaOut),
         (gradOut, input, mean, rstd, gamma, N, C, HxW, group, outputMask, gradInput, gradGammaOut,
          gradBetaOut)) {
  return group_norm_backward(gradOut, input, mean, rstd, gamma, {N, C, HxW, group}, outputMask,
                             gradInput, gradGammaOut, gradBetaOut);
}
ACLNN_OP(aclnnLayerNorm,
         (const aclTensor* input, const aclIntArray* normalizedShape,
          const aclTensor* weightOptional, const aclTensor* biasOptional, double eps,
          aclTensor* out, aclTensor* meanOutOptional, aclTensor* rstdOutOptional),
         (input, normalizedShape, weightOptional, biasOptional, eps, out, meanOutOptional,
          rstdOutOptional)) {
  return layer_norm(input, normalizedShape, weightOptional, biasOptional, eps, out, meanOutOptional,
                    rstdOutOptional);
}
ACLNN_OP(aclnnLayerNormBackward,
         (const aclTensor* gradOut, const aclTensor* input, const aclIntArray* normalizedShape,
          const aclTensor* mean, const aclTensor* rstd, const aclTensor* weightOptional,
          const aclTensor* biasOptional, const aclBoolArray* outputMask, aclTensor* gradInputOut,
          aclTensor* gradWeightOut, aclTensor* gradBiasOut),
         (gradOut, input, normalizedShape, mean, rstd, weightOptional, biasOptional, outputMask,
          gradInputOut, gradWeightOut, gradBiasOut)) {
  return layer_norm_backward(gradOut, input, normalizedShape, mean, rstd, weightOptional,
                             biasOptional, outputMask, gradInputOut, gradWeightOut, gradBiasOut);
}
ACLNN_OP(aclnnRmsNorm,
         (const aclTensor* x, const aclTensor* gamma, double epsilon, const aclTensor* yOut,
          const aclTensor* rstdOut),
         (x, gamma, epsilon, yOut, rstdOut)) {
  return rms_norm(x, gamma, epsilon, yOut, rstdOut);
}
ACLNN_OP(aclnnRmsNormGrad,
         (const aclTensor* dy, const aclTensor* x, const aclTensor* rstd, const aclTensor* gamma,
          const aclTensor* dxOut, const aclTensor* dgammaOut),
         (dy, x, rstd, gamma, dxOut, dgammaOut)) {
  return rms_norm_backward(dy, x, rstd, gamma, dxOut, dgammaOut);
}

}  // namespace npu::aol
