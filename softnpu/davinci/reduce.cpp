// SPDX-License-Identifier: Apache-2.0
// Reductions. The elements of one result are cut into segments whose length depends on the shape
// only; segments run anywhere and merge in order, so threads never show in the result.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kLongSegment = 1 << 15;
// Neighbouring results that share cache lines: short segments, so that the lines stay in cache
// until the last of the neighbours has read its part.
constexpr int64_t kSharedSegment = 1 << 11;
constexpr int64_t kTaskElements = 1 << 14;

void merge_extremum(bool largest, bool floating, ReduceState& into, const ReduceState& from) {
  bool wins = false;
  if (floating) {
    const double a = from.value, b = into.value;
    wins = !std::isnan(b) && (std::isnan(a) || (largest ? a > b : a < b));
  } else {
    wins = largest ? from.integer > into.integer : from.integer < into.integer;
  }
  if (!wins) return;
  into.value = from.value;
  into.integer = from.integer;
  into.index = from.index;
}

void merge_variance(ReduceState& into, const ReduceState& from) {
  const auto a = static_cast<double>(into.count), b = static_cast<double>(from.count);
  const double delta = from.mean - into.mean;
  into.distances += from.distances + delta * delta * (a * b / (a + b));
  into.mean += delta * (b / (a + b));
}

// `from` covers the elements after those of `into`.
void merge(const Reduce& command, bool floating, ReduceState& into, const ReduceState& from) {
  if (from.count == 0) return;
  if (into.count == 0) {
    into = from;
    return;
  }
  switch (command.op) {
    case ReduceOp::kMax:
    case ReduceOp::kArgMax:
      merge_extremum(true, floating, into, from);
      break;
    case ReduceOp::kMin:
    case ReduceOp::kArgMin:
      merge_extremum(false, floating, into, from);
      break;
    case ReduceOp::kAny:
    case ReduceOp::kAll:
      into.integer |= from.integer;
      break;
    case ReduceOp::kVar:
    case ReduceOp::kStd:
      merge_variance(into, from);
      break;
    case ReduceOp::kProd:
      into.value *= from.value;
      into.integer *= from.integer;
      break;
    case ReduceOp::kNorm:
      if (std::isinf(command.parameter)) {
        merge_extremum(command.parameter > 0, true, into, from);
        break;
      }
      [[fallthrough]];
    default:
      into.value += from.value;
      into.integer += from.integer;
  }
  into.count += from.count;
}

// One reduction, ready to run any segment of any result.
class Prepared {
 public:
  explicit Prepared(const Reduce& command)
      : command_(command),
        compute_(compute_type(command.in.dtype)),
        floating_(base::is_floating(compute_)),
        with_index_(command.indices.defined() || command.op == ReduceOp::kArgMax ||
                    command.op == ReduceOp::kArgMin) {
    TensorView kept = command.in, reduced = command.in;
    for (int d = 0; d < command.in.rank; ++d) {
      ((command.reduced_dims >> d & 1) != 0 ? kept : reduced).dims[d] = 1;
    }
    const TensorView* results[] = {&command.out, &kept, &command.indices};
    results_ = make_nest({results, command.indices.defined() ? 3u : 2u});
    const TensorView* elements[] = {&reduced};
    elements_ = make_nest(elements, with_index_);
    const bool shared =
        results_.dims[0] > 1 && results_.strides[1][0] == 1 && elements_.strides[0][0] != 1;
    segment_ = shared ? kSharedSegment : kLongSegment;
    segments_ = std::max<int64_t>(1, (elements_.count + segment_ - 1) / segment_);
    tile_ = kernels().reduce_tile(tile_op(), compute_);
    size_ = static_cast<int64_t>(base::size_of(command.in.dtype));
    if (command.in.dtype != compute_) {
      convert_ = kernels().convert_tile(compute_, command.in.dtype);
    }
    const bool integer_result =
        command.op == ReduceOp::kAny || command.op == ReduceOp::kAll ||
        command.op == ReduceOp::kArgMax || command.op == ReduceOp::kArgMin ||
        command.op == ReduceOp::kCountNonzero || (!floating_ && command.op != ReduceOp::kMean);
    result_type_ = integer_result ? DType::kInt64 : DType::kDouble;
    store_ = kernels().convert_tile(command.out.dtype, result_type_);
    if (command.out.dtype == result_type_) store_ = nullptr;
  }

  int64_t results() const { return results_.count; }
  int64_t segments() const { return segments_; }
  int64_t elements() const { return elements_.count; }
  const Nest& result_nest() const { return results_; }
  const Nest& element_nest() const { return elements_; }
  DType compute() const { return compute_; }
  ConvertTile converter() const { return convert_; }

  void add_segment(int64_t result, int64_t segment, ReduceState& state) const {
    alignas(64) std::byte raw[kTileElements * 8], buffer[kTileElements * 8];
    const std::byte* base = command_.in.data + results_.offset(1, result) * size_;
    const int64_t end = std::min(elements_.count, (segment + 1) * segment_);
    for (int64_t t = segment * segment_; t < end; t += kTileElements) {
      const int64_t n = std::min<int64_t>(kTileElements, end - t);
      const std::byte* source = raw;
      if (elements_.rank == 1 && elements_.strides[0][0] == 1) {
        source = base + t * size_;
      } else {
        std::byte* to = raw;
        for_each_run(elements_, 0, t, n, [&](int64_t offset, int64_t stride, int64_t run) {
          gather_run(to, base + offset * size_, stride, run, static_cast<size_t>(size_));
          to += run * size_;
        });
      }
      if (convert_ != nullptr) {
        convert_(buffer, source, n);
        source = buffer;
      }
      tile_(&state, source, n, t, command_.parameter);
    }
  }

  void merge_into(ReduceState& into, const ReduceState& from) const {
    merge(command_, floating_, into, from);
  }

  void store(int64_t result, const ReduceState& state) const {
    const double real = real_result(state);
    const int64_t integer = integer_result(state);
    const void* value = result_type_ == DType::kInt64 ? static_cast<const void*>(&integer) : &real;
    const auto out_size = static_cast<int64_t>(base::size_of(command_.out.dtype));
    std::byte* to = command_.out.data + results_.offset(0, result) * out_size;
    if (store_ != nullptr) {
      store_(to, value, 1);
    } else {
      std::memcpy(to, value, 8);
    }
    if (command_.indices.defined()) {
      command_.indices.as<int64_t>()[results_.offset(2, result)] = state.index;
    }
  }

 private:
  // The tile that also keeps the index is the arg form of the same operator.
  ReduceOp tile_op() const {
    if (!with_index_) return command_.op;
    if (command_.op == ReduceOp::kMax) return ReduceOp::kArgMax;
    if (command_.op == ReduceOp::kMin) return ReduceOp::kArgMin;
    return command_.op;
  }

  double real_result(const ReduceState& s) const {
    const auto n = static_cast<double>(elements_.count);
    const double total = floating_ ? s.value : static_cast<double>(s.integer);
    switch (command_.op) {
      case ReduceOp::kMean:
        return total / n;
      case ReduceOp::kVar:
      case ReduceOp::kStd: {
        const double divisor = n - command_.parameter;
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double variance = s.count == 0 ? nan : s.distances / (divisor > 0 ? divisor : 0.0);
        return command_.op == ReduceOp::kStd ? std::sqrt(variance) : variance;
      }
      case ReduceOp::kNorm:
        if (command_.parameter == 2) return std::sqrt(total);
        if (command_.parameter == 0 || command_.parameter == 1 || std::isinf(command_.parameter)) {
          return total;
        }
        return std::pow(total, 1 / command_.parameter);
      case ReduceOp::kProd:
        return s.count == 0 ? 1 : total;
      default:
        return total;
    }
  }

  int64_t integer_result(const ReduceState& s) const {
    switch (command_.op) {
      case ReduceOp::kArgMax:
      case ReduceOp::kArgMin:
        return s.index;
      case ReduceOp::kAll:
        return s.integer == 0;  // it counted zeros
      case ReduceOp::kProd:
        return s.count == 0 ? 1 : s.integer;
      default:
        return s.integer;
    }
  }

  const Reduce& command_;
  DType compute_, result_type_ = DType::kDouble;
  bool floating_, with_index_;
  Nest results_;   // operands: out, in, indices
  Nest elements_;  // operand: in
  int64_t segment_ = 0, segments_ = 0, size_ = 0;
  ReduceTile tile_ = nullptr;
  ConvertTile convert_ = nullptr, store_ = nullptr;
};

void run_general(const Prepared& reduction, Workers& workers) {
  const int64_t results = reduction.results(), segments = reduction.segments();
  if (segments == 1) {
    const int64_t grain =
        std::max<int64_t>(1, kTaskElements / std::max<int64_t>(32, reduction.elements()));
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
  const int64_t grain = reduction.elements() / segments < kSharedSegment * 2 ? 16 : 1;
  workers.parallel_for(results * segments, grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = begin; t < end; ++t) {
      reduction.add_segment(t % results, t / results, states[static_cast<size_t>(t)]);
    }
  });
  workers.parallel_for(results, 64, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) {
      ReduceState total;
      for (int64_t s = 0; s < segments; ++s) {
        reduction.merge_into(total, states[static_cast<size_t>(s * results + r)]);
      }
      reduction.store(r, total);
    }
  });
}

// Sums down the columns of a matrix whose rows are contiguous: no gathering, whole vectors of
// results at a time.
constexpr int64_t kColumns = 128, kRows = 32, kRowsPerSegment = 1024;

bool sums_columns(const Reduce& command, const Prepared& reduction) {
  return (command.op == ReduceOp::kSum || command.op == ReduceOp::kMean) &&
         base::is_floating(reduction.compute()) && reduction.result_nest().strides[1][0] == 1 &&
         reduction.result_nest().dims[0] >= 8 && reduction.elements() > 1;
}

void add_column_block(const Prepared& reduction, const std::byte* first, int64_t size, int64_t row,
                      int64_t end, int64_t columns, double* sums) {
  const Nest& elements = reduction.element_nest();
  const DType compute = reduction.compute();
  alignas(64) std::byte buffer[kRows * kColumns * 8];
  const auto wide = static_cast<int64_t>(base::size_of(compute));
  while (row < end) {
    const int64_t in_run = elements.dims[0] - row % elements.dims[0];
    const int64_t rows = std::min({kRows, end - row, in_run});
    const std::byte* data = first + elements.offset(0, row) * size;
    int64_t stride = elements.strides[0][0];
    if (ConvertTile convert = reduction.converter()) {
      for (int64_t r = 0; r < rows; ++r) {
        convert(buffer + r * kColumns * wide, data + r * stride * size, columns);
      }
      data = buffer;
      stride = kColumns;
    }
    kernels().add_columns(compute, sums, data, stride, rows, columns);
    row += rows;
  }
}

void run_columns(const Reduce& command, const Prepared& reduction, Workers& workers) {
  const Nest& results = reduction.result_nest();
  const int64_t width = results.dims[0], planes = results.count / width;
  const int64_t blocks = (width + kColumns - 1) / kColumns;
  const int64_t rows = reduction.elements();
  const int64_t segments = (rows + kRowsPerSegment - 1) / kRowsPerSegment;
  const auto size = static_cast<int64_t>(base::size_of(command.in.dtype));
  std::vector<double> partial(static_cast<size_t>(segments * results.count));
  workers.parallel_for(planes * blocks * segments, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t segment = t / (planes * blocks), block = t % (planes * blocks);
      const int64_t column = block % blocks * kColumns;
      const int64_t result = block / blocks * width + column;
      const int64_t row = segment * kRowsPerSegment;
      add_column_block(reduction, command.in.data + results.offset(1, result) * size, size, row,
                       std::min(rows, row + kRowsPerSegment), std::min(kColumns, width - column),
                       partial.data() + segment * results.count + result);
    }
  });
  workers.parallel_for(results.count, 4096, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) {
      ReduceState total;
      for (int64_t s = 0; s < segments; ++s) {
        total.value += partial[static_cast<size_t>(s * results.count + r)];
      }
      reduction.store(r, total);
    }
  });
}

}  // namespace

void run(const Reduce& command, Workers& workers) {
  const Prepared reduction(command);
  if (reduction.results() == 0) return;
  if (sums_columns(command, reduction)) {
    run_columns(command, reduction, workers);
  } else {
    run_general(reduction, workers);
  }
}

}  // namespace npu::davinci
