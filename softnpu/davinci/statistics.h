// SPDX-License-Identifier: Apache-2.0
// Running extremes and products, histograms, searching and order statistics: plain values like
// those of commands.h, with the same rules.
#pragma once

#include "softnpu/davinci/commands.h"

namespace npu::davinci {

/// Inclusive cumulative product along dim.
struct Cumprod {
  TensorView in, out;
  int dim = 0;
};
void run(const Cumprod& command, Workers& workers);

/// Inclusive cumulative maximum or minimum along dim and its place (int64 or int32), the last one
/// of equal elements. NaN stays once met.
struct CumulativeExtremum {
  TensorView in, values, indices;
  int dim = 0;
  bool largest = true;
};
void run(const CumulativeExtremum& command, Workers& workers);

/// out[in[i]] += weights[i], or += 1 without weights. Vectors; out is contiguous, int64 without
/// weights, else float32 or float64 like them. checked: an element outside of out.
struct Bincount {
  TensorView in, weights, out;
};
void run(const Bincount& command, Workers& workers);

/// Counts of elements in out.dims[0] equal bins of [low, high]; low == high stands for the
/// elements' own range. in is a floating-point type, out any. checked: a range that is not finite.
struct Histogram {
  TensorView in, out;
  double low = 0, high = 0;
};
void run(const Histogram& command, Workers& workers);

/// Where each of `values` would go in its sorted row: before equal elements, or behind them if
/// `right`. sorted [rows, n] is contiguous, as is sorter (int64, optional), which gives the order
/// of a row. One row serves all values, else values are [rows, ...]. All of one compute type; out
/// has values' shape, int64 or int32. checked: sorter's elements.
struct SearchSorted {
  TensorView sorted, sorter, values, out;
  bool right = false;
};
void run(const SearchSorted& command, Workers& workers);

enum class OrderRule : uint8_t { kKth, kMedian, kNanMedian };
/// One element of each line along dim: the k-th smallest (from 0; NaN counts as largest), or the
/// lower median, which is the first NaN if there is one (kNanMedian: of the numbers only). values
/// and indices (int64, optional) have size 1 along dim. Of equal elements it is the one that
/// PyTorch's CPU gives.
struct OrderStatistic {
  TensorView in, values, indices;
  int dim = 0;
  OrderRule rule{};
  int64_t k = 0;
};
void run(const OrderStatistic& command, Workers& workers);

}  // namespace npu::davinci
