// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/embedding_bag.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/lines.h"

namespace npu::davinci {
namespace {

constexpr int64_t kTaskElements = 1 << 13;

void store_index(const TensorView& view, int64_t offset, int64_t value) {
  with_index_type(view.dtype,
                  [&]<class I>(const I*) { view.as<I>()[offset] = static_cast<I>(value); });
}

// T: the compute type, I: the indices'.
template <class T, class I>
class Bags {
 public:
  explicit Bags(const EmbeddingBag& command)
      : c_(command),
        bags_(command.out.dims[0]),
        width_(command.weight.dims[1]),
        size_(static_cast<int64_t>(base::size_of(command.weight.dtype))),
        indices_(command.indices.as<I>()),
        index_step_(command.indices.strides[0]),
        narrow_(kernels().convert_tile(command.out.dtype, kCompute)) {
    if (c_.weight.dtype != kCompute) widen_ = kernels().convert_tile(kCompute, c_.weight.dtype);
    read_offsets();
    if (!c_.sample_weights.defined()) return;
    const LineView line(c_.sample_weights, c_.indices.dims[0], c_.sample_weights.strides[0],
                        kCompute);
    factors_.resize(static_cast<size_t>(c_.indices.dims[0]));
    auto* buffer = reinterpret_cast<std::byte*>(factors_.data());
    const std::byte* found = line.load(0, buffer);
    if (found != buffer) std::memcpy(buffer, found, factors_.size() * sizeof(T));
  }

  void run(Workers& workers) {
    const int64_t in_bag = c_.indices.dims[0] / std::max<int64_t>(1, bags_) + 1;
    const int64_t grain = std::max<int64_t>(1, 4 * kTaskElements / (in_bag * (width_ + 1)));
    workers.parallel_for(bags_, grain, [&](int64_t begin, int64_t end, int) {
      std::vector<Entry> entries;
      for (int64_t b = begin; b < end; ++b) run_bag(b, entries);
    });
    check_.finish("the embedding's rows");
  }

 private:
  static constexpr DType kCompute = sizeof(T) == 8 ? DType::kDouble : DType::kFloat;
  static constexpr int64_t kPiece = 64;  // elements of a row that are summed together
  static constexpr size_t kAhead = 4;
  struct Entry {
    int64_t row;
    T factor;
  };

  void read_offsets() {
    const int64_t count = c_.indices.dims[0], last = c_.offsets.dims[0];
    begins_.resize(static_cast<size_t>(bags_) + 1);
    int64_t before = 0;
    for (int64_t b = 0; b <= bags_; ++b) {
      const bool given = b < bags_ || (c_.ends_at_last_offset && b < last);
      const int64_t begin = given ? index_at(c_.offsets, b * c_.offsets.strides[0]) : count;
      base::require(begin >= before && begin <= count && (b > 0 || begin == 0),
                    ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "offset ", begin, " at position ", b,
                    " is not right; offsets must start at 0, ascend, and not exceed the ", count,
                    " indices");
      before = begins_[static_cast<size_t>(b)] = begin;
    }
  }

  void run_bag(int64_t bag, std::vector<Entry>& entries) {
    entries.clear();
    for (int64_t p = begins_[static_cast<size_t>(bag)]; p < begins_[static_cast<size_t>(bag) + 1];
         ++p) {
      auto row = static_cast<int64_t>(indices_[p * index_step_]);
      if (!check_.accept(p, row, c_.weight.dims[0], false)) return;
      if (c_.offset2bag.defined()) store_index(c_.offset2bag, p * c_.offset2bag.strides[0], bag);
      if (row == c_.padding_idx) continue;
      entries.push_back({row, factors_.empty() ? T{1} : factors_[static_cast<size_t>(p)]});
    }
    const int64_t size = c_.mode == BagMode::kSum ? 0 : std::ssize(entries);
    if (c_.sizes.defined()) store_index(c_.sizes, bag * c_.sizes.strides[0], size);
    for (int64_t j = 0; j < width_; j += kPiece) {
      const int64_t n = std::min(kPiece, width_ - j);
      if (c_.mode == BagMode::kMax) {
        maximum(bag, j, n, entries);
      } else if (factors_.empty()) {
        sum<false>(bag, j, n, entries);
      } else {
        sum<true>(bag, j, n, entries);
      }
    }
    if (c_.mode != BagMode::kMax && c_.max_indices.defined()) {
      store_index(c_.max_indices, bag * c_.max_indices.strides[0], size);
    }
  }

  // Elements [j, j + n) of a weight row in the compute type: in place, or in `part`.
  const T* load(int64_t row, int64_t j, int64_t n, T* part) const {
    const int64_t step = c_.weight.strides[1];
    const std::byte* from = c_.weight.data + (row * c_.weight.strides[0] + j * step) * size_;
    alignas(64) std::byte raw[kPiece * 8];
    if (step != 1) {
      gather_run(widen_ == nullptr ? reinterpret_cast<std::byte*>(part) : raw, from, step, n,
                 static_cast<size_t>(size_));
      if (widen_ == nullptr) return part;
      from = raw;
    }
    if (widen_ == nullptr) return reinterpret_cast<const T*>(from);
    widen_(part, from, n);
    return part;
  }

  // Rows lie anywhere: asking for one early hides the way to memory.
  void prefetch(int64_t row, int64_t j, int64_t n) const {
    const int64_t step = c_.weight.strides[1];
    const std::byte* from = c_.weight.data + (row * c_.weight.strides[0] + j * step) * size_;
    for (int64_t i = 0; step == 1 && i < n * size_; i += 64) __builtin_prefetch(from + i);
  }

  void store(int64_t bag, int64_t j, int64_t n, const T* values) const {
    alignas(64) std::byte raw[kPiece * 8];
    narrow_(raw, values, n);
    std::byte* to = c_.out.data + (bag * c_.out.strides[0] + j * c_.out.strides[1]) * size_;
    scatter_run(to, raw, c_.out.strides[1], n, static_cast<size_t>(size_));
  }

  template <bool weighted>
  void sum(int64_t bag, int64_t j, int64_t n, const std::vector<Entry>& entries) const {
    alignas(64) T total[kPiece] = {}, part[kPiece];
    for (size_t k = 0; k < entries.size(); ++k) {
      const Entry& entry = entries[k];
      if (k + kAhead < entries.size()) prefetch(entries[k + kAhead].row, j, n);
      const T* row = load(entry.row, j, n, part);
      const auto add = [&](int64_t count) {
        for (int64_t i = 0; i < count; ++i) total[i] += weighted ? entry.factor * row[i] : row[i];
      };
      n == kPiece ? add(kPiece) : add(n);
    }
    if (c_.mode == BagMode::kMean && entries.size() > 1) {
      for (int64_t i = 0; i < n; ++i) total[i] /= static_cast<T>(entries.size());
    }
    store(bag, j, n, total);
  }

  // The first row of equal ones; what is no number stays only if it is first, as PyTorch's.
  void maximum(int64_t bag, int64_t j, int64_t n, const std::vector<Entry>& entries) const {
    using Place = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    alignas(64) T best[kPiece] = {}, part[kPiece];
    alignas(64) Place place[kPiece] = {};  // in `entries`
    for (size_t k = 0; k < entries.size(); ++k) {
      const T* row = load(entries[k].row, j, n, part);
      if (k == 0) std::copy_n(row, n, best);
      for (int64_t i = 0; i < n; ++i) {
        const T value = row[i];
        const bool takes = value > best[i];
        best[i] = takes ? value : best[i];
        place[i] = takes ? static_cast<Place>(k) : place[i];
      }
    }
    store(bag, j, n, best);
    if (!c_.max_indices.defined()) return;
    const TensorView& view = c_.max_indices;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = entries.empty() ? 0 : entries[static_cast<size_t>(place[i])].row;
      store_index(view, bag * view.strides[0] + (j + i) * view.strides[1], row);
    }
  }

  const EmbeddingBag& c_;
  int64_t bags_, width_, size_;
  const I* indices_;
  int64_t index_step_;
  ConvertTile widen_ = nullptr, narrow_;
  std::vector<int64_t> begins_;
  std::vector<T> factors_;
  IndexCheck check_;
};

double norm_from(const ReduceState& state, double p) {
  if (p == 2) return std::sqrt(state.value);
  if (p == 0 || p == 1 || std::isinf(p)) return state.value;
  return std::pow(state.value, 1 / p);
}

}  // namespace

void run(const EmbeddingBag& command, Workers& workers) {
  with_index_type(command.indices.dtype, [&]<class I>(const I*) {
    if (command.weight.dtype == DType::kDouble) {
      Bags<double, I>(command).run(workers);
    } else {
      Bags<float, I>(command).run(workers);
    }
  });
}

void run(const EmbeddingRenorm& command, Workers& workers) {
  const TensorView &weight = command.weight, &indices = command.indices;
  std::vector<uint8_t> used(static_cast<size_t>(weight.dims[0]));
  std::vector<int64_t> rows;
  IndexCheck check;
  for (int64_t p = 0; p < indices.dims[0]; ++p) {
    int64_t row = index_at(indices, p * indices.strides[0]);
    if (!check.accept(p, row, weight.dims[0], false)) continue;
    if (used[static_cast<size_t>(row)] == 0) rows.push_back(row);
    used[static_cast<size_t>(row)] = 1;
  }
  check.finish("the embedding's rows");
  const DType compute = compute_type(weight.dtype);
  const int64_t width = weight.dims[1];
  const LineView lines(weight, width, weight.strides[1], compute);
  Scratch scratch(workers, 2 * lines.line_bytes());
  const ReduceTile norm = kernels().reduce_tile(ReduceOp::kNorm, compute);
  const VectorTile multiply = kernels().vector_tile(VectorOp::kMul, compute);
  const ConvertTile from_double = kernels().convert_tile(compute, DType::kDouble);
  workers.parallel_for(std::ssize(rows), line_grain(width), [&](int64_t begin, int64_t end, int w) {
    std::byte* buffer = scratch.of(w);
    std::byte* factors = buffer + lines.line_bytes();
    for (int64_t r = begin; r < end; ++r) {
      const int64_t offset = rows[static_cast<size_t>(r)] * weight.strides[0];
      const std::byte* line = lines.load(offset, buffer);
      ReduceState state;
      for (int64_t i = 0; i < width; i += kTileElements) {
        norm(&state, line + i * static_cast<int64_t>(base::size_of(compute)),
             std::min<int64_t>(kTileElements, width - i), i, command.p);
      }
      const double length = norm_from(state, command.p);
      if (!(length > command.limit)) continue;
      constexpr double kEpsilon = 1e-7;  // PyTorch's
      const std::vector<double> factor(static_cast<size_t>(width),
                                       command.limit / (length + kEpsilon));
      from_double(factors, factor.data(), width);
      const ComputeScalar none[4] = {};
      std::byte* target = lines.target(offset, buffer);
      multiply(target, line, factors, nullptr, none, width);
      lines.store(offset, target);
    }
  });
}

}  // namespace npu::davinci
