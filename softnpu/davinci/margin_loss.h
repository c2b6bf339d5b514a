// SPDX-License-Identifier: Apache-2.0
// The margin loss over several labels: a plain value like commands.h's.
#pragma once

#include "softnpu/davinci/commands.h"

namespace npu::davinci {

/// in [N, C]; target [N, C] int64: a row's labels, up to the first -1. Each label should be larger
/// than each other class by 1; what is missing is summed and divided by C. out has N elements, or
/// one; is_target [N, C] is 1 at labels. checked: labels.
struct MultilabelMarginLoss {
  TensorView in, target, out, is_target;
  Reduction reduction = Reduction::kMean;
};
void run(const MultilabelMarginLoss& command, Workers& workers);

}  // namespace npu::davinci
