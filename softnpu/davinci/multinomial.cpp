// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/multinomial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/lines.h"

namespace npu::davinci {
namespace {

constexpr int64_t kDrawsTogether = 1 << 10;

// The weights of a row as doubles, and their sum.
double load_row(const TensorView& weights, int64_t row, std::vector<double>& to,
                IndexCheck& check) {
  const LineView lines(weights, weights.dims[1], weights.strides[1], DType::kDouble);
  auto* buffer = reinterpret_cast<std::byte*>(to.data());
  const std::byte* line = lines.load(row * weights.strides[0], buffer);
  if (line != buffer) std::copy_n(line, to.size() * sizeof(double), buffer);
  double sum = 0;
  bool fine = true;
  for (const double weight : to) {
    fine = fine && weight >= 0 && std::isfinite(weight);
    sum += weight;
  }
  if (!fine || !(sum > 0)) check.note(row, fine, 0);
  return sum;
}

void report(const IndexCheck& check) {
  const auto bad = check.first();
  if (!bad) return;
  base::fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "row ", bad->position, " of self ",
             bad->value != 0 ? "has no probability above 0"
                             : "has a probability that is negative, infinite or no number");
}

// The first of n ascending elements that is above `value`, or n; without branches, as which way to
// go cannot be predicted.
int64_t first_above(const double* elements, int64_t n, double value) {
  int64_t begin = 0;
  while (n > 0) {
    const int64_t half = n >> 1;
    const auto forward = static_cast<int64_t>(elements[begin + half] <= value);
    begin += (half + 1) & -forward;
    n = half - (forward & ~n & 1);
  }
  return begin;
}

// Draws [begin, end) of a row: the first category whose cumulative weight is above u * total.
void draw_by_place(const Multinomial& c, int64_t row, const std::vector<double>& cumulative,
                   int64_t begin, int64_t end) {
  const int64_t samples = c.out.dims[1];
  const double total = cumulative.back();
  // Behind the last weight that is not 0 nothing can be drawn.
  const int64_t last =
      std::lower_bound(cumulative.begin(), cumulative.end(), total) - cumulative.begin();
  std::array<uint32_t, 2 * kDrawsTogether + 4> random;
  for (int64_t first = begin; first < end; first += kDrawsTogether) {
    const int64_t n = std::min(kDrawsTogether, end - first);
    const int64_t word = 2 * (row * samples + first), skipped = word % 4;
    kernels().philox(random.data(), c.seed, c.offset + static_cast<uint64_t>(word / 4),
                     (skipped + 2 * n + 3) / 4);
    for (int64_t i = 0; i < n; ++i) {
      const uint32_t* words = &random[static_cast<size_t>(skipped + 2 * i)];
      const uint64_t wide = static_cast<uint64_t>(words[0]) << 32 | words[1];
      const double place = static_cast<double>(wide >> 11) * 0x1p-53 * total;
      c.out.as<int64_t>()[row * c.out.strides[0] + (first + i) * c.out.strides[1]] =
          first_above(cumulative.data(), last, place);
    }
  }
}

void with_replacement(const Multinomial& c, Workers& workers, IndexCheck& check) {
  const int64_t rows = c.out.dims[0], samples = c.out.dims[1];
  const auto cumulate = [&](int64_t row, std::vector<double>& weights) {
    load_row(c.weights, row, weights, check);
    for (size_t i = 1; i < weights.size(); ++i) weights[i] += weights[i - 1];
  };
  const auto categories = static_cast<size_t>(c.weights.dims[1]);
  if (rows == 1) {
    std::vector<double> cumulative(categories);
    cumulate(0, cumulative);
    if (check.first()) return;
    workers.parallel_for(samples, kDrawsTogether, [&](int64_t begin, int64_t end, int) {
      draw_by_place(c, 0, cumulative, begin, end);
    });
    return;
  }
  workers.parallel_for(rows, line_grain(c.weights.dims[1] + samples),
                       [&](int64_t begin, int64_t end, int) {
                         std::vector<double> cumulative(categories);
                         for (int64_t row = begin; row < end; ++row) {
                           cumulate(row, cumulative);
                           if (cumulative.back() > 0) draw_by_place(c, row, cumulative, 0, samples);
                         }
                       });
}

// Waiting times with the weights as rates: those that come first are the draw without replacement.
void draw_by_time(const Multinomial& c, int64_t row, std::vector<double>& weights,
                  std::vector<std::pair<double, int64_t>>& times) {
  const auto n = std::ssize(weights);
  std::vector<uint32_t> random(static_cast<size_t>(n) + 8);
  const int64_t word = row * n, skipped = word % 4;
  kernels().philox(random.data(), c.seed, c.offset + static_cast<uint64_t>(word / 4),
                   (skipped + n + 3) / 4);
  // log(u) / weight grows with the rank; categories of weight 0 come last, in order.
  for (int64_t i = 0; i < n; ++i) {
    weights[static_cast<size_t>(i)] = std::max(weights[static_cast<size_t>(i)], 0.0);
    const double u =
        (static_cast<double>(random[static_cast<size_t>(skipped + i)]) + 0.5) * 0x1p-32;
    times[static_cast<size_t>(i)] = {-std::log(u) / weights[static_cast<size_t>(i)], i};
  }
  const auto samples = c.out.dims[1];
  std::partial_sort(times.begin(), times.begin() + samples, times.end());
  for (int64_t k = 0; k < samples; ++k) {
    c.out.as<int64_t>()[row * c.out.strides[0] + k * c.out.strides[1]] =
        times[static_cast<size_t>(k)].second;
  }
}

void without_replacement(const Multinomial& c, Workers& workers, IndexCheck& check) {
  const auto categories = static_cast<size_t>(c.weights.dims[1]);
  workers.parallel_for(c.out.dims[0], line_grain(c.weights.dims[1]),
                       [&](int64_t begin, int64_t end, int) {
                         std::vector<double> weights(categories);
                         std::vector<std::pair<double, int64_t>> times(categories);
                         for (int64_t row = begin; row < end; ++row) {
                           if (load_row(c.weights, row, weights, check) > 0) {
                             draw_by_time(c, row, weights, times);
                           }
                         }
                       });
}

}  // namespace

void run(const Multinomial& command, Workers& workers) {
  IndexCheck check;
  command.replacement ? with_replacement(command, workers, check)
                      : without_replacement(command, workers, check);
  report(check);
}

}  // namespace npu::davinci
