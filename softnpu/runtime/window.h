// SPDX-License-Identifier: Apache-2.0
// Whether operators are gathered into windows, and the rewriter that ge installed. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "softnpu/runtime/node.h"

namespace npu::runtime {

constexpr uint64_t kWindowCap = 4096;  // nodes; a longer recording starts by itself

/// True at graph level >= 1 with a rewriter installed (two relaxed loads).
bool windows_enabled();
/// Hands the window to the rewriter.
void rewrite(std::vector<NodePtr>& window);

}  // namespace npu::runtime
