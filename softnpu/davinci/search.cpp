// SPDX-License-Identifier: Apache-2.0
// Binary search, and elements by their rank.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/lines.h"
#include "softnpu/davinci/radix_sort.h"
#include "softnpu/davinci/statistics.h"

namespace npu::davinci {
namespace {

constexpr int64_t kTaskElements = 1 << 12;

// How many steps forward in a sorted row, halving it as PyTorch's search does, so that a row that
// is not sorted gives the same. Written without branches: which way it goes cannot be predicted.
template <class T, bool right, class At>
int64_t place_in(int64_t n, T value, At at) {
  int64_t begin = 0;
  while (n > 0) {
    const int64_t half = n >> 1;
    const T element = at(begin + half);
    const int64_t forward = right ? !(element > value) : !(element >= value);
    begin += (half + 1) & -forward;
    n = half - (forward & ~n & 1);
  }
  return begin;
}

template <class T, class Out, bool right>
void search_rows(const SearchSorted& command, const Nest& nest, Workers& workers) {
  const TensorView& sorted = command.sorted;
  const int64_t n = sorted.dims[1], rows = sorted.dims[0];
  const int64_t in_row = rows == 1 ? nest.count : nest.count / rows;
  const auto* order = command.sorter.defined() ? command.sorter.as<int64_t>() : nullptr;
  workers.parallel_for(nest.count, kTaskElements, [&](int64_t begin, int64_t end, int) {
    int64_t next = begin;
    std::array<T, kTaskElements> values;
    T* to = values.data();
    for_each_run(nest, 0, begin, end - begin, [&](int64_t offset, int64_t stride, int64_t run) {
      for (int64_t i = 0; i < run; ++i) *to++ = command.values.as<T>()[offset + i * stride];
    });
    const T* from = values.data();
    for_each_run(nest, 1, begin, end - begin, [&](int64_t offset, int64_t stride, int64_t run) {
      for (int64_t i = 0; i < run; ++i, ++next) {
        const int64_t row = next / in_row * n;
        const T* elements = sorted.as<T>() + row;
        const auto at = [&](int64_t k) {
          return order == nullptr ? elements[k] : elements[order[row + k]];
        };
        command.out.as<Out>()[offset + i * stride] =
            static_cast<Out>(place_in<T, right>(n, *from++, at));
      }
    });
  });
}

template <class T>
void search(const SearchSorted& command, Workers& workers) {
  const TensorView* views[] = {&command.values, &command.out};
  const Nest nest = make_nest(views, true);
  with_index_type(command.out.dtype, [&]<class Out>(const Out*) {
    command.right ? search_rows<T, Out, true>(command, nest, workers)
                  : search_rows<T, Out, false>(command, nest, workers);
  });
}

void check_sorter(const SearchSorted& command) {
  IndexCheck check;
  const auto* order = command.sorter.as<int64_t>();
  for (int64_t i = 0; i < command.sorter.numel(); ++i) {
    int64_t value = order[i];
    check.accept(i, value, command.sorted.dims[1], false);
  }
  check.finish("the sorted sequence");
}

// The k-th smallest key, and which of the equal ones it is. `keys` stay, `rest` is scratch.
struct Rank {
  uint64_t key = 0;
  int64_t among_equal = 0, equal = 0;
};

Rank kth_key(const std::vector<uint64_t>& keys, int64_t k, std::vector<uint64_t>& rest) {
  constexpr int kBits = 12;
  constexpr size_t kSmall = 1 << 11;
  rest = keys;
  int64_t below = k;  // in `rest`
  while (rest.size() > kSmall) {
    const auto [least, most] = std::minmax_element(rest.begin(), rest.end());
    const uint64_t low = *least, span = *most - low;
    if (span == 0) break;
    const int shift = std::max(0, static_cast<int>(std::bit_width(span)) - kBits);
    std::array<int64_t, 1 << kBits> count{};
    for (const uint64_t key : rest) ++count[(key - low) >> shift];
    size_t bucket = 0;
    for (; below >= count[bucket]; ++bucket) below -= count[bucket];
    size_t kept = 0;
    for (const uint64_t key : rest) {
      rest[kept] = key;
      kept += (key - low) >> shift == bucket;
    }
    rest.resize(kept);
    if (shift == 0) break;
  }
  const auto nth = rest.begin() + below;
  std::nth_element(rest.begin(), nth, rest.end());
  Rank rank;
  rank.key = *nth;
  rank.among_equal =
      below - std::count_if(rest.begin(), nth, [&](uint64_t key) { return key < rank.key; });
  rank.equal = std::count(rest.begin(), rest.end(), rank.key);
  return rank;
}

int64_t place_of(const std::vector<uint64_t>& keys, uint64_t key, int64_t among_equal) {
  auto place = std::find(keys.begin(), keys.end(), key);
  while (among_equal-- > 0) place = std::find(place + 1, keys.end(), key);
  return place - keys.begin();
}

// The place that PyTorch's quickselect leaves at rank k. Which of several equal elements that is
// follows from its exchanges: Hoare's partition around the median of three.
int64_t quickselect_place(std::vector<uint64_t> keys, int64_t k) {
  std::vector<int64_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  const auto exchange = [&](int64_t a, int64_t b) {
    std::swap(keys[static_cast<size_t>(a)], keys[static_cast<size_t>(b)]);
    std::swap(places[static_cast<size_t>(a)], places[static_cast<size_t>(b)]);
  };
  const auto key = [&](int64_t i) { return keys[static_cast<size_t>(i)]; };
  const auto order = [&](int64_t a, int64_t b) {
    if (key(a) > key(b)) exchange(a, b);
  };
  int64_t left = 0, right = std::ssize(keys) - 1;
  while (right > left + 1) {
    exchange((left + right) >> 1, left + 1);
    order(left + 1, right);
    order(left, right);
    order(left + 1, left);
    const uint64_t pivot = key(left);
    int64_t up = left + 1, down = right;
    while (true) {
      do ++up;
      while (pivot > key(up));
      do --down;
      while (key(down) > pivot);
      if (down < up) break;
      exchange(up, down);
    }
    exchange(left, down);
    if (down <= k) left = up;
    if (down >= k) right = down - 1;
  }
  if (right == left + 1) order(left, right);
  return places[static_cast<size_t>(k)];
}

class RankedLines {
 public:
  explicit RankedLines(const OrderStatistic& command)
      : command_(command), floating_(base::is_floating(command.in.dtype)) {
    const TensorView* views[] = {&command.in, &command.values, &command.indices};
    nest_ = nest_of_lines({views, command.indices.defined() ? 3u : 2u}, command.dim);
    length_ = command.in.dims[command.dim];
    stride_ = command.in.strides[command.dim];
    nan_ = nan_key(command.in.dtype);
  }

  void run(Workers& workers) const {
    if (nest_.count == 1) return run_one(workers);
    // Lines whose elements lie apart share cache lines with their neighbours.
    const int64_t together = stride_ == 1 ? 1 : 16;
    workers.parallel_for(
        nest_.count, std::max(together, line_grain(length_)), [&](int64_t begin, int64_t end, int) {
          std::vector<std::vector<uint64_t>> keys(static_cast<size_t>(together));
          for (auto& line : keys) line.resize(static_cast<size_t>(length_));
          std::vector<uint64_t> rest;
          for (int64_t first = begin; first < end; first += together) {
            const int64_t n = std::min(together, end - first);
            constexpr int64_t kPiece = 64;
            for (int64_t i = 0; i < length_; i += kPiece) {
              for (int64_t l = 0; l < n; ++l) {
                load(first + l, i, std::min(kPiece, length_ - i), keys[static_cast<size_t>(l)]);
              }
            }
            for (int64_t l = 0; l < n; ++l) {
              store(first + l, place(keys[static_cast<size_t>(l)], rest));
            }
          }
        });
  }

 private:
  void run_one(Workers& workers) const {
    std::vector<uint64_t> keys(static_cast<size_t>(length_)), rest;
    workers.parallel_for(length_, kTaskElements, [&](int64_t begin, int64_t end, int) {
      load(0, begin, end - begin, keys);
    });
    store(0, place(keys, rest));
  }

  void load(int64_t line, int64_t begin, int64_t n, std::vector<uint64_t>& keys) const {
    sort_keys(command_.in, nest_.offset(0, line) + begin * stride_, stride_, n, false,
              &keys[static_cast<size_t>(begin)]);
  }

  int64_t place(const std::vector<uint64_t>& keys, std::vector<uint64_t>& rest) const {
    if (command_.rule == OrderRule::kKth) {
      const Rank rank = kth_key(keys, command_.k, rest);
      return rank.equal == 1 ? place_of(keys, rank.key, 0) : quickselect_place(keys, command_.k);
    }
    int64_t numbers = length_;
    if (floating_) {
      const auto nan = std::find(keys.begin(), keys.end(), nan_);
      if (nan != keys.end() && command_.rule == OrderRule::kMedian) return nan - keys.begin();
      numbers -= std::count(nan, keys.end(), nan_);
    }
    if (numbers == 0) return first_of_equals();
    const Rank rank = kth_key(keys, (numbers - 1) / 2, rest);
    return place_of(keys, rank.key, rank.among_equal);
  }

  // What the standard library's selection leaves in front when nothing is less than anything.
  int64_t first_of_equals() const {
    std::vector<int64_t> places(static_cast<size_t>(length_));
    std::iota(places.begin(), places.end(), 0);
    std::nth_element(places.begin(), places.begin(), places.end(),
                     [](int64_t, int64_t) { return false; });
    return places.front();
  }

  void store(int64_t line, int64_t place) const {
    const size_t size = base::size_of(command_.in.dtype);
    const auto bytes = static_cast<int64_t>(size);
    copy_run(command_.values.data + nest_.offset(1, line) * bytes, 1,
             command_.in.data + (nest_.offset(0, line) + place * stride_) * bytes, 1, 1, size);
    if (command_.indices.defined()) {
      command_.indices.as<int64_t>()[nest_.offset(2, line)] = place;
    }
  }

  const OrderStatistic& command_;
  bool floating_;
  Nest nest_;
  int64_t length_ = 1, stride_ = 1;
  uint64_t nan_ = 0;
};

}  // namespace

void run(const SearchSorted& command, Workers& workers) {
  if (command.sorter.defined()) check_sorter(command);
  switch (command.values.dtype) {
    case DType::kFloat:
      return search<float>(command, workers);
    case DType::kDouble:
      return search<double>(command, workers);
    case DType::kInt32:
      return search<int32_t>(command, workers);
    default:
      return search<int64_t>(command, workers);
  }
}

void run(const OrderStatistic& command, Workers& workers) { RankedLines(command).run(workers); }

}  // namespace npu::davinci
