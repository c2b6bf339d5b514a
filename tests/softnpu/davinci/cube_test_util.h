// SPDX-License-Identifier: Apache-2.0
// What the cube tests share: tensors of any type and layout read and written as double, random
// fills, workers with real threads, and a fixture that runs a test on every build of the kernels.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "softnpu/base/tensor.h"
#include "softnpu/base/workers.h"
#include "softnpu/davinci/isa.h"

namespace npu::davinci::test {

using base::DType;
using base::TensorView;
using Dims = std::vector<int64_t>;

inline float half_to_float(uint16_t h) {
  const int exponent = h >> 10 & 31, mantissa = h & 1023;
  float v = exponent == 0    ? std::ldexp(static_cast<float>(mantissa), -24)
            : exponent == 31 ? (mantissa ? NAN : INFINITY)
                             : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return h & 0x8000 ? -v : v;
}

inline uint16_t float_to_half(float f) {  // values of normal size only, round to nearest even
  uint32_t u;
  std::memcpy(&u, &f, 4);
  const uint32_t sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
  if (magnitude == 0) return static_cast<uint16_t>(sign);
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude < 0x38800000) {
    return static_cast<uint16_t>(sign | std::lrint(std::ldexp(std::fabs(f), 24)));
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

/// Owns its storage; `view` has the requested dims in the requested order of memory.
struct Tensor {
  std::vector<std::byte> storage;
  TensorView view;

  Tensor() = default;
  /// order: dims from outermost to innermost in memory (empty: row-major). gap: elements left
  /// unused after each innermost run, so that views are not contiguous.
  Tensor(DType dtype, const Dims& dims, Dims order = {}, int64_t gap = 0) {
    view.dtype = dtype;
    view.rank = static_cast<int8_t>(dims.size());
    if (order.empty()) {
      order.resize(dims.size());
      std::iota(order.begin(), order.end(), 0);
    }
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      view.dims[order[i]] = dims[order[i]];
      view.strides[order[i]] = stride;
      stride *= std::max<int64_t>(dims[order[i]], 1);
      if (i + 1 == order.size()) stride += gap;
    }
    storage.resize(stride * base::size_of(dtype) + 64);
    std::memset(storage.data(), 0xff, storage.size());  // NaN: whoever reads a gap shows it
    view.data = storage.data() + 16;
  }
  Tensor(const Tensor& other) : storage(other.storage), view(other.view) { rebase(other); }
  Tensor& operator=(const Tensor& other) {
    storage = other.storage;
    view = other.view;
    rebase(other);
    return *this;
  }
  Tensor(Tensor&&) = default;
  Tensor& operator=(Tensor&&) = default;

  int64_t numel() const { return view.numel(); }
  std::byte* address(int64_t flat) const {  // flat: row-major position
    int64_t offset = 0;
    for (int d = view.rank - 1; d >= 0; --d) {
      offset += flat % view.dims[d] * view.strides[d];
      flat /= view.dims[d];
    }
    return view.data + offset * static_cast<int64_t>(base::size_of(view.dtype));
  }
  double get(int64_t flat) const {
    const std::byte* p = address(flat);
    switch (view.dtype) {
      case DType::kFloat:
        return read<float>(p);
      case DType::kDouble:
        return read<double>(p);
      case DType::kHalf:
        return half_to_float(read<uint16_t>(p));
      case DType::kBFloat16: {
        const uint32_t u = static_cast<uint32_t>(read<uint16_t>(p)) << 16;
        float f;
        std::memcpy(&f, &u, 4);
        return f;
      }
      case DType::kInt8:
        return read<int8_t>(p);
      case DType::kUInt8:
        return read<uint8_t>(p);
      case DType::kInt16:
        return read<int16_t>(p);
      case DType::kInt32:
        return read<int32_t>(p);
      default:
        return static_cast<double>(read<int64_t>(p));
    }
  }
  void set(int64_t flat, double v) {
    std::byte* p = address(flat);
    switch (view.dtype) {
      case DType::kFloat:
        return write(p, static_cast<float>(v));
      case DType::kDouble:
        return write(p, v);
      case DType::kHalf:
        return write(p, float_to_half(static_cast<float>(v)));
      case DType::kBFloat16: {
        const float f = static_cast<float>(v);
        uint32_t u;
        std::memcpy(&u, &f, 4);
        if (std::isnan(f)) return write(p, static_cast<uint16_t>(0x7fc0));
        return write(p, static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16));
      }
      case DType::kInt8:
        return write(p, static_cast<int8_t>(v));
      case DType::kUInt8:
        return write(p, static_cast<uint8_t>(v));
      case DType::kInt16:
        return write(p, static_cast<int16_t>(v));
      case DType::kInt32:
        return write(p, static_cast<int32_t>(v));
      default:
        return write(p, static_cast<int64_t>(v));
    }
  }
  std::vector<double> values() const {
    std::vector<double> v(numel());
    for (int64_t i = 0; i < numel(); ++i) v[i] = get(i);
    return v;
  }

 private:
  template <class T>
  static T read(const std::byte* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  template <class T>
  static void write(std::byte* p, T v) {
    std::memcpy(p, &v, sizeof v);
  }
  void rebase(const Tensor& other) {
    if (other.view.data != nullptr) {
      view.data = storage.data() + (other.view.data - other.storage.data());
    }
  }
};

using Generator = std::mt19937;

inline int64_t pick(Generator& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

/// Normal numbers; small integers for integer types.
inline void fill(Tensor& t, Generator& random, double mean = 0, double deviation = 1) {
  std::normal_distribution<double> normal(mean, deviation);
  for (int64_t i = 0; i < t.numel(); ++i) {
    t.set(i, base::is_floating(t.view.dtype) ? normal(random)
                                             : static_cast<double>(pick(random, -9, 9)));
  }
}

/// Relative precision of one stored value.
inline double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return 0x1p-11;
    case DType::kBFloat16:
      return 0x1p-8;
    case DType::kDouble:
      return 0x1p-50;
    default:
      return 0x1p-23;
  }
}

/// Every element within `tolerance` (absolute, of the largest expected magnitude at least 1) plus
/// the rounding of its storage type.
inline void expect_close(const Tensor& got, const std::vector<double>& want, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(static_cast<size_t>(got.numel()), want.size()) << what;
  double scale = 1;
  for (double w : want) {
    if (std::isfinite(w)) scale = std::max(scale, std::fabs(w));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    const double g = got.get(static_cast<int64_t>(i));
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(g)) << what << " at " << i;
      continue;
    }
    if (g == want[i]) continue;  // infinities
    const double allowed = tolerance * scale + epsilon_of(got.view.dtype) * std::fabs(want[i]);
    ASSERT_LE(std::fabs(g - want[i]), allowed)
        << what << " at " << i << ": " << g << " for " << want[i];
  }
}

/// Threads that take tiles in whatever order they come.
class ThreadWorkers final : public base::Workers {
 public:
  explicit ThreadWorkers(int size) : size_(size) {}
  int size() const override { return size_; }
  void parallel_for(int64_t count, int64_t grain, base::TileFunction f) override {
    std::atomic<int64_t> next{0};
    std::vector<std::thread> threads;
    for (int w = 0; w < size_; ++w) {
      threads.emplace_back([&, w] {
        for (int64_t b; (b = next.fetch_add(grain)) < count;) f(b, std::min(count, b + grain), w);
      });
    }
    for (std::thread& t : threads) t.join();
  }

 private:
  int size_;
};

/// Runs a command with a workspace of exactly the size it asked for, guarded behind.
template <class Command>
void execute(const Command& command, base::Workers& workers) {
  const size_t bytes = workspace_bytes(command);
  std::vector<std::byte> storage(bytes + 128, std::byte{0xff});
  std::byte* workspace =
      storage.data() + (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64;
  run(command, workers, workspace);
  for (std::byte* p = workspace + bytes; p < storage.data() + storage.size(); ++p) {
    ASSERT_EQ(*p, std::byte{0xff}) << "wrote behind the workspace";
  }
}

/// Parameter: the instruction set.
class CubeTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    before_ = current_isa();
    set_isa_for_test(GetParam());
  }
  void TearDown() override { set_isa_for_test(before_); }

 private:
  Isa before_{};
};

inline std::string isa_name(const testing::TestParamInfo<Isa>& info) { return name_of(info.param); }

}  // namespace npu::davinci::test
