// SPDX-License-Identifier: Apache-2.0
// Helpers of the operator tests: tensors on device 0 that remember their handles, and calls of both
// phases of an operator through its exported functions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "aclnnop/aclnnop.h"
#include "softnpu/base/abi.h"
#include "softnpu/base/half.h"
#include "softnpu/base/tensor.h"
#include "softnpu/runtime/context.h"
#include "softnpu/runtime/copy.h"
#include "softnpu/runtime/device.h"
#include "softnpu/runtime/memory.h"
#include "softnpu/runtime/stream.h"

namespace npu::testing {

using Dims = std::vector<int64_t>;
using Values = std::vector<double>;

inline int64_t count_of(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

/// Values in [low, high), the same for the same seed.
inline Values random_values(int64_t count, int seed, double low = -2, double high = 2) {
  std::mt19937_64 generator(static_cast<uint64_t>(seed));
  std::uniform_real_distribution<double> distribution(low, high);
  Values values(static_cast<size_t>(count));
  for (double& v : values) v = distribution(generator);
  return values;
}

template <class F>
void visit_type(aclDataType dtype, F f) {
  switch (dtype) {
    case ACL_DOUBLE:
      return f(double{});
    case ACL_INT8:
      return f(int8_t{});
    case ACL_UINT8:
      return f(uint8_t{});
    case ACL_BOOL:
      return f(uint8_t{});
    case ACL_INT16:
      return f(int16_t{});
    case ACL_INT32:
      return f(int32_t{});
    case ACL_INT64:
      return f(int64_t{});
    default:
      return f(float{});
  }
}

/// A tensor in memory of its own, or a view of another's.
class Tensor {
 public:
  Tensor(Dims dims, aclDataType dtype, Values values = {}) : dims_(std::move(dims)), dtype_(dtype) {
    runtime::set_device(0);
    bytes_ = static_cast<size_t>(count_of(dims_)) * size();
    if (bytes_ != 0) memory_ = runtime::allocate(runtime::current_device(), bytes_);
    owned_ = true;
    values.resize(static_cast<size_t>(count_of(dims_)), values.size() == 1 ? values[0] : 0);
    write(values);
    make_handle(nullptr, 0);
  }
  Tensor(const Tensor& base, Dims dims, Dims strides, int64_t offset)
      : dims_(std::move(dims)), dtype_(base.dtype_), memory_(base.memory_), bytes_(base.bytes_) {
    make_handle(&strides, offset);
  }
  Tensor(const Tensor&) = delete;
  ~Tensor() {
    aclDestroyTensor(handle_);
    if (owned_ && memory_ != nullptr) runtime::release(memory_);
  }
  operator aclTensor*() const { return handle_; }  // NOLINT
  void* memory() const { return memory_; }
  const Dims& dims() const { return dims_; }

  /// All elements of the memory, converted.
  Values values() const {
    std::vector<std::byte> raw(bytes_);
    if (bytes_ != 0) runtime::copy({raw.data(), memory_, bytes_});
    Values result(bytes_ / size());
    for (size_t i = 0; i < result.size(); ++i) result[i] = decode(raw.data() + i * size());
    return result;
  }
  void write(const Values& values) {
    std::vector<std::byte> raw(bytes_);
    for (size_t i = 0; i < values.size(); ++i) encode(values[i], raw.data() + i * size());
    if (bytes_ != 0) runtime::copy({memory_, raw.data(), bytes_});
  }

 private:
  size_t size() const { return base::size_of(static_cast<base::DType>(dtype_)); }
  void make_handle(const Dims* strides, int64_t offset) {
    const int64_t storage[] = {static_cast<int64_t>(bytes_ / size())};
    handle_ =
        aclCreateTensor(dims_.data(), dims_.size(), dtype_, strides ? strides->data() : nullptr,
                        offset, ACL_FORMAT_ND, storage, 1, memory_);
  }
  double decode(const std::byte* at) const {
    uint16_t half = 0;
    std::memcpy(&half, at, 2 < size() ? 2 : size());
    if (dtype_ == ACL_FLOAT16) return base::half_to_float(half);
    if (dtype_ == ACL_BF16) return base::bfloat16_to_float(half);
    double result = 0;
    visit_type(dtype_, [&]<class T>(T value) {
      std::memcpy(&value, at, sizeof value);
      result = static_cast<double>(value);
    });
    return result;
  }
  void encode(double value, std::byte* at) const {
    if (dtype_ == ACL_FLOAT16 || dtype_ == ACL_BF16) {
      const auto single = static_cast<float>(value);
      const uint16_t half =
          dtype_ == ACL_BF16 ? base::float_to_bfloat16(single) : base::float_to_half(single);
      std::memcpy(at, &half, 2);
      return;
    }
    visit_type(dtype_, [&]<class T>(T typed) {
      typed = static_cast<T>(value);
      std::memcpy(at, &typed, sizeof typed);
    });
  }

  Dims dims_;
  aclDataType dtype_;
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  bool owned_ = false;
  aclTensor* handle_ = nullptr;
};

/// A number as PyTorch passes it: double, int64 or bool.
class Number {
 public:
  Number(double value) : handle_(aclCreateScalar(&value, ACL_DOUBLE)) {}  // NOLINT
  Number(int value) {                                                     // NOLINT
    int64_t wide = value;
    handle_ = aclCreateScalar(&wide, ACL_INT64);
  }
  Number(const Number&) = delete;
  ~Number() { aclDestroyScalar(handle_); }
  operator aclScalar*() const { return handle_; }  // NOLINT

 private:
  aclScalar* handle_ = nullptr;
};

class Ints {
 public:
  Ints(std::initializer_list<int64_t> values)
      : handle_(aclCreateIntArray(values.begin(), values.size())) {}
  Ints(const Ints&) = delete;
  ~Ints() { aclDestroyIntArray(handle_); }
  operator aclIntArray*() const { return handle_; }  // NOLINT

 private:
  aclIntArray* handle_;
};

class Bools {
 public:
  Bools(std::initializer_list<bool> values)
      : handle_(aclCreateBoolArray(values.begin(), values.size())) {}
  Bools(const Bools&) = delete;
  ~Bools() { aclDestroyBoolArray(handle_); }
  operator aclBoolArray*() const { return handle_; }  // NOLINT

 private:
  aclBoolArray* handle_;
};

using Launch = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

template <class Plan>
struct Operator {
  Plan plan;
  Launch launch;

  /// Both phases on the default stream, and a synchronise; the first code that is not 0.
  template <class... Args>
  int operator()(Args&&... args) const {
    runtime::set_device(0);
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    if (const int code = plan(std::forward<Args>(args)..., &bytes, &executor)) return code;
    void* workspace = bytes == 0 ? nullptr : runtime::allocate(runtime::current_device(), bytes);
    int code = launch(workspace, bytes, executor, nullptr);
    if (code == 0) {
      code = base::guard("synchronize", [] { runtime::default_stream().synchronize(); });
    }
    if (workspace != nullptr) runtime::release(workspace);
    return code;
  }
};
template <class Plan>
Operator(Plan, Launch) -> Operator<Plan>;

/// ACLNN(aclnnAdd)(self, other, alpha, out)
#define ACLNN(name) (npu::testing::Operator{name##GetWorkspaceSize, name})

inline std::string last_message() { return base::recent_error_message(); }

/// The call failed with a message that has `text` in it.
inline void expect_failed(int code, const std::string& text) {
  EXPECT_NE(code, 0);
  EXPECT_NE(last_message().find(text), std::string::npos) << last_message();
}

/// |a - b| <= absolute + relative * |b| for all elements; NaN equals NaN.
inline void expect_close(const Values& a, const Values& b, double relative = 1e-6,
                         double absolute = 1e-6) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::isinf(b[i])) {
      EXPECT_EQ(a[i], b[i]) << "at " << i;
      continue;
    }
    EXPECT_NEAR(a[i], b[i], absolute + relative * std::abs(b[i])) << "at " << i;
  }
}

}  // namespace npu::testing
