// SPDX-License-Identifier: Apache-2.0
// ReducePlan: one Reduce command, taken apart into results and elements, ready to run any segment
// of any result on any worker. Segments depend on the shape only and merge in order, so threads
// never show in the result.
#pragma once

#include <cstdint>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {

/// Elements that one task should have at least.
constexpr int64_t kReduceTaskElements = 1 << 14;

class ReducePlan {
 public:
  /// Keeps a reference to the command.
  explicit ReducePlan(const Reduce& command);

  const Nest& results() const { return results_; }    // operands: out, in, indices
  const Nest& elements() const { return elements_; }  // operand: in, relative to a result's first
  int64_t segments() const { return segments_; }
  DType compute() const { return compute_; }
  ConvertTile converter() const { return convert_; }  // to the compute type; nullptr: none needed

  /// Adds the elements of one segment of one result.
  void add_segment(int64_t result, int64_t segment, ReduceState& state) const;
  /// Adds what `from` knows; its elements follow those of `into`.
  void merge(ReduceState& into, const ReduceState& from) const;
  /// Turns the state into the result and writes it.
  void store(int64_t result, const ReduceState& state) const;
  /// Writes results [begin, begin + n), given in `type`.
  void store_run(int64_t begin, int64_t n, const std::byte* values, DType type) const;

 private:
  ReduceOp tile_op() const;
  double real_result(const ReduceState& state) const;
  int64_t integer_result(const ReduceState& state) const;

  const Reduce& command_;
  DType compute_, result_type_ = DType::kDouble;
  bool floating_, with_index_;
  Nest results_, elements_;
  int64_t segment_ = 0, segments_ = 0, size_ = 0;
  ReduceTile tile_ = nullptr;
  ConvertTile convert_ = nullptr;
};

/// Sums and extrema of neighbouring results, whole vectors at a time: down the columns of a matrix,
/// or over a few strided elements each.
bool folds_columns(const Reduce& command, const ReducePlan& reduction);
void run_columns(const Reduce& command, const ReducePlan& reduction, Workers& workers);

}  // namespace npu::davinci
