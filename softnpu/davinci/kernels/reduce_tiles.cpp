// SPDX-License-Identifier: Apache-2.0
// Reductions of one tile. Sums run in a few vectors over at most a tile's length and continue in
// double, so the error does not grow with the number of elements.
#include "softnpu/davinci/kernels/vector_math.h"

namespace npu::davinci::NPU_ISA {
namespace {

/// Calls f(accumulator, vector, its lanes) over the tile, with kTogether accumulators in turn: one
/// alone would wait for its own last result.
constexpr int kTogether = 4;
template <class T, class F>
[[gnu::always_inline]] inline void walk_tile(const T* p, int64_t n, F f) {
  constexpr int kLanes = kLanesOf<T>;
  int64_t i = 0;
  for (; i + kTogether * kLanes <= n; i += kTogether * kLanes) {
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; ++k) f(k, load(p + i + k * kLanes), kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) f(0, load(p + i), kLanes);
  if (i < n) f(0, load_part(p + i, n - i), static_cast<int>(n - i));
}

/// The sum of all lanes, in double.
template <class V>
[[gnu::always_inline]] inline double total_of(V v) {
  constexpr int kLanes = kLanesOf<Element<V>>;
  double lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = static_cast<double>(v[i]);
#pragma GCC unroll 4
  for (int width = kLanes / 2; width > 0; width /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

template <class T, class Map>
[[gnu::always_inline]] inline double sum_of(const T* p, int64_t n, Map map) {
  using V = Vector<T>;
  V sum[kTogether] = {};
  walk_tile(p, n, [&](int k, V v, int lanes) __attribute__((always_inline)) {
    const V mapped = map(v);
    sum[k] += lanes == kLanesOf<T> ? mapped : lanes_below<V>(lanes) ? mapped : V{};
  });
  return total_of((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

template <class T>
void sum(ReduceState* s, const void* data, int64_t n, int64_t, double) {
  const T* p = static_cast<const T*>(data);
  if constexpr (kIsFloating<Vector<T>>) {
    s->value += sum_of(p, n, [](auto v) { return v; });
  } else {
    int64_t total = 0;
    for (int64_t i = 0; i < n; ++i) total += p[i];
    s->integer += total;
  }
  s->count += n;
}

template <class T>
void sum_absolute(ReduceState* s, const void* data, int64_t n, int64_t, double) {
  s->value += sum_of(static_cast<const T*>(data), n, [](auto v) { return absolute(v); });
  s->count += n;
}

/// p-norms; value holds the sum of |x|^p, or the extremum for an infinite p.
template <class T>
void norm(ReduceState* s, const void* data, int64_t n, int64_t, double p) {
  const T* x = static_cast<const T*>(data);
  if (p == 2) {
    // Squares in double: float would overflow at 1e19. Eight sums, so that the loop vectorises.
    double lanes[8] = {};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      for (int lane = 0; lane < 8; ++lane) {
        const auto wide = static_cast<double>(x[i + lane]);
        lanes[lane] += wide * wide;
      }
    }
    for (; i < n; ++i) lanes[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    double total = 0;
    for (double lane : lanes) total += lane;
    s->value += total;
  } else {
    for (int64_t i = 0; i < n; ++i) {
      const double size = __builtin_fabs(static_cast<double>(x[i]));
      if (p == __builtin_inf()) {
        s->value = size > s->value || size != size || s->count + i == 0 ? size : s->value;
      } else if (p == -__builtin_inf()) {
        s->value = size < s->value || size != size || s->count + i == 0 ? size : s->value;
      } else if (p == 0) {
        s->value += size != 0;
      } else {
        s->value += p == 1 ? size : __builtin_pow(size, p);
      }
    }
  }
  s->count += n;
}

template <class T>
void product(ReduceState* s, const void* data, int64_t n, int64_t, double) {
  const T* p = static_cast<const T*>(data);
  if constexpr (kIsFloating<Vector<T>>) {
    double lanes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      for (int lane = 0; lane < 8; ++lane) lanes[lane] *= static_cast<double>(p[i + lane]);
    }
    for (; i < n; ++i) lanes[0] *= static_cast<double>(p[i]);
    double total = s->count == 0 ? 1 : s->value;
    for (double lane : lanes) total *= lane;
    s->value = total;
  } else {
    int64_t total = s->count == 0 ? 1 : s->integer;
    for (int64_t i = 0; i < n; ++i) total *= p[i];
    s->integer = total;
  }
  s->count += n;
}

template <class T>
[[gnu::always_inline]] inline bool beats(bool largest, T a, T b) {
  return largest ? a > b : a < b;
}

/// The extremum of n > 0 elements; NaN if one of them is.
template <bool largest, class T>
[[gnu::always_inline]] inline T extremum_of(const T* p, int64_t n) {
  using V = Vector<T>;
  V best[kTogether];
  auto unordered = is_nan(V{});  // in no lane yet
  for (V& b : best) b = splat<V>(p[0]);
  walk_tile(p, n, [&](int k, V v, int lanes) __attribute__((always_inline)) {
    if (lanes < kLanesOf<T>) v = lanes_below<V>(lanes) ? v : splat<V>(p[0]);
    unordered |= is_nan(v);
    best[k] = (largest ? v > best[k] : v < best[k]) ? v : best[k];
  });
  if (any(unordered)) return quiet_nan<T>();
  T result = p[0];
  for (const V& b : best) {
    for (int lane = 0; lane < kLanesOf<T>; ++lane) {
      if (beats<T>(largest, b[lane], result)) result = b[lane];
    }
  }
  return result;
}

/// NaN beats everything, the first of equals stays.
template <class T, bool largest, bool with_index>
void extremum(ReduceState* s, const void* data, int64_t n, int64_t first, double) {
  const T* p = static_cast<const T*>(data);
  const T best = extremum_of<largest>(p, n);
  constexpr bool kFloating = kIsFloating<Vector<T>>;
  const T old = kFloating ? static_cast<T>(s->value) : static_cast<T>(s->integer);
  const bool wins = s->count == 0 || (old == old && (beats(largest, best, old) || best != best));
  s->count += n;
  if (!wins) return;
  (kFloating ? static_cast<void>(s->value = static_cast<double>(best))
             : static_cast<void>(s->integer = static_cast<int64_t>(best)));
  if constexpr (with_index) {
    int64_t i = 0;
    while (!(p[i] == best || (best != best && p[i] != p[i]))) ++i;
    s->index = first + i;
  }
}

template <class T>
[[gnu::always_inline]] inline int64_t count_nonzero_in(const T* p, int64_t n) {
  int64_t total = 0;
  for (int64_t i = 0; i < n; ++i) total += p[i] != 0;
  return total;
}
template <class T>
void any_nonzero(ReduceState* s, const void* data, int64_t n, int64_t, double) {
  s->integer |= count_nonzero_in(static_cast<const T*>(data), n) != 0;
  s->count += n;
}
template <class T>
void any_zero(ReduceState* s, const void* data, int64_t n, int64_t, double) {
  s->integer |= count_nonzero_in(static_cast<const T*>(data), n) != n;
  s->count += n;
}
template <class T>
void count_nonzero(ReduceState* s, const void* data, int64_t n, int64_t, double) {
  s->integer += count_nonzero_in(static_cast<const T*>(data), n);
  s->count += n;
}

/// Two passes over the tile, then the tiles' means and distances merge (Chan).
template <class T>
void variance(ReduceState* s, const void* data, int64_t n, int64_t, double) {
  const T* p = static_cast<const T*>(data);
  const auto count = static_cast<double>(n);
  const double mean = sum_of(p, n, [](auto v) { return v; }) / count;
  const T center = static_cast<T>(mean);
  const double distances = sum_of(p, n, [center](auto v) { return (v - center) * (v - center); });
  const double shift = mean - static_cast<double>(center);
  const auto before = static_cast<double>(s->count);
  const double delta = mean - s->mean, total = before + count;
  s->distances += (distances - count * shift * shift) + delta * delta * (before * count / total);
  s->mean += delta * (count / total);
  s->count += n;
}

template <class T>
ReduceTile tile_for(ReduceOp op) {
  constexpr bool kFloating = kIsFloating<Vector<T>>;
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kMean:
      return &sum<T>;
    case ReduceOp::kProd:
      return &product<T>;
    case ReduceOp::kMax:
      return &extremum<T, true, false>;
    case ReduceOp::kMin:
      return &extremum<T, false, false>;
    case ReduceOp::kArgMax:
      return &extremum<T, true, true>;
    case ReduceOp::kArgMin:
      return &extremum<T, false, true>;
    case ReduceOp::kAny:
      return &any_nonzero<T>;
    case ReduceOp::kAll:
      return &any_zero<T>;
    case ReduceOp::kCountNonzero:
      return &count_nonzero<T>;
    default:
      break;
  }
  if constexpr (kFloating) {
    switch (op) {
      case ReduceOp::kVar:
      case ReduceOp::kStd:
        return &variance<T>;
      case ReduceOp::kNorm:
        return &norm<T>;
      case ReduceOp::kL1Norm:
        return &sum_absolute<T>;
      default:
        break;
    }
  }
  return nullptr;
}

template <class T>
void add_columns_of(double* sums, const T* data, int64_t row_stride, int64_t rows,
                    int64_t columns) {
  using V = Vector<T>;
  constexpr int kLanes = kLanesOf<T>;
  int64_t j = 0;
  for (; j + 2 * kLanes <= columns; j += 2 * kLanes) {
    V first{}, second{};
    for (int64_t r = 0; r < rows; ++r) {
      first += load(data + r * row_stride + j);
      second += load(data + r * row_stride + j + kLanes);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      sums[j + lane] += static_cast<double>(first[lane]);
      sums[j + kLanes + lane] += static_cast<double>(second[lane]);
    }
  }
  for (; j < columns; ++j) {
    T total = 0;
    for (int64_t r = 0; r < rows; ++r) total += data[r * row_stride + j];
    sums[j] += static_cast<double>(total);
  }
}

}  // namespace

ReduceTile reduce_tile(ReduceOp op, DType compute) {
  switch (compute) {
    case DType::kFloat:
      return tile_for<float>(op);
    case DType::kDouble:
      return tile_for<double>(op);
    case DType::kInt32:
      return tile_for<int32_t>(op);
    case DType::kInt64:
      return tile_for<int64_t>(op);
    default:
      return nullptr;
  }
}

void add_columns(DType compute, double* sums, const void* data, int64_t row_stride, int64_t rows,
                 int64_t columns) {
  if (compute == DType::kFloat) {
    add_columns_of(sums, static_cast<const float*>(data), row_stride, rows, columns);
  } else {
    add_columns_of(sums, static_cast<const double*>(data), row_stride, rows, columns);
  }
}

}  // namespace npu::davinci::NPU_ISA
