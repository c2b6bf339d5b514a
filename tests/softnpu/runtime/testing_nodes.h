// SPDX-License-Identifier: Apache-2.0
// What the runtime's tests share: nodes made of lambdas, a gate to hold a node, checks of errors.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/runtime/context.h"
#include "softnpu/runtime/memory.h"
#include "softnpu/runtime/runtime.h"
#include "softnpu/runtime/stream.h"

namespace npu::runtime {

class TestNode final : public Node {
 public:
  using Body = std::function<void(base::Workers&)>;
  TestNode(Body body, std::vector<Region> regions = {}, Role role = Role::kOperator)
      : body_(std::move(body)), regions_(std::move(regions)), role_(role) {}
  const char* name() const override { return "aclnnTest"; }
  std::string describe() const override { return "float32[2, 3] -> float32[2, 3]"; }
  Role role() const override { return role_; }
  std::span<const Region> regions() const override { return regions_; }
  void run(base::Workers& workers) override { body_(workers); }

 private:
  Body body_;
  std::vector<Region> regions_;
  Role role_;
};

template <class Body>
NodePtr node(Body body, std::vector<Region> regions = {}, Role role = Role::kOperator) {
  return std::make_unique<TestNode>([body](base::Workers&) mutable { body(); }, std::move(regions),
                                    role);
}

inline Region reads(const void* address, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(address) & ~kDeviceTag;
  return {begin, begin + bytes, false};
}
inline Region writes(const void* address, size_t bytes) {
  Region region = reads(address, bytes);
  region.write = true;
  return region;
}

/// Holds nodes until it is opened; opens by itself when the test ends.
class Gate {
 public:
  ~Gate() { open(); }
  void open() {
    std::lock_guard lock(state_->mutex);
    state_->open = true;
    state_->changed.notify_all();
  }
  NodePtr node(std::vector<Region> regions = {}) {
    return runtime::node([state = state_] { state->wait(); }, std::move(regions), Role::kBarrier);
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
    void wait() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return open; });
    }
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// `call` must throw base::Error with `code`, whose message has `part`.
template <class Call>
void expect_error(int code, const std::string& part, Call&& call) {
  try {
    call();
    ADD_FAILURE() << "expected error " << code << " (" << part << ")";
  } catch (const base::Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

/// A live runtime with device 0 current.
class RuntimeTest : public testing::Test {
 protected:
  void SetUp() override {
    initialize();
    set_device(0);
  }
  void TearDown() override {
    set_graph_level(0);
    set_rewriter(nullptr);
    finalize();
  }
};

constexpr Timeout kShort = std::chrono::milliseconds(30);
constexpr Timeout kLong = std::chrono::seconds(20);

}  // namespace npu::runtime
