// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/reduce_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace npu::davinci {
namespace {

constexpr int64_t kLongSegment = 1 << 15;
// Neighbouring results that share cache lines: short segments, so that the lines stay in cache
// until the last of the neighbours has read its part.
constexpr int64_t kSharedSegment = 1 << 11;

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

}  // namespace

void ReducePlan::merge(ReduceState& into, const ReduceState& from) const {
  if (from.count == 0) return;
  if (into.count == 0) {
    into = from;
    return;
  }
  switch (command_.op) {
    case ReduceOp::kMax:
    case ReduceOp::kArgMax:
      merge_extremum(true, floating_, into, from);
      break;
    case ReduceOp::kMin:
    case ReduceOp::kArgMin:
      merge_extremum(false, floating_, into, from);
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
      if (std::isinf(command_.parameter)) {
        merge_extremum(command_.parameter > 0, true, into, from);
        break;
      }
      [[fallthrough]];
    default:
      into.value += from.value;
      into.integer += from.integer;
  }
  into.count += from.count;
}

ReducePlan::ReducePlan(const Reduce& command)
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
  const bool integer_result = command.op == ReduceOp::kAny || command.op == ReduceOp::kAll ||
                              command.op == ReduceOp::kArgMax || command.op == ReduceOp::kArgMin ||
                              command.op == ReduceOp::kCountNonzero ||
                              (!floating_ && command.op != ReduceOp::kMean);
  result_type_ = integer_result ? DType::kInt64 : DType::kDouble;
}

void ReducePlan::add_segment(int64_t result, int64_t segment, ReduceState& state) const {
  alignas(64) std::byte raw[kTileElements * 8], buffer[kTileElements * 8];
  const std::byte* base = command_.in.data + results_.offset(1, result) * size_;
  const int64_t end = std::min(elements_.count, (segment + 1) * segment_);
  // Long runs are read in place: tiles then end where runs do.
  const int64_t run = elements_.strides[0][0] == 1 ? elements_.dims[0] : 1;
  for (int64_t t = segment * segment_, n = 0; t < end; t += n) {
    n = std::min<int64_t>(kTileElements, end - t);
    const std::byte* source = raw;
    if (run >= kTileElements / 4 || (run > 1 && elements_.rank == 1)) {
      n = std::min(n, run - t % run);
      source = base + elements_.offset(0, t) * size_;
    } else {
      std::byte* to = raw;
      for_each_run(elements_, 0, t, n, [&](int64_t offset, int64_t stride, int64_t length) {
        gather_run(to, base + offset * size_, stride, length, static_cast<size_t>(size_));
        to += length * size_;
      });
    }
    if (convert_ != nullptr) {
      convert_(buffer, source, n);
      source = buffer;
    }
    tile_(&state, source, n, t, command_.parameter);
  }
}

void ReducePlan::store(int64_t result, const ReduceState& state) const {
  const double real = real_result(state);
  const int64_t integer = integer_result(state);
  const void* value = result_type_ == DType::kInt64 ? static_cast<const void*>(&integer) : &real;
  const auto out_size = static_cast<int64_t>(base::size_of(command_.out.dtype));
  std::byte* to = command_.out.data + results_.offset(0, result) * out_size;
  kernels().convert_tile(command_.out.dtype, result_type_)(to, value, 1);
  if (command_.indices.defined()) {
    command_.indices.as<int64_t>()[results_.offset(2, result)] = state.index;
  }
}

void ReducePlan::store_run(int64_t begin, int64_t n, const std::byte* values, DType type) const {
  const ConvertTile convert = kernels().convert_tile(command_.out.dtype, type);
  const auto out_size = static_cast<int64_t>(base::size_of(command_.out.dtype));
  const auto value_size = static_cast<int64_t>(base::size_of(type));
  alignas(64) std::byte raw[kTileElements * 8];
  for (int64_t t = 0; t < n; t += kTileElements) {
    const int64_t count = std::min<int64_t>(kTileElements, n - t);
    convert(raw, values + t * value_size, count);
    const std::byte* from = raw;
    for_each_run(results_, 0, begin + t, count, [&](int64_t offset, int64_t stride, int64_t run) {
      scatter_run(command_.out.data + offset * out_size, from, stride, run,
                  static_cast<size_t>(out_size));
      from += run * out_size;
    });
  }
}

// The tile that also keeps the index is the arg form of the same operator.
ReduceOp ReducePlan::tile_op() const {
  if (!with_index_) return command_.op;
  if (command_.op == ReduceOp::kMax) return ReduceOp::kArgMax;
  if (command_.op == ReduceOp::kMin) return ReduceOp::kArgMin;
  return command_.op;
}

double ReducePlan::real_result(const ReduceState& s) const {
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

int64_t ReducePlan::integer_result(const ReduceState& s) const {
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

}  // namespace npu::davinci
