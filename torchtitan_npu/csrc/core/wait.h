// SPDX-License-Identifier: Apache-2.0
// Waiting for the device without holding up Python: a wait is done in slices; the interpreter lock,
// if the thread holds it, is released around them, and between slices the main thread looks for
// Ctrl-C. core knows no Python: bindings.cpp installs the two sides as a WaitHooks.
#pragma once

#include <c10/macros/Export.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>

namespace torchtitan_npu {

struct WaitHooks {
  void* (*release_interpreter)() = nullptr;  // null: the thread did not hold it
  void (*reacquire_interpreter)(void*) = nullptr;
  void (*check_signals)() = nullptr;  // throws to interrupt the wait
};
C10_EXPORT void set_wait_hooks(WaitHooks hooks) noexcept;

/// Calls `wait(milliseconds)` until it returns true.
C10_EXPORT void wait_in_slices(c10::function_ref<bool(int32_t)> wait);

}  // namespace torchtitan_npu
