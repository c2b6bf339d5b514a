// SPDX-License-Identifier: Apache-2.0
// Cumulative products and extremes.
#include <algorithm>
#include <array>

#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/lines.h"
#include "softnpu/davinci/statistics.h"

namespace npu::davinci {
namespace {

// Products run in double for floats, as PyTorch's.
template <class T, class Product>
void cumulative_product(std::byte* out, const std::byte* in, int64_t n) {
  T* to = reinterpret_cast<T*>(out);
  const T* from = reinterpret_cast<const T*>(in);
  Product product = 1;
  for (int64_t i = 0; i < n; ++i) {
    to[i] = static_cast<T>(product = wrapping_product(product, static_cast<Product>(from[i])));
  }
}

// How elements compare. Halves compare by their bits.
template <class T>
struct Numbers {
  using Element = T;
  static bool is_nan(T v) { return v != v; }
  static bool less(T a, T b) { return a < b; }
};
template <uint16_t kInfinity>
struct Halves {
  using Element = uint16_t;
  static int magnitude(uint16_t v) { return v & 0x7fff; }
  static int value(uint16_t v) { return (v & 0x8000) != 0 ? -magnitude(v) : magnitude(v); }
  static bool is_nan(uint16_t v) { return magnitude(v) > kInfinity; }
  static bool less(uint16_t a, uint16_t b) { return value(a) < value(b); }
};

// Whether v takes the place of the best one before it.
template <class Order, bool largest, class T>
bool takes_over(T v, T best) {
  const bool beaten = largest ? Order::less(v, best) : Order::less(best, v);
  return Order::is_nan(v) || (!Order::is_nan(best) && !beaten);
}

constexpr int64_t kTogether = 64;

// The lines [first, first + n), neighbours in the nest's innermost dimension, step by step.
template <class Order, class I, bool largest>
void walk_lines(const CumulativeExtremum& c, const Nest& nest, int64_t first, int64_t n) {
  using T = typename Order::Element;
  const int64_t length = c.in.dims[c.dim];
  const int64_t step = c.in.strides[c.dim], value_step = c.values.strides[c.dim],
                index_step = c.indices.strides[c.dim];
  const T* from = c.in.as<T>() + nest.offset(0, first);
  T* to = c.values.as<T>() + nest.offset(1, first);
  I* place = c.indices.as<I>() + nest.offset(2, first);
  const int64_t next = nest.strides[0][0], next_value = nest.strides[1][0],
                next_index = nest.strides[2][0];
  if (n == 1) {  // changes are rare: a branch foretells them
    T best = *from;
    I best_place = 0;
    for (int64_t i = 0; i < length; ++i) {
      if (takes_over<Order, largest>(from[i * step], best)) {
        best = from[i * step];
        best_place = static_cast<I>(i);
      }
      to[i * value_step] = best;
      place[i * index_step] = best_place;
    }
    return;
  }
  std::array<T, kTogether> best;
  std::array<I, kTogether> best_place{};
  for (int64_t l = 0; l < n; ++l) best[l] = from[l * next];
  for (int64_t i = 0; i < length; ++i) {
    for (int64_t l = 0; l < n; ++l) {
      const T v = from[i * step + l * next];
      const bool takes = takes_over<Order, largest>(v, best[l]);
      best[l] = takes ? v : best[l];
      best_place[l] = takes ? static_cast<I>(i) : best_place[l];
      to[i * value_step + l * next_value] = best[l];
      place[i * index_step + l * next_index] = best_place[l];
    }
  }
}

template <class Order>
void extremes(const CumulativeExtremum& command, const Nest& nest, Workers& workers) {
  const int64_t row = nest.dims[0];
  // Neighbours that lie apart gain nothing from being walked together.
  const int64_t together = command.in.strides[command.dim] == 1 ? 1 : kTogether;
  const int64_t grain = std::max(together, line_grain(command.in.dims[command.dim]));
  workers.parallel_for(nest.count, grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t line = begin, n = 0; line < end; line += n) {
      n = std::min({together, end - line, row - line % row});
      with_index_type(command.indices.dtype, [&]<class I>(const I*) {
        command.largest ? walk_lines<Order, I, true>(command, nest, line, n)
                        : walk_lines<Order, I, false>(command, nest, line, n);
      });
    }
  });
}

}  // namespace

void run(const Cumprod& command, Workers& workers) {
  const int64_t n = command.in.dims[command.dim];
  const bool floating = base::is_floating(command.out.dtype);
  const DType compute = floating ? compute_type(command.out.dtype) : DType::kInt64;
  for_each_line(command.out, {&command.in}, command.dim, compute, workers,
                [&](std::byte* out, const std::byte* const* in) {
                  switch (compute) {
                    case DType::kFloat:
                      return cumulative_product<float, double>(out, in[0], n);
                    case DType::kDouble:
                      return cumulative_product<double, double>(out, in[0], n);
                    default:
                      return cumulative_product<int64_t, int64_t>(out, in[0], n);
                  }
                });
}

void run(const CumulativeExtremum& command, Workers& workers) {
  const TensorView* views[] = {&command.in, &command.values, &command.indices};
  const Nest nest = nest_of_lines(views, command.dim);
  const bool done = with_number_type(
      command.in.dtype, [&]<class T>(const T*) { extremes<Numbers<T>>(command, nest, workers); });
  if (done) return;
  if (command.in.dtype == DType::kHalf) {
    extremes<Halves<0x7c00>>(command, nest, workers);
  } else {
    extremes<Halves<0x7f80>>(command, nest, workers);
  }
}

}  // namespace npu::davinci
