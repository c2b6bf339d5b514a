// SPDX-License-Identifier: Apache-2.0
// Losses without a native kernel.
#include <algorithm>

#include "aclnnop/loss.h"
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

}  // namespace npu::aicpu
