// SPDX-License-Identifier: Apache-2.0
// Counting elements by value and by range. Counts are whole numbers, so workers may count apart and
// add; weights are added in the elements' order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"
#include "softnpu/davinci/statistics.h"

namespace npu::davinci {
namespace {

constexpr int64_t kTaskElements = 1 << 15;
constexpr int64_t kMostBinsApart = 1 << 16;

// Calls count(begin, end, bins of this task) over [0, elements); the sums are in the result.
template <class Count>
std::vector<int64_t> count_apart(int64_t elements, int64_t bins, Workers& workers, Count count) {
  const bool apart = bins <= kMostBinsApart && elements >= 4 * bins;
  const int64_t most = apart ? workers.size() : 1;
  const int64_t tasks = std::clamp<int64_t>(elements / kTaskElements, 1, most);
  const int64_t part = (elements + tasks - 1) / tasks;
  std::vector<int64_t> counts(static_cast<size_t>(tasks * bins));
  workers.parallel_for(tasks, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = begin; t < end; ++t) {
      count(t * part, std::min(elements, (t + 1) * part), &counts[static_cast<size_t>(t * bins)]);
    }
  });
  for (int64_t t = 1; t < tasks; ++t) {
    for (int64_t b = 0; b < bins; ++b) {
      counts[static_cast<size_t>(b)] += counts[static_cast<size_t>(t * bins + b)];
    }
  }
  counts.resize(static_cast<size_t>(bins));
  return counts;
}

void store_counts(const std::vector<int64_t>& counts, const TensorView& out) {
  const ConvertTile convert = kernels().convert_tile(out.dtype, DType::kInt64);
  const auto step = static_cast<int64_t>(base::size_of(out.dtype)) * out.strides[0];
  for (size_t b = 0; b < counts.size(); ++b) {
    convert(out.data + static_cast<int64_t>(b) * step, &counts[b], 1);
  }
}

template <class I, class W>
void add_weights(const Bincount& command, IndexCheck& check) {
  const int64_t step = command.in.strides[0], weight_step = command.weights.strides[0];
  W* out = command.out.as<W>();
  std::fill_n(out, command.out.dims[0], W{0});
  for (int64_t i = 0; i < command.in.dims[0]; ++i) {
    auto bin = static_cast<int64_t>(command.in.as<I>()[i * step]);
    if (check.accept(i, bin, command.out.dims[0], false)) {
      out[bin] += command.weights.as<W>()[i * weight_step];
    }
  }
}

// Arithmetic of the element type: halves round after each step.
template <DType dtype>
struct Arithmetic {
  using Value = float;
  static float rounded(float v) {
    uint16_t bits = 0;
    kernels().convert_tile(dtype, DType::kFloat)(&bits, &v, 1);
    kernels().convert_tile(DType::kFloat, dtype)(&v, &bits, 1);
    return v;
  }
};
template <>
struct Arithmetic<DType::kFloat> {
  using Value = float;
  static float rounded(float v) { return v; }
};
template <>
struct Arithmetic<DType::kDouble> {
  using Value = double;
  static double rounded(double v) { return v; }
};

template <class T>
void load_values(const TensorView& in, const Nest& nest, int64_t begin, int64_t n, T* to) {
  const DType compute = sizeof(T) == 8 ? DType::kDouble : DType::kFloat;
  const ConvertTile widen = kernels().convert_tile(compute, in.dtype);
  const auto size = static_cast<int64_t>(base::size_of(in.dtype));
  alignas(64) std::byte raw[kTileElements * 8];
  std::byte* next = raw;
  for_each_run(nest, 0, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
    gather_run(next, in.data + offset * size, stride, run, static_cast<size_t>(size));
    next += run * size;
  });
  widen(to, raw, n);
}

// f(values, n) for tiles of [begin, end).
template <class T, class F>
void for_tiles(const TensorView& in, const Nest& nest, int64_t begin, int64_t end, F f) {
  alignas(64) T values[kTileElements];
  for (int64_t i = begin; i < end; i += kTileElements) {
    const int64_t n = std::min<int64_t>(kTileElements, end - i);
    load_values(in, nest, i, n, values);
    f(values, n);
  }
}

// The least and the greatest element; no number if one is none.
template <class T>
std::pair<double, double> range_of(const TensorView& in, const Nest& nest) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  T low = kInfinity, high = -kInfinity;
  bool nan = false;
  for_tiles<T>(in, nest, 0, nest.count, [&](const T* values, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      low = values[i] < low ? values[i] : low;
      high = values[i] > high ? values[i] : high;
      nan |= values[i] != values[i];
    }
  });
  if (nan) return {std::nan(""), std::nan("")};
  return {static_cast<double>(low), static_cast<double>(high)};
}

template <DType dtype>
void histogram(const Histogram& command, Workers& workers) {
  using A = Arithmetic<dtype>;
  using T = typename A::Value;
  const TensorView* views[] = {&command.in};
  const Nest nest = make_nest(views);
  double first = command.low, last = command.high;
  if (first == last && nest.count > 0) std::tie(first, last) = range_of<T>(command.in, nest);
  if (first == last) first -= 1, last += 1;
  base::require(std::isfinite(first) && std::isfinite(last), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                "the range [", first, ", ", last, "] is not finite");
  const int64_t bins = command.out.dims[0];
  const T low = A::rounded(static_cast<T>(first)), high = A::rounded(static_cast<T>(last));
  const T steps = A::rounded(static_cast<T>(bins)), width = A::rounded(high - low);
  const auto counts =
      count_apart(nest.count, bins, workers, [&](int64_t begin, int64_t end, int64_t* found) {
        for_tiles<T>(command.in, nest, begin, end, [&](const T* values, int64_t n) {
          for (int64_t i = 0; i < n; ++i) {
            const T v = values[i];
            if (!(v >= low && v <= high)) continue;
            const T place = A::rounded(A::rounded(A::rounded(v - low) * steps) / width);
            // The last bin has its upper end, too.
            ++found[std::clamp<int64_t>(static_cast<int64_t>(place), 0, bins - 1)];
          }
        });
      });
  store_counts(counts, command.out);
}

}  // namespace

void run(const Bincount& command, Workers& workers) {
  const TensorView &in = command.in, &out = command.out;
  IndexCheck check;
  with_index_type(in.dtype, [&]<class I>(const I*) {
    if (command.weights.defined()) {
      return out.dtype == DType::kFloat ? add_weights<I, float>(command, check)
                                        : add_weights<I, double>(command, check);
    }
    const auto counts = count_apart(in.dims[0], out.dims[0], workers,
                                    [&](int64_t begin, int64_t end, int64_t* found) {
                                      for (int64_t i = begin; i < end; ++i) {
                                        int64_t bin = in.as<I>()[i * in.strides[0]];
                                        if (check.accept(i, bin, out.dims[0], false)) ++found[bin];
                                      }
                                    });
    store_counts(counts, out);
  });
  check.finish("the bins");
}

void run(const Histogram& command, Workers& workers) {
  switch (command.in.dtype) {
    case DType::kHalf:
      return histogram<DType::kHalf>(command, workers);
    case DType::kBFloat16:
      return histogram<DType::kBFloat16>(command, workers);
    case DType::kDouble:
      return histogram<DType::kDouble>(command, workers);
    default:
      return histogram<DType::kFloat>(command, workers);
  }
}

}  // namespace npu::davinci
