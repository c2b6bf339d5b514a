// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "softnpu/davinci/reduce_plan.h"

namespace npu::davinci {
namespace {

void run_general(const ReducePlan& reduction, Workers& workers) {
  const int64_t results = reduction.results().count, segments = reduction.segments();
  if (segments == 1) {
    const int64_t grain = std::max<int64_t>(
        1, kReduceTaskElements / std::max<int64_t>(32, reduction.elements().count));
    workers.parallel_for(results, grain, [&](int64_t begin, int64_t end, int) {
      for (int64_t r = begin; r < end; ++r) {
        ReduceState state;
        reduction.add_segment(r, 0, state);
        reduction.store(r, state);
      }
    });
    return;
  }
  // Results are the faster index: neighbours share cache lines.
  std::vector<ReduceState> states(static_cast<size_t>(results * segments));
  const int64_t grain = reduction.elements().count / segments < (1 << 12) ? 16 : 1;
  workers.parallel_for(results * segments, grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = begin; t < end; ++t) {
      reduction.add_segment(t % results, t / results, states[static_cast<size_t>(t)]);
    }
  });
  workers.parallel_for(results, 64, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) {
      ReduceState total;
      for (int64_t s = 0; s < segments; ++s) {
        reduction.merge(total, states[static_cast<size_t>(s * results + r)]);
      }
      reduction.store(r, total);
    }
  });
}

}  // namespace

void run(const Reduce& command, Workers& workers) {
  const ReducePlan reduction(command);
  if (reduction.results().count == 0) return;
  if (folds_columns(command, reduction)) {
    run_columns(command, reduction, workers);
  } else {
    run_general(reduction, workers);
  }
}

}  // namespace npu::davinci
