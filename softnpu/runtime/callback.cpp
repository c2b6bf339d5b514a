// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/callback.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "acl/acl_error.h"
#include "softnpu/runtime/control.h"
#include "softnpu/runtime/runtime.h"
#include "softnpu/runtime/stream.h"
#include "softnpu/runtime/sync.h"
#include "softnpu/runtime/tables.h"
#include "softnpu/runtime/thread.h"

namespace npu::runtime {
namespace {

struct Call {
  HostFunction function;
  void* argument;
  bool block;
  std::atomic<bool> done{false};
};
using CallPtr = std::shared_ptr<Call>;  // of the node and the subscriber's queue

// Calls for one thread, in the order in which streams got to them.
class Subscriber {
 public:
  void post(CallPtr call, Stream& stream) {
    std::lock_guard lock(mutex_);
    calls_.push_back({std::move(call), &stream});
    arrived_.notify_one();
  }
  /// Runs one call; false when none came before the deadline.
  bool run_one(const Deadline& deadline) {
    Posted posted;
    {
      std::unique_lock lock(mutex_);
      const auto some = [&] { return !calls_.empty(); };
      if (!deadline) {
        arrived_.wait(lock, some);
      } else if (!arrived_.wait_until(lock, *deadline, some)) {
        return false;
      }
      posted = std::move(calls_.front());
      calls_.pop_front();
    }
    posted.call->function(posted.call->argument);
    posted.call->done.store(true, std::memory_order_release);
    if (posted.call->block) resume(*posted.stream);
    return true;
  }

  std::atomic<int> streams{0};  // subscribed to it

 private:
  struct Posted {
    CallPtr call;
    Stream* stream = nullptr;  // recycled, never freed
  };
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Posted> calls_;
};

class CallbackNode final : public ControlNode {
 public:
  CallbackNode(const char* name, std::shared_ptr<Subscriber> subscriber, HostFunction function,
               void* argument, bool block)
      : name_(name), subscriber_(std::move(subscriber)), call_(std::make_shared<Call>()) {
    call_->function = function;
    call_->argument = argument;
    call_->block = block;
  }
  const char* name() const override { return name_; }
  bool poll(Stream& stream) override {
    if (!posted_) {
      posted_ = true;
      subscriber_->post(call_, stream);
    }
    return !call_->block || call_->done.load(std::memory_order_acquire);
  }

 private:
  const char* name_;
  std::shared_ptr<Subscriber> subscriber_;
  CallPtr call_;
  bool posted_ = false;
};

using ThreadId = uint64_t;
using SubscriberPtr = std::shared_ptr<Subscriber>;

// Which thread processes which stream's callbacks. Never destroyed: see Note [Exit].
struct Registry {
  std::mutex mutex;
  std::map<ThreadId, SubscriberPtr> threads;
  std::map<Handle, ThreadId> streams;

  void forget(std::map<Handle, ThreadId>::iterator it) {
    const auto entry = threads.find(it->second);
    if (entry->second->streams.fetch_sub(1) == 1) threads.erase(entry);
    streams.erase(it);
  }
};
Registry& registry() {
  static Registry& the = *new Registry;
  return the;
}

ThreadId this_thread() { return static_cast<ThreadId>(pthread_self()); }

// The process' own subscriber, for host functions that need no client thread.
SubscriberPtr helper() {
  static const SubscriberPtr& subscriber = *new SubscriberPtr([] {
    auto made = std::make_shared<Subscriber>();
    start_thread("npu-callbacks", [made] {
      for (;;) made->run_one({});
    }).detach();
    return made;
  }());
  return subscriber;
}

}  // namespace

void subscribe(uint64_t thread, Stream& stream) {
  require_usable();
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  if (!r.streams.emplace(stream.handle(), thread).second) {
    base::fail(ACL_ERROR_RT_STREAM_SUBSCRIBE,
               "the stream's callbacks are subscribed already; unsubscribe first");
  }
  SubscriberPtr& subscriber = r.threads[thread];
  if (!subscriber) subscriber = std::make_shared<Subscriber>();
  subscriber->streams.fetch_add(1);
}

void unsubscribe(uint64_t thread, Stream& stream) {
  require_usable();
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.streams.find(stream.handle());
  if (it == r.streams.end() || it->second != thread) {
    base::fail(ACL_ERROR_RT_STREAM_NO_CB_REG, "this thread has not subscribed the stream");
  }
  r.forget(it);
}

void launch_callback(HostFunction function, void* argument, bool block, Stream& stream) {
  require_usable();
  if (!function) base::fail(ACL_ERROR_RT_PARAM_INVALID, "the callback is null");
  SubscriberPtr subscriber;
  {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    const auto it = r.streams.find(stream.handle());
    if (it == r.streams.end()) {
      base::fail(ACL_ERROR_RT_STREAM_NO_CB_REG,
                 "no thread has subscribed the stream; call aclrtSubscribeReport first");
    }
    subscriber = r.threads.at(it->second);
  }
  stream.enqueue(std::make_unique<CallbackNode>("aclrtLaunchCallback", std::move(subscriber),
                                                function, argument, block));
}

void process_report(Timeout timeout) {
  require_usable();
  SubscriberPtr subscriber;
  {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    const auto it = r.threads.find(this_thread());
    if (it == r.threads.end()) {
      base::fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
                 "this thread has subscribed no stream; call aclrtSubscribeReport first");
    }
    subscriber = it->second;
  }
  const Deadline deadline = timeout ? Deadline(Clock::now() + *timeout) : Deadline();
  if (!subscriber->run_one(deadline)) {
    base::fail(ACL_ERROR_RT_REPORT_TIMEOUT, "no callback came in time");
  }
  while (subscriber->run_one(Clock::now())) {
  }
}

void launch_host_function(HostFunction function, void* argument, Stream& stream) {
  require_usable();
  if (!function) base::fail(ACL_ERROR_RT_PARAM_INVALID, "the function is null");
  stream.enqueue(
      std::make_unique<CallbackNode>("aclrtLaunchHostFunc", helper(), function, argument, true));
}

void forget_subscription(Handle stream) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.streams.find(stream);
  if (it != r.streams.end()) r.forget(it);
}

void close_all_subscriptions() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  r.streams.clear();
  r.threads.clear();
}

}  // namespace npu::runtime
