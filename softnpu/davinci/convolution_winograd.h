// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions by Winograd's F(2x2, 3x3); which ones depends on the problem alone.
#pragma once

#include <cstddef>

#include "softnpu/base/workers.h"
#include "softnpu/davinci/cube_types.h"

namespace npu::davinci::conv {

using base::Workers;

bool is_winograd(const ConvProblem& problem);

size_t winograd_forward_bytes(const ConvProblem& problem);
void winograd_forward(const ConvProblem& problem, Workers& workers, std::byte* workspace);

/// The weight gradient's too: its sums for all points must stay in the caches.
bool is_winograd_weight_gradient(const ConvProblem& problem);
size_t winograd_weight_gradient_bytes(const ConvProblem& problem);
/// Writes problem.weight and the bias gradient (data may be null).
void winograd_weight_gradient(const ConvProblem& problem, const Matrix& bias, Workers& workers,
                              std::byte* workspace);

}  // namespace npu::davinci::conv
