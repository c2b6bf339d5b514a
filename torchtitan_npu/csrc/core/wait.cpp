// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/wait.h"

#include <algorithm>

namespace torchtitan_npu {
namespace {

constinit WaitHooks hooks;

// The first slice covers nearly every wait; later ones only bound how late Ctrl-C is noticed.
constexpr int32_t kFirstSlice = 50;
constexpr int32_t kSlice = 100;

class InterpreterRelease {
 public:
  InterpreterRelease()
      : state_(hooks.release_interpreter ? hooks.release_interpreter() : nullptr) {}
  ~InterpreterRelease() {
    if (state_ != nullptr) hooks.reacquire_interpreter(state_);
  }
  InterpreterRelease(const InterpreterRelease&) = delete;
  InterpreterRelease& operator=(const InterpreterRelease&) = delete;

 private:
  void* state_;
};

}  // namespace

void set_wait_hooks(WaitHooks value) noexcept { hooks = value; }

void wait_in_slices(c10::function_ref<bool(int32_t)> wait) {
  InterpreterRelease release;
  for (int32_t slice = kFirstSlice; !wait(slice); slice = kSlice) {
    if (hooks.check_signals != nullptr) hooks.check_signals();
  }
}

}  // namespace torchtitan_npu
