// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "softnpu/davinci/reduce_plan.h"

namespace npu::davinci {
namespace {

constexpr int64_t kColumns = 128, kRows = 32, kRowsPerSegment = 1024, kFewElements = 64;

class ColumnFold {
 public:
  ColumnFold(const Reduce& command, const ReducePlan& reduction)
      : command_(command),
        reduction_(reduction),
        elements_(reduction.elements()),
        results_(reduction.results()),
        compute_(reduction.compute()),
        sums_(command.op == ReduceOp::kSum || command.op == ReduceOp::kMean),
        type_(sums_ ? DType::kDouble : compute_),
        width_(results_.dims[0]),
        size_(static_cast<int64_t>(base::size_of(command.in.dtype))) {
    const auto op = command.op == ReduceOp::kMax ? VectorOp::kMaximum : VectorOp::kMinimum;
    fold_ = kernels().vector_tile(op, compute_);
    segments_ = (elements_.count + kRowsPerSegment - 1) / kRowsPerSegment;
  }

  void run(Workers& workers) {
    const int64_t bytes = static_cast<int64_t>(base::size_of(type_));
    partial_.resize(static_cast<size_t>(segments_ * results_.count * bytes));
    const int64_t blocks = (width_ + kColumns - 1) / kColumns;
    const int64_t tasks = results_.count / width_ * blocks;
    const int64_t grain = std::max<int64_t>(1, kReduceTaskElements / (kColumns * elements_.count));
    workers.parallel_for(tasks * segments_, grain, [&](int64_t begin, int64_t end, int) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t column = t % tasks % blocks * kColumns;
        fold_block(t / tasks, t % tasks / blocks * width_ + column,
                   std::min(kColumns, width_ - column));
      }
    });
    workers.parallel_for(results_.count, 4096, [&](int64_t begin, int64_t end, int) {
      for (int64_t s = 1; s < segments_; ++s) merge(begin, end - begin, at(s, begin));
      if (command_.op == ReduceOp::kMean) {
        auto* sums = reinterpret_cast<double*>(at(0, begin));
        const auto n = static_cast<double>(elements_.count);
        for (int64_t i = 0; i < end - begin; ++i) sums[i] /= n;
      }
      reduction_.store_run(begin, end - begin, at(0, begin), type_);
    });
  }

 private:
  std::byte* at(int64_t segment, int64_t result) {
    return partial_.data() +
           (segment * results_.count + result) * static_cast<int64_t>(base::size_of(type_));
  }

  void merge(int64_t begin, int64_t n, const std::byte* from) {
    if (sums_) {
      auto* sums = reinterpret_cast<double*>(at(0, begin));
      for (int64_t i = 0; i < n; ++i) sums[i] += reinterpret_cast<const double*>(from)[i];
    } else {
      const ComputeScalar none[4] = {};
      fold_(at(0, begin), at(0, begin), from, nullptr, none, n);
    }
  }

  // Rows [row, end) of one segment into its partial results.
  void fold_block(int64_t segment, int64_t result, int64_t columns) {
    const std::byte* first = command_.in.data + results_.offset(1, result) * size_;
    const int64_t begin = segment * kRowsPerSegment;
    const int64_t end = std::min(elements_.count, begin + kRowsPerSegment);
    alignas(64) std::byte buffer[kRows * kColumns * 8];
    std::byte* acc = at(segment, result);
    const auto wide = static_cast<int64_t>(base::size_of(compute_));
    for (int64_t row = begin, rows = 0; row < end; row += rows) {
      rows = std::min({kRows, end - row, elements_.dims[0] - row % elements_.dims[0]});
      const std::byte* data = first + elements_.offset(0, row) * size_;
      int64_t stride = elements_.strides[0][0];
      if (reduction_.converter() != nullptr || results_.strides[1][0] != 1) {
        load_rows(data, rows, columns, buffer);
        data = buffer;
        stride = kColumns;
      }
      if (sums_) {
        kernels().add_columns(compute_, reinterpret_cast<double*>(acc), data, stride, rows,
                              columns);
        continue;
      }
      const ComputeScalar none[4] = {};
      for (int64_t r = 0; r < rows; ++r) {
        const std::byte* line = data + r * stride * wide;
        const std::byte* other = row + r == begin ? line : acc;
        fold_(acc, other, line, nullptr, none, columns);
      }
    }
  }

  // Rows in the compute type, kColumns apart.
  void load_rows(const std::byte* data, int64_t rows, int64_t columns, std::byte* buffer) {
    const auto wide = static_cast<int64_t>(base::size_of(compute_));
    alignas(64) std::byte raw[kColumns * 8];
    for (int64_t r = 0; r < rows; ++r) {
      const std::byte* line = data + r * elements_.strides[0][0] * size_;
      std::byte* to = buffer + r * kColumns * wide;
      if (ConvertTile convert = reduction_.converter()) {
        gather_run(raw, line, results_.strides[1][0], columns, static_cast<size_t>(size_));
        convert(to, raw, columns);
      } else {
        gather_run(to, line, results_.strides[1][0], columns, static_cast<size_t>(size_));
      }
    }
  }

  const Reduce& command_;
  const ReducePlan& reduction_;
  const Nest &elements_, &results_;
  DType compute_;
  bool sums_;
  DType type_;  // of partial results
  int64_t width_, size_, segments_ = 1;
  VectorTile fold_ = nullptr;
  std::vector<std::byte> partial_;
};

}  // namespace

bool folds_columns(const Reduce& command, const ReducePlan& reduction) {
  const bool sum = (command.op == ReduceOp::kSum || command.op == ReduceOp::kMean) &&
                   base::is_floating(reduction.compute());
  const bool extremum =
      (command.op == ReduceOp::kMax || command.op == ReduceOp::kMin) && !command.indices.defined();
  const Nest& results = reduction.results();
  return (sum || extremum) && results.dims[0] >= 8 && reduction.elements().count > 1 &&
         (results.strides[1][0] == 1 || reduction.elements().count <= kFewElements);
}

void run_columns(const Reduce& command, const ReducePlan& reduction, Workers& workers) {
  ColumnFold(command, reduction).run(workers);
}

}  // namespace npu::davinci
