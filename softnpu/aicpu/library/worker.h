// SPDX-License-Identifier: Apache-2.0
// The AI CPU's thread. Started at first use, never joined: a process may end while it waits.
#pragma once

#include <functional>

namespace npu::aicpu {

/// Runs `task` on the thread and waits; throws what it threw. Any thread.
void run_on_worker(const std::function<void()>& task);

}  // namespace npu::aicpu
