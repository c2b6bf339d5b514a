// SPDX-License-Identifier: Apache-2.0
// The object behind aclOpExecutor*: a plan between phase one and phase two. It goes back to the
// pool when it is launched (unless repeatable), destroyed, or abandoned for kAbandonedAfter later
// phase-one calls.
#pragma once

#include <atomic>
#include <cstdint>

#include "softnpu/aol/plan.h"

namespace npu::aol {

// More than any client keeps between the phases: PyTorch's adapter for the card queues up to 4096.
constexpr uint64_t kAbandonedAfter = 16384;

enum class ExecutorState : uint8_t { kFree, kPending, kRepeatable, kTaken };

/// State and serial number of a life, in one word, so that the thread that launches and the one
/// that reclaims cannot both win.
constexpr uint64_t executor_word(uint64_t serial, ExecutorState state) {
  return serial << 2 | static_cast<uint64_t>(state);
}
constexpr ExecutorState state_of(uint64_t word) { return static_cast<ExecutorState>(word & 3); }

}  // namespace npu::aol

struct aclOpExecutor {
  std::atomic<uint64_t> word{0};
  const char* name = nullptr;
  npu::aol::Plan plan;
  bool has_placeholders = false;  // a tensor had no address when it was planned
};

namespace npu::aol {

/// A placeholder stands for the address of a tensor that has none yet. Told apart by tensor.
std::byte* placeholder_address(const aclTensor* tensor);
/// True when this thread made a placeholder since the last call.
bool took_placeholder();

}  // namespace npu::aol
