// SPDX-License-Identifier: Apache-2.0
// Layers, losses and samplers without a native kernel.
#include <algorithm>

#include "aclnnop/activation.h"
#include "aclnnop/index.h"
#include "aclnnop/loss.h"
#include "aclnnop/random.h"
#include "softnpu/aicpu/aten_call.h"
#include "softnpu/aol/build/args.h"

namespace npu::aicpu {

namespace {
/// CANN's clients may give the last dimension of log_alpha more room than 2 * length + 1.
AtenArgument log_alpha(const aclTensor* tensor, const aclIntArray* target_lengths) {
  AtenArgument argument = make_argument(aol::Argument(tensor));
  int64_t longest = 0;
  for (const int64_t length : aol::ints(target_lengths, "targetLengths")) {
    longest = std::max(longest, length);
  }
  if (!argument.tensors.empty() && argument.tensors[0].rank == 3) {
    int64_t& room = argument.tensors[0].dims[2];
    room = std::min(room, 2 * longest + 1);
    argument.handle = nullptr;  // its shape stays the client's
  }
  return argument;
}
}  // namespace

ACLNN_OP(aclnnCtcLoss,
         (const aclTensor* logProbs, const aclTensor* targets, const aclIntArray* inputLengths,
          const aclIntArray* targetlengths, int64_t blank, bool zeroInfinity,
          aclTensor* negLogLikelihoodOut, aclTensor* logAlphaOut),
         (logProbs, targets, inputLengths, targetlengths, blank, zeroInfinity, negLogLikelihoodOut,
          logAlphaOut)) {
  auto arguments = make_arguments(logProbs, targets, inputLengths, targetlengths, blank,
                                  zeroInfinity, negLogLikelihoodOut);
  arguments.push_back(log_alpha(logAlphaOut, targetlengths));
  return make_plan("aten::_ctc_loss", std::move(arguments), true);
}
ACLNN_OP(aclnnCtcLossBackward,
         (const aclTensor* gradOut, const aclTensor* logProbs, const aclTensor* targets,
          const aclIntArray* inputLengths, const aclIntArray* targetLengths,
          const aclTensor* negLogLikelihood, const aclTensor* logAlpha, int64_t blank,
          bool zeroInfinity, aclTensor* out),
         (gradOut, logProbs, targets, inputLengths, targetLengths, negLogLikelihood, logAlpha,
          blank, zeroInfinity, out)) {
  auto arguments =
      make_arguments(gradOut, logProbs, targets, inputLengths, targetLengths, negLogLikelihood);
  arguments.push_back(log_alpha(logAlpha, targetLengths));
  for (auto& rest : make_arguments(blank, zeroInfinity, out)) arguments.push_back(std::move(rest));
  return make_plan("aten::_ctc_loss_backward", std::move(arguments), true);
}
ACLNN_OP(aclnnEmbeddingBag,
         (const aclTensor* weight, const aclTensor* indices, const aclTensor* offsets,
          bool scaleGradByFreq, int64_t mode, bool sparse, const aclTensor* perSampleWeights,
          bool includeLastOffset, int64_t paddingIdx, aclTensor* output, aclTensor* offset2bag,
          aclTensor* bagSize, aclTensor* maxIndices),
         (weight, indices, offsets, scaleGradByFreq, mode, sparse, perSampleWeights,
          includeLastOffset, paddingIdx, output, offset2bag, bagSize, maxIndices)) {
  return aicpu_wide("aten::_embedding_bag", weight, indices, offsets, scaleGradByFreq, mode, sparse,
                    perSampleWeights, includeLastOffset, paddingIdx, output, offset2bag, bagSize,
                    maxIndices);
}
ACLNN_OP(aclnnEmbeddingRenorm,
         (aclTensor * selfRef, const aclTensor* indices, double maxNorm, double normType),
         (selfRef, indices, maxNorm, normType)) {
  return aicpu_wide("aten::embedding_renorm_", selfRef, indices, maxNorm, normType);
}
ACLNN_OP(aclnnMultilabelMarginLoss,
         (const aclTensor* self, const aclTensor* target, int64_t reduction, aclTensor* out,
          aclTensor* isTarget),
         (self, target, reduction, out, isTarget)) {
  return aicpu_wide("aten::multilabel_margin_loss_forward", self, target, reduction, out, isTarget);
}
ACLNN_OP(aclnnMultinomial,
         (const aclTensor* self, int64_t numsamples, bool replacement, int64_t seed, int64_t offset,
          aclTensor* out),
         (self, numsamples, replacement, seed, offset, out)) {
  return aicpu("aten::multinomial.out", self, numsamples, replacement, Generator{seed, offset},
               out);
}
ACLNN_OP(aclnnRReluWithNoise,
         (const aclTensor* self, const aclTensor* noise, const aclScalar* lower,
          const aclScalar* upper, bool training, int64_t seed, int64_t offset, aclTensor* out),
         (self, noise, lower, upper, training, seed, offset, out)) {
  return aicpu_wide("aten::rrelu_with_noise.out", self, noise, lower, upper, training,
                    Generator{seed, offset}, out);
}
ACLNN_OP(aclnnInplaceRReluWithNoise,
         (const aclTensor* self, const aclTensor* noise, const aclScalar* lower,
          const aclScalar* upper, bool training, int64_t seed, int64_t offset),
         (self, noise, lower, upper, training, seed, offset)) {
  return aicpu_wide("aten::rrelu_with_noise_", self, noise, lower, upper, training,
                    Generator{seed, offset});
}

}  // namespace npu::aicpu
