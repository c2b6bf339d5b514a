// SPDX-License-Identifier: Apache-2.0
// sort, topk and random permutations.
#include <algorithm>
#include <vector>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/lines.h"
#include "softnpu/davinci/radix_sort.h"

namespace npu::davinci {
namespace {

// The three views of a sort as lines along dim: operands in, values, indices.
struct SortedLines {
  Nest nest;
  int64_t length = 1, kept = 1;  // elements of an input and of an output line
  int64_t in_stride = 1, values_stride = 1, indices_stride = 1;
};

SortedLines make_lines(const TensorView& in, const TensorView& values, const TensorView& indices,
                       int dim, int64_t kept) {
  SortedLines lines;
  const TensorView* views[] = {&in, &values, &indices};
  lines.nest = nest_of_lines(views, dim);
  if (in.rank > 0) {
    lines.length = in.dims[dim];
    lines.in_stride = in.strides[dim];
    lines.values_stride = values.strides[dim];
    lines.indices_stride = indices.strides[dim];
  }
  lines.kept = kept;
  return lines;
}

bool comes_before(const KeyedIndex& a, const KeyedIndex& b) {
  return a.key != b.key ? a.key < b.key : a.index < b.index;
}

// The first k items in order, found through a small set of candidates: whatever is not below the
// set's k-th key cannot be among them.
void take_first(const std::vector<uint64_t>& keys, size_t k, std::vector<KeyedIndex>& best) {
  const size_t room = std::max<size_t>(2 * k, 256);
  best.clear();
  const auto cut = [&] {
    if (best.size() <= k) return;
    const auto last = best.begin() + static_cast<int64_t>(k);
    std::nth_element(best.begin(), last, best.end(), comes_before);
    best.resize(k);
  };
  bool full = false;
  uint64_t limit = 0;  // when full: a later item needs a smaller key
  for (size_t i = 0; i < keys.size() && k > 0; ++i) {
    if (full && keys[i] >= limit) continue;
    best.push_back({keys[i], static_cast<int64_t>(i)});
    if (best.size() < room) continue;
    cut();
    full = true;
    limit = std::max_element(best.begin(), best.end(), comes_before)->key;
  }
  cut();
  std::sort(best.begin(), best.end(), comes_before);
}

// Orders each line with `order(keys, items)`, then writes its first `kept` elements.
template <class Order>
void run_lines(const TensorView& in, const TensorView& values, const TensorView& indices,
               const SortedLines& lines, bool descending, Workers& workers, Order order) {
  const size_t size = base::size_of(in.dtype);
  const auto bytes = static_cast<int64_t>(size);
  const auto n = static_cast<size_t>(lines.length);
  workers.parallel_for(lines.nest.count, line_grain(lines.length), [&](int64_t b, int64_t e, int) {
    std::vector<uint64_t> keys(n);
    std::vector<KeyedIndex> items;
    for (int64_t line = b; line < e; ++line) {
      const int64_t from = lines.nest.offset(0, line);
      sort_keys(in, from, lines.in_stride, lines.length, descending, keys.data());
      order(keys, items);
      const int64_t to = lines.nest.offset(1, line), index_to = lines.nest.offset(2, line);
      for (int64_t i = 0; i < lines.kept; ++i) {
        const int64_t index = items[static_cast<size_t>(i)].index;
        copy_run(values.data + (to + i * lines.values_stride) * bytes, 1,
                 in.data + (from + index * lines.in_stride) * bytes, 1, 1, size);
        indices.as<int64_t>()[index_to + i * lines.indices_stride] = index;
      }
    }
  });
}

}  // namespace

void run(const Sort& command, Workers& workers) {
  const int64_t n = command.in.rank == 0 ? 1 : command.in.dims[command.dim];
  const SortedLines lines = make_lines(command.in, command.values, command.indices, command.dim, n);
  run_lines(command.in, command.values, command.indices, lines, command.descending, workers,
            [](const std::vector<uint64_t>& keys, std::vector<KeyedIndex>& items) {
              std::vector<KeyedIndex> other;
              items.resize(keys.size());
              for (size_t i = 0; i < keys.size(); ++i) {
                items[i] = {keys[i], static_cast<int64_t>(i)};
              }
              radix_sort(items, other);
            });
}

void run(const TopK& command, Workers& workers) {
  const SortedLines lines =
      make_lines(command.in, command.values, command.indices, command.dim, command.k);
  run_lines(command.in, command.values, command.indices, lines, command.largest, workers,
            [k = static_cast<size_t>(command.k)](const std::vector<uint64_t>& keys,
                                                 std::vector<KeyedIndex>& items) {
              take_first(keys, k, items);
            });
}

void run(const RandomPermutation& command, Workers& workers) {
  const TensorView& out = command.out;
  const int64_t n = out.numel();
  if (n == 0) return;
  // Sorting by 64 random bits: a tie, which would keep its order, is too rare to matter.
  std::vector<uint32_t> random(static_cast<size_t>(n + 1) / 2 * 4);
  kernels().philox(random.data(), command.seed, command.offset, (n + 1) / 2);
  std::vector<KeyedIndex> items(static_cast<size_t>(n)), other;
  for (size_t i = 0; i < items.size(); ++i) {
    items[i] = {static_cast<uint64_t>(random[2 * i]) << 32 | random[2 * i + 1],
                static_cast<int64_t>(i)};
  }
  radix_sort(items, other);
  const ConvertTile convert = kernels().convert_tile(out.dtype, DType::kInt64);
  const auto bytes = static_cast<int64_t>(base::size_of(out.dtype));
  for (int64_t i = 0; i < n; ++i) {
    convert(out.data + i * out.strides[0] * bytes, &items[static_cast<size_t>(i)].index, 1);
  }
}

}  // namespace npu::davinci
