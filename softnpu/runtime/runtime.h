// SPDX-License-Identifier: Apache-2.0
// The life of the runtime in this process: initialize and finalize (aclInit, aclFinalize), and the
// graph level with the hook through which ge rewrites windows. Any thread.
#pragma once

#include <vector>

#include "softnpu/runtime/node.h"

namespace npu::runtime {

/// aclInit. Throws ACL_ERROR_REPEAT_INITIALIZE when already initialized, and what is wrong with the
/// options (unknown SOFTNPU_SOC, ...) if they are unusable.
void initialize();
/// aclFinalize: completes all work, destroys every context, stream and event, frees device memory
/// and joins the executors. Handles become stale. Throws ACL_ERROR_UNINITIALIZE when not
/// initialized.
void finalize();
/// Throws when the runtime was finalized or the options are unusable. A process that never called
/// aclInit may use the runtime: it starts at first use.
void require_usable();

/// Graph level of the process, first SOFTNPU_GRAPH_LEVEL's (clamped to [0, 2] by set_graph_level's
/// check). Changing it takes effect for windows that start later.
int graph_level();
void set_graph_level(int level);

/// Rewrites a window, the adjacent nodes of one stream that start together, in place: operators and
/// release notices in stream order. May replace nodes, never their effect. Runs on the executor.
using Rewriter = void (*)(std::vector<NodePtr>& window, int level);
/// Installed once by ge; without one, or at level 0, each node runs alone as it was enqueued.
void set_rewriter(Rewriter rewriter);

}  // namespace npu::runtime
