// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/runtime.h"

#include <atomic>
#include <mutex>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/base/options.h"
#include "softnpu/runtime/arena.h"
#include "softnpu/runtime/device.h"
#include "softnpu/runtime/executor.h"
#include "softnpu/runtime/host_memory.h"
#include "softnpu/runtime/pending.h"
#include "softnpu/runtime/tables.h"
#include "softnpu/runtime/window.h"

namespace npu::runtime {
namespace {

enum class State : int { kUntouched, kReady, kFinalized };
std::atomic<State> state{State::kUntouched};
std::mutex life_mutex;  // one initialize or finalize at a time

constexpr int kUnset = -1;
std::atomic<int> level{kUnset};
std::atomic<Rewriter> rewriter{nullptr};

void require_rewriter(int wanted, const char* who) {
  if (wanted == 0 || rewriter.load(std::memory_order_acquire) != nullptr) return;
  base::fail(ACL_ERROR_FEATURE_UNSUPPORTED, who, wanted,
             " is not supported by this version of softnpu, which has no fusion passes; use 0");
}

void require_options() {
  const base::Options& options = base::options();
  if (!options.error.empty()) base::fail(ACL_ERROR_INVALID_PARAM, options.error);
  require_rewriter(options.graph_level, "SOFTNPU_GRAPH_LEVEL=");
}

}  // namespace

void initialize() {
  std::lock_guard lock(life_mutex);
  require_options();
  if (state == State::kReady) {
    base::fail(ACL_ERROR_REPEAT_INITIALIZE, "AscendCL is initialised already");
  }
  state = State::kReady;
}

void finalize() {
  std::lock_guard lock(life_mutex);
  if (state != State::kReady) {
    base::fail(state == State::kFinalized ? ACL_ERROR_REPEAT_FINALIZE : ACL_ERROR_UNINITIALIZE,
               "AscendCL is not initialised; aclInit comes first");
  }
  const std::vector<Device*> devices = devices_in_use();
  // A device's last work may wait for another's: go round until all are still. What still waits
  // then, e.g. for a callback that nobody processes, is dropped.
  for (bool waited = true; waited;) {
    waited = false;
    for (Device* device : devices) waited = device->executor().quiesce() || waited;
  }
  state = State::kFinalized;
  close_all_contexts();
  close_all_events();
  close_all_subscriptions();
  forget_addresses();
  for (Device* device : devices) {
    device->executor().shutdown();
    device->arena().reset();
  }
  host_memory().reset();
}

void require_usable() {
  if (state.load(std::memory_order_acquire) == State::kReady) [[likely]] {
    return;
  }
  require_options();
  if (state == State::kFinalized) {
    base::fail(ACL_ERROR_UNINITIALIZE, "AscendCL was finalized; call aclInit to use it again");
  }
}

int graph_level() {
  const int now = level.load(std::memory_order_relaxed);
  if (now != kUnset) [[likely]] {
    return now;
  }
  int expected = kUnset;
  level.compare_exchange_strong(expected, base::options().graph_level);
  return level.load();
}

void set_graph_level(int wanted) {
  if (wanted < 0 || wanted > 2) {
    base::fail(ACL_ERROR_INVALID_PARAM, "graph level ", wanted,
               ": expected 0 (off), 1 (conservative) or 2 (aggressive)");
  }
  require_rewriter(wanted, "graph level ");
  level.store(wanted, std::memory_order_relaxed);
}

void set_rewriter(Rewriter installed) { rewriter.store(installed, std::memory_order_release); }

bool windows_enabled() {
  return rewriter.load(std::memory_order_acquire) != nullptr && graph_level() > 0;
}

void rewrite(std::vector<NodePtr>& window) {
  if (const Rewriter installed = rewriter.load(std::memory_order_acquire)) {
    installed(window, graph_level());
  }
}

}  // namespace npu::runtime
