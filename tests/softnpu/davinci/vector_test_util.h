// SPDX-License-Identifier: Apache-2.0
// What the vector tests add to cube_test_util.h: bool and unsigned elements, layouts, distances in
// units of the last place, and running a command on several kinds of workers.
#pragma once

#include <functional>
#include <limits>
#include <memory>

#include "softnpu/davinci/commands.h"
#include "tests/softnpu/davinci/cube_test_util.h"

namespace npu::davinci::test {

/// Runs on every instruction set of the machine.
class VectorTest : public CubeTest {};
#define NPU_EVERY_ISA(suite) \
  INSTANTIATE_TEST_SUITE_P(Isas, suite, testing::ValuesIn(available_isas()), isa_name)

inline double value_of(const Tensor& t, int64_t flat) {
  const std::byte* p = t.address(flat);
  switch (t.view.dtype) {
    case DType::kBool:
      return *reinterpret_cast<const uint8_t*>(p);
    case DType::kUInt16:
      return *reinterpret_cast<const uint16_t*>(p);
    case DType::kUInt32:
      return *reinterpret_cast<const uint32_t*>(p);
    case DType::kUInt64:
      return static_cast<double>(*reinterpret_cast<const uint64_t*>(p));
    default:
      return t.get(flat);
  }
}
inline void set_value(Tensor& t, int64_t flat, double v) {
  std::byte* p = t.address(flat);
  switch (t.view.dtype) {
    case DType::kBool:
      *reinterpret_cast<uint8_t*>(p) = v != 0;
      break;
    case DType::kUInt16:
      *reinterpret_cast<uint16_t*>(p) = static_cast<uint16_t>(v);
      break;
    case DType::kUInt32:
      *reinterpret_cast<uint32_t*>(p) = static_cast<uint32_t>(v);
      break;
    case DType::kUInt64:
      *reinterpret_cast<uint64_t*>(p) = static_cast<uint64_t>(v);
      break;
    default:
      t.set(flat, v);
  }
}

inline Tensor tensor_of(DType dtype, const Dims& dims, const std::vector<double>& values) {
  Tensor t(dtype, dims);
  for (size_t i = 0; i < values.size(); ++i) set_value(t, static_cast<int64_t>(i), values[i]);
  return t;
}
inline Tensor random_tensor(DType dtype, const Dims& dims, Generator& random, Dims order = {},
                            int64_t gap = 0) {
  Tensor t(dtype, dims, std::move(order), gap);
  std::normal_distribution<double> normal(0, 2);
  for (int64_t i = 0; i < t.numel(); ++i) {
    const double x = base::is_floating(dtype) ? normal(random)
                     : dtype == DType::kBool  ? static_cast<double>(pick(random, 0, 1))
                     : dtype == DType::kUInt8 ? static_cast<double>(pick(random, 0, 40))
                                              : static_cast<double>(pick(random, -20, 20));
    set_value(t, i, x);
  }
  return t;
}
inline std::vector<double> values_of(const Tensor& t) {
  std::vector<double> v(static_cast<size_t>(t.numel()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = value_of(t, static_cast<int64_t>(i));
  return v;
}

/// Same number, or both NaN; `sign_of_zero` also tells -0 from +0.
inline bool same(double a, double b, bool sign_of_zero = false) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && (!sign_of_zero || std::signbit(a) == std::signbit(b));
}

/// |got - want| in units of the last place of dtype at `want`.
inline double ulps(double got, double want, DType dtype) {
  if (same(got, want)) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return std::numeric_limits<double>::infinity();
  const int digits = dtype == DType::kDouble     ? 53
                     : dtype == DType::kHalf     ? 11
                     : dtype == DType::kBFloat16 ? 8
                                                 : 24;
  const int least = dtype == DType::kDouble     ? -1074
                    : dtype == DType::kHalf     ? -24
                    : dtype == DType::kBFloat16 ? -133
                                                : -149;
  const int exponent = want == 0 ? least : std::max(std::ilogb(want) + 1 - digits, least);
  return std::ldexp(std::fabs(got - want), -exponent);
}

inline void expect_equal(const Tensor& got, const std::vector<double>& want,
                         const std::string& what) {
  ASSERT_EQ(static_cast<size_t>(got.numel()), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i) {
    const double g = value_of(got, static_cast<int64_t>(i));
    ASSERT_TRUE(same(g, want[i])) << what << " at " << i << ": " << g << " for " << want[i];
  }
}

/// Runs a command on one thread.
template <class Command>
void run_serial(const Command& command) {
  base::SerialWorkers workers;
  run(command, workers);
}

/// Runs `make()` (fresh outputs) serially and on 2 to 5 threads: the bytes of `out(command)` must
/// not differ.
template <class Make>
void expect_independent_of_threads(Make make, const std::string& what) {
  auto [first, outputs] = make();
  run_serial(first);
  for (int threads = 2; threads <= 5; ++threads) {
    auto [command, others] = make();
    ThreadWorkers workers(threads);
    run(command, workers);
    for (size_t i = 0; i < outputs.size(); ++i) {
      ASSERT_EQ(std::memcmp(outputs[i]->storage.data(), others[i]->storage.data(),
                            outputs[i]->storage.size()),
                0)
          << what << ", output " << i << " on " << threads << " threads";
    }
  }
}

}  // namespace npu::davinci::test
