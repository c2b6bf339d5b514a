// SPDX-License-Identifier: Apache-2.0
// Workers: how a kernel asks for parallelism without knowing who runs it. The runtime's pool
// implements it; tests use SerialWorkers.
#pragma once

#include <cstdint>
#include <type_traits>

namespace npu::base {

/// Non-owning reference to a callable (int64_t begin, int64_t end, int worker).
class TileFunction {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, TileFunction>)
  TileFunction(F&& f)  // NOLINT: implicit on purpose, lives for one call
      : object_(const_cast<void*>(static_cast<const void*>(&f))),
        call_([](void* o, int64_t b, int64_t e, int w) {
          (*static_cast<std::remove_reference_t<F>*>(o))(b, e, w);
        }) {}
  void operator()(int64_t begin, int64_t end, int worker) const {
    call_(object_, begin, end, worker);
  }

 private:
  void* object_;
  void (*call_)(void*, int64_t, int64_t, int);
};

class Workers {
 public:
  virtual ~Workers() = default;
  /// Number of threads that may run tiles at once (>= 1); `worker` is in [0, size()).
  virtual int size() const = 0;
  /// Runs f over [0, count) in tiles of `grain` handed out dynamically; returns when all are done.
  /// Which thread runs which tile is not fixed: results must not depend on it. f must not throw.
  virtual void parallel_for(int64_t count, int64_t grain, TileFunction f) = 0;
};

/// Runs everything on the caller.
class SerialWorkers final : public Workers {
 public:
  int size() const override { return 1; }
  void parallel_for(int64_t count, int64_t grain, TileFunction f) override {
    for (int64_t b = 0; b < count; b += grain) f(b, b + grain < count ? b + grain : count, 0);
  }
};

}  // namespace npu::base
