// SPDX-License-Identifier: Apache-2.0
// Sums in a fixed number of interleaved lanes: the compiler vectorises them, and their order does
// not depend on the instruction set. Kernel builds only.
#pragma once

#include <stdint.h>

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int kSumLanes = 32;

/// term(0) + ... + term(n - 1) in Compute, the lanes added in double.
template <class Compute, class F>
[[gnu::always_inline]] inline double lane_sum(int64_t n, F&& term) {
  Compute lanes[kSumLanes] = {};
  int64_t i = 0;
  for (; i + kSumLanes <= n; i += kSumLanes) {
    for (int l = 0; l < kSumLanes; ++l) lanes[l] += term(i + l);
  }
  for (int l = 0; i + l < n; ++l) lanes[l] += term(i + l);
  double total = 0;
  for (const Compute lane : lanes) total += lane;
  return total;
}

/// Mean and sum of squared deviations of what was added so far (Chan's update), so that a large
/// mean does not swallow the variance.
struct Moments {
  double count = 0, mean = 0, squares = 0;

  void add(double n, double block_mean, double block_squares) {
    const double total = count + n, delta = block_mean - mean;
    mean += delta * n / total;
    squares += block_squares + delta * delta * count * n / total;
    count = total;
  }
};

}  // namespace
}  // namespace npu::davinci::NPU_ISA
