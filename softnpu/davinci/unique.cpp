// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/unique.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/nest.h"
#include "softnpu/davinci/radix_sort.h"

namespace npu::davinci {
namespace {

using base::TensorView;
using base::Workers;

constexpr int64_t kTile = 1 << 13;

// Sort keys in row-major order.
template <class Key>
void load_keys(const TensorView& view, const Nest& nest, Key* keys, Workers& workers) {
  workers.parallel_for(nest.count, kTile, [&](int64_t begin, int64_t end, int) {
    Key* to = keys + begin;
    for_each_run(nest, 0, begin, end - begin, [&](int64_t offset, int64_t stride, int64_t run) {
      if constexpr (sizeof(Key) == 8) {
        sort_keys(view, offset, stride, run, false, to);
      } else {
        sort_keys(view, offset, stride, run, to);
      }
      to += run;
    });
  });
}

bool has_short_keys(const TensorView& view) { return base::size_of(view.dtype) <= 4; }

// Groups of `n` places, which lie so that groups are together: starts(place) says where one begins,
// order(place) is the element or slice there, keep(group, element) takes the first of each.
template <class Starts, class Order, class Keep>
int64_t group(const Unique& command, int64_t n, Workers& workers, Starts starts, Order order,
              Keep keep) {
  auto* inverse = command.inverse.defined() ? command.inverse.as<int64_t>() : nullptr;
  auto* counts = command.counts.defined() ? command.counts.as<int64_t>() : nullptr;
  const int64_t tiles = (n + kTile - 1) / kTile;
  // Before each tile: how many groups began, and where the last one did.
  std::vector<int64_t> first(static_cast<size_t>(tiles) + 1), last(first.size());
  const auto end_of = [n](int64_t tile) { return std::min(n, (tile + 1) * kTile); };
  workers.parallel_for(tiles, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = begin; t < end; ++t) {
      int64_t count = 0, start = end_of(t) - 1;
      for (int64_t i = t * kTile; i < end_of(t); ++i) count += starts(i);
      while (count > 0 && !starts(start)) --start;
      first[static_cast<size_t>(t) + 1] = count;
      last[static_cast<size_t>(t) + 1] = count > 0 ? start : 0;
    }
  });
  for (size_t t = 1; t < first.size(); ++t) {
    first[t] += first[t - 1];
    last[t] = std::max(last[t], last[t - 1]);
  }
  workers.parallel_for(tiles, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = begin; t < end; ++t) {
      int64_t g = first[static_cast<size_t>(t)] - 1, start = last[static_cast<size_t>(t)];
      for (int64_t i = t * kTile; i < end_of(t); ++i) {
        const int64_t index = order(i);
        if (starts(i)) {
          if (counts != nullptr && g >= 0) counts[g] = i - start;
          start = i;
          keep(++g, index);
        }
        if (inverse != nullptr) inverse[index] = g;
      }
    }
  });
  const int64_t groups = first.back();
  if (counts != nullptr && groups > 0) counts[groups - 1] = n - last.back();
  return groups;
}

// Runs of equal neighbours in memory without gaps; false for types that C does not have.
bool unique_runs(const Unique& command, Workers& workers, int64_t& groups) {
  const int64_t n = command.in.numel();
  return with_number_type(command.in.dtype, [&]<class T>(const T*) {
    const T* in = command.in.as<T>();
    T* values = command.values.as<T>();
    groups = group(
        command, n, workers, [in](int64_t i) { return i == 0 || !(in[i] == in[i - 1]); },
        [](int64_t i) { return i; }, [in, values](int64_t g, int64_t i) { values[g] = in[i]; });
  });
}

template <class Key>
int64_t unique_elements(const Unique& command, Workers& workers, std::byte* workspace) {
  const TensorView& in = command.in;
  const TensorView* views[] = {&in};
  const Nest nest = make_nest(views, true);
  const int64_t n = nest.count;
  const bool floating = base::is_floating(in.dtype), flat = nest.is_flat(0);
  const auto nan = static_cast<Key>(nan_key(in.dtype));
  int64_t groups = 0;
  if (command.consecutive && flat && unique_runs(command, workers, groups)) return groups;
  SortedKeys<Key> sorted{reinterpret_cast<Key*>(workspace), nullptr};
  load_keys(in, nest, sorted.keys, workers);
  if (!command.consecutive) {
    SortedKeys<Key> spare{sorted.keys + n, nullptr};
    sorted.order = reinterpret_cast<uint32_t*>(spare.keys + n);
    spare.order = sorted.order + n;
    sorted = radix_order(n, sorted, spare, workers);
  }
  const auto starts = [&](int64_t i) {
    return i == 0 || sorted.keys[i] != sorted.keys[i - 1] || (floating && sorted.keys[i] == nan);
  };
  with_element(base::size_of(in.dtype), [&]<class T>(T) {
    const auto keep = [&](int64_t g, int64_t index) {
      command.values.as<T>()[g] = in.as<T>()[flat ? index : nest.offset(0, index)];
    };
    if (command.consecutive) {
      groups = group(command, n, workers, starts, [](int64_t i) { return i; }, keep);
    } else {
      groups = group(
          command, n, workers, starts,
          [&](int64_t i) { return static_cast<int64_t>(sorted.order[i]); }, keep);
    }
  });
  return groups;
}

// The slices along a dimension as rows of keys.
struct Rows {
  std::vector<uint64_t> keys;
  int64_t count = 0, width = 0;
  uint64_t nan = 0;  // no key if the type has none
  bool has_nan = false;

  const uint64_t* row(int64_t r) const { return keys.data() + r * width; }
  bool same(int64_t a, int64_t b) const {
    for (int64_t i = 0; i < width; ++i) {
      if (row(a)[i] != row(b)[i] || (has_nan && row(a)[i] == nan)) return false;
    }
    return true;
  }
  // As PyTorch's: a NaN is neither less nor greater.
  bool less(int64_t a, int64_t b, int64_t from = 0) const {
    for (int64_t i = from; i < width; ++i) {
      const uint64_t x = row(a)[i], y = row(b)[i];
      if (x == y || (has_nan && (x == nan || y == nan))) continue;
      return x < y;
    }
    return false;
  }
};

TensorView rows_first(TensorView view, int dim) {
  std::rotate(view.dims.begin(), view.dims.begin() + dim, view.dims.begin() + dim + 1);
  std::rotate(view.strides.begin(), view.strides.begin() + dim, view.strides.begin() + dim + 1);
  return view;
}

Rows make_rows(const Unique& command, Workers& workers) {
  const TensorView in = rows_first(command.in, command.dim);
  const TensorView* views[] = {&in};
  Rows rows;
  rows.count = in.dims[0];
  rows.width = in.numel() / in.dims[0];
  rows.nan = nan_key(in.dtype);
  rows.keys.resize(static_cast<size_t>(in.numel()));
  load_keys(in, make_nest(views, true), rows.keys.data(), workers);
  rows.has_nan = base::is_floating(in.dtype) &&
                 std::find(rows.keys.begin(), rows.keys.end(), rows.nan) != rows.keys.end();
  return rows;
}

std::vector<int64_t> ascending(const Rows& rows) {
  std::vector<int64_t> order(static_cast<size_t>(rows.count));
  std::iota(order.begin(), order.end(), 0);
  if (rows.has_nan) {  // not an order then: the result is the algorithm's, PyTorch's own
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return rows.less(a, b); });
    return order;
  }
  // By the first element at once, then what is equal there.
  std::vector<KeyedIndex> items(order.size()), other;
  for (size_t r = 0; r < items.size(); ++r) {
    items[r] = {*rows.row(static_cast<int64_t>(r)), static_cast<int64_t>(r)};
  }
  radix_sort(items, other);
  for (size_t i = 0; i < items.size(); ++i) order[i] = items[i].index;
  for (size_t begin = 0, end = 0; begin < items.size() && rows.width > 1; begin = end) {
    while (end < items.size() && items[end].key == items[begin].key) ++end;
    std::stable_sort(order.begin() + static_cast<int64_t>(begin),
                     order.begin() + static_cast<int64_t>(end),
                     [&](int64_t a, int64_t b) { return rows.less(a, b, 1); });
  }
  return order;
}

// Copies the chosen slices, packed.
void store_slices(const Unique& command, const std::vector<int64_t>& chosen, Workers& workers) {
  const size_t size = base::size_of(command.in.dtype);
  const auto bytes = static_cast<int64_t>(size), groups = std::ssize(chosen);
  TensorView out = command.in;  // as it is packed
  out.data = command.values.data;
  out.dims[command.dim] = groups;
  for (int64_t i = out.rank - 1, stride = 1; i >= 0; stride *= out.dims[i], --i) {
    out.strides[i] = stride;
  }
  TensorView in_slice = command.in, out_slice = out;
  in_slice.dims[command.dim] = out_slice.dims[command.dim] = 1;
  const TensorView* views[] = {&out_slice, &in_slice};
  const Nest nest = make_nest(views);
  const int64_t to_step = out.strides[command.dim], from_step = command.in.strides[command.dim];
  const int64_t run = nest.dims[0];
  workers.parallel_for(
      groups, std::max<int64_t>(1, kTile / nest.count), [&](int64_t begin, int64_t end, int) {
        for (int64_t g = begin; g < end; ++g) {
          for (int64_t flat = 0; flat < nest.count; flat += run) {
            const int64_t to = g * to_step + nest.offset(0, flat);
            const int64_t from = chosen[static_cast<size_t>(g)] * from_step + nest.offset(1, flat);
            copy_run(out.data + to * bytes, nest.strides[0][0], command.in.data + from * bytes,
                     nest.strides[1][0], run, size);
          }
        }
      });
}

int64_t unique_slices(const Unique& command, Workers& workers) {
  const Rows rows = make_rows(command, workers);
  std::vector<int64_t> order;
  if (!command.consecutive) order = ascending(rows);
  const auto at = [&](int64_t i) { return order.empty() ? i : order[static_cast<size_t>(i)]; };
  std::vector<int64_t> chosen(static_cast<size_t>(rows.count));
  const int64_t groups = group(
      command, rows.count, workers,
      [&](int64_t i) { return i == 0 || !rows.same(at(i), at(i - 1)); }, at,
      [&](int64_t g, int64_t index) { chosen[static_cast<size_t>(g)] = index; });
  chosen.resize(static_cast<size_t>(groups));
  store_slices(command, chosen, workers);
  return groups;
}

}  // namespace

size_t workspace_bytes(const Unique& command) {
  if (command.dim >= 0) return 0;
  const size_t key = has_short_keys(command.in) ? sizeof(uint32_t) : sizeof(uint64_t);
  const size_t each = command.consecutive ? key : 2 * (key + sizeof(uint32_t));
  return each * static_cast<size_t>(command.in.numel());
}

void run(const Unique& command, Workers& workers, std::byte* workspace) {
  int64_t groups = 0;
  if (command.dim >= 0) {
    groups = unique_slices(command, workers);
  } else if (has_short_keys(command.in)) {
    groups = unique_elements<uint32_t>(command, workers, workspace);
  } else {
    groups = unique_elements<uint64_t>(command, workers, workspace);
  }
  command.selected->store(groups, std::memory_order_release);
}

}  // namespace npu::davinci
