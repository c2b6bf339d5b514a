// SPDX-License-Identifier: Apache-2.0
// index_select, advanced indexing and index_put.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "softnpu/base/error.h"
#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kTaskElements = 1 << 14;

// Both sides of an indexed access: for each index position, a slice of the indexed tensor meets a
// slice of the other one. Nests count positions (operand 0: other) and slice elements (operands:
// other, indexed).
struct Indexed {
  std::vector<int64_t> offsets;  // of the slice in the indexed tensor, one a position
  Nest positions, slice;
};

int64_t task_grain(const Indexed& indexed) {
  return std::max<int64_t>(1, kTaskElements / std::max<int64_t>(8, indexed.slice.count));
}

// Runs f(other offset, other stride, indexed offset, indexed stride, n) over the slice of a
// position.
template <class F>
void for_slice(const Indexed& indexed, int64_t position, F f) {
  const Nest& slice = indexed.slice;
  const int64_t other = indexed.positions.offset(0, position);
  const int64_t base = indexed.offsets[static_cast<size_t>(position)];
  const int64_t run = slice.dims[0];
  for (int64_t flat = 0; flat < slice.count; flat += run) {
    f(other + slice.offset(0, flat), slice.strides[0][0], base + slice.offset(1, flat),
      slice.strides[1][0], run);
  }
}

struct DimSplit {
  std::vector<int> indexed, sliced;
  bool adjacent = true;
};
DimSplit split_dims(const TensorView& self, const std::vector<TensorView>& indices) {
  DimSplit split;
  for (int d = 0; d < self.rank; ++d) {
    const bool is_indexed = d < static_cast<int>(indices.size()) && indices[d].defined();
    if (!is_indexed) {
      split.sliced.push_back(d);
      continue;
    }
    if (!split.indexed.empty() && split.indexed.back() != d - 1) split.adjacent = false;
    split.indexed.push_back(d);
  }
  return split;
}

// Adds one index tensor's part to the offsets, checking every value.
void add_offsets(const TensorView& index, int dim, const TensorView& self, Indexed& indexed,
                 Workers& workers) {
  const TensorView* views[] = {&index};
  const Nest nest = make_nest(views, true);
  IndexCheck check;
  workers.parallel_for(nest.count, kTaskElements, [&](int64_t begin, int64_t end, int) {
    with_index_type(index.dtype, [&]<class I>(const I*) {
      int64_t position = begin;
      for_each_run(nest, 0, begin, end - begin, [&](int64_t offset, int64_t stride, int64_t run) {
        for (int64_t i = 0; i < run; ++i, ++position) {
          auto value = static_cast<int64_t>(index.as<I>()[offset + i * stride]);
          if (check.accept(position, value, self.dims[dim], true)) {
            indexed.offsets[static_cast<size_t>(position)] += value * self.strides[dim];
          }
        }
      });
    });
  });
  check.finish(base::message("dimension ", dim).c_str());
}

Indexed prepare(const TensorView& self, const std::vector<TensorView>& indices,
                const TensorView& other, Workers& workers) {
  const DimSplit split = split_dims(self, indices);
  const TensorView& first = indices[static_cast<size_t>(split.indexed.front())];
  const int index_rank = first.rank;
  // Where the index dimensions stand in `other`: in place of the indexed ones if those are
  // neighbours, else in front.
  const int at = split.adjacent ? split.indexed.front() : 0;
  TensorView positions = other, other_slice = other, self_slice = self;
  positions.rank = static_cast<int8_t>(index_rank);
  for (int d = 0; d < index_rank; ++d) {
    positions.dims[d] = other.dims[at + d];
    positions.strides[d] = other.strides[at + d];
  }
  other_slice.rank = self_slice.rank = static_cast<int8_t>(split.sliced.size());
  for (int i = 0; i < other_slice.rank; ++i) {
    const int d = split.sliced[static_cast<size_t>(i)];
    const int from = i < at ? i : i + index_rank;
    self_slice.dims[i] = other_slice.dims[i] = self.dims[d];
    self_slice.strides[i] = self.strides[d];
    other_slice.strides[i] = other.strides[from];
  }
  Indexed indexed;
  const TensorView* position_views[] = {&positions};
  indexed.positions = make_nest(position_views, true);
  const TensorView* slice_views[] = {&other_slice, &self_slice};
  indexed.slice = make_nest(slice_views);
  indexed.offsets.assign(static_cast<size_t>(indexed.positions.count), 0);
  if (indexed.slice.count == 0) return indexed;
  for (int d : split.indexed) {
    add_offsets(indices[static_cast<size_t>(d)], d, self, indexed, workers);
  }
  return indexed;
}

// Every position names one element.
template <class T>
void read_elements(const T* self, const Indexed& indexed, T* out, Workers& workers) {
  workers.parallel_for(indexed.positions.count, kTaskElements,
                       [&](int64_t begin, int64_t end, int) {
                         const int64_t* source = indexed.offsets.data() + begin;
                         for_each_run(indexed.positions, 0, begin, end - begin,
                                      [&](int64_t offset, int64_t stride, int64_t run) {
                                        for (int64_t i = 0; i < run; ++i)
                                          out[offset + i * stride] = self[*source++];
                                      });
                       });
}

// A vector indexed by one tensor: out[i] = self[index[i]], without a table of offsets.
void read_vector(const TensorView& self, const TensorView& index, const TensorView& out,
                 Workers& workers) {
  const TensorView* views[] = {&index, &out};
  const Nest nest = make_nest(views, true);
  const int64_t bound = self.dims[0], step = self.strides[0];
  IndexCheck check;
  const auto read_run = [&]<class I, class T>(const I* from, int64_t stride, T* to,
                                              int64_t to_stride, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      auto value = static_cast<int64_t>(from[i * stride]);
      if (check.accept(first + i, value, bound, true)) {
        to[i * to_stride] = self.as<T>()[value * step];
      }
    }
  };
  with_index_type(index.dtype, [&]<class I>(const I*) {
    with_element(base::size_of(self.dtype), [&]<class T>(T) {
      workers.parallel_for(nest.count, kTaskElements, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin, n = 0; i < end; i += n) {
          n = std::min(end - i, nest.dims[0] - i % nest.dims[0]);
          read_run(index.as<I>() + nest.offset(0, i), nest.strides[0][0],
                   out.as<T>() + nest.offset(1, i), nest.strides[1][0], i, n);
        }
      });
    });
  });
  check.finish(base::message("dimension ", 0).c_str());
}

void read(const TensorView& self, const Indexed& indexed, const TensorView& out, Workers& workers) {
  if (indexed.slice.count == 1) {
    return with_element(base::size_of(self.dtype), [&]<class T>(T) {
      read_elements(self.as<T>(), indexed, out.as<T>(), workers);
    });
  }
  const size_t size = base::size_of(self.dtype);
  const auto bytes = static_cast<int64_t>(size);
  workers.parallel_for(
      indexed.positions.count, task_grain(indexed), [&](int64_t begin, int64_t end, int) {
        for (int64_t p = begin; p < end; ++p) {
          for_slice(indexed, p, [&](int64_t o, int64_t so, int64_t s, int64_t ss, int64_t n) {
            copy_run(out.data + o * bytes, so, self.data + s * bytes, ss, n, size);
          });
        }
      });
}

// Positions with the same target are handled by the same task, in order.
uint64_t owner_of(int64_t offset, uint64_t owners) {
  return (static_cast<uint64_t>(offset) * 0x9E3779B97F4A7C15ull >> 32) * owners >> 32;
}

// The positions [0, count) of each owner, in order: per tile of positions, one owner's after the
// other's. target(position) is the offset that decides, or negative for a position to leave out.
class Owners {
 public:
  template <class Target>
  Owners(int64_t count, int64_t owners, Workers& workers, Target target)
      : owners_(static_cast<size_t>(owners)),
        order_(static_cast<size_t>(count)),
        ends_(static_cast<size_t>((count + kTile - 1) / kTile) * (owners_ + 1)) {
    workers.parallel_for((count + kTile - 1) / kTile, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t t = begin; t < end; ++t) {
        sort_tile(t * kTile, std::min(kTile, count - t * kTile), target);
      }
    });
  }

  template <class F>
  void for_each(int64_t owner, F f) const {
    const auto tiles = static_cast<int64_t>(ends_.size() / (owners_ + 1));
    for (int64_t t = 0; t < tiles; ++t) {
      const uint32_t* end = ends_of(t) + owner;
      const uint32_t* order = &order_[static_cast<size_t>(t * kTile)];
      for (uint32_t i = owner == 0 ? 0 : end[-1]; i < *end; ++i) f(t * kTile + order[i]);
    }
  }

 private:
  static constexpr int64_t kTile = 1 << 13;

  const uint32_t* ends_of(int64_t tile) const {
    return &ends_[static_cast<size_t>(tile) * (owners_ + 1)];
  }

  template <class Target>
  void sort_tile(int64_t first, int64_t n, Target target) {
    uint32_t* ends = &ends_[static_cast<size_t>(first / kTile) * (owners_ + 1)];
    uint16_t owner[kTile];  // the last one has what is left out
    for (int64_t i = 0; i < n; ++i) {
      const int64_t offset = target(first + i);
      owner[i] = static_cast<uint16_t>(offset < 0 ? owners_ : owner_of(offset, owners_));
      ++ends[owner[i]];
    }
    uint32_t next = 0;
    for (size_t o = 0; o <= owners_; ++o) next += std::exchange(ends[o], next);
    uint32_t* order = &order_[static_cast<size_t>(first)];
    for (int64_t i = 0; i < n; ++i) order[ends[owner[i]]++] = static_cast<uint32_t>(i);
  }

  size_t owners_;
  std::vector<uint32_t> order_;  // within the tile
  std::vector<uint32_t> ends_;   // of each owner's part, per tile
};

int64_t owners_for(int64_t elements, const Workers& workers) {
  constexpr int kMost = 1 << 10;
  return elements < kTaskElements ? 1 : std::min(workers.size(), kMost);
}

// self[index[i]] = or += values[i] for vectors. False for types whose sums it does not know.
template <class I>
bool write_vector(const TensorView& self, const I* index, int64_t index_step,
                  const TensorView& values, bool accumulate, Workers& workers) {
  const int64_t count = values.dims[0], bound = self.dims[0];
  const int64_t step = self.strides[0], from_step = values.strides[0];
  const int64_t owners = owners_for(count, workers);
  IndexCheck check;
  const Owners owned(count, owners, workers, [&](int64_t p) {
    auto value = static_cast<int64_t>(index[p * index_step]);
    return check.accept(p, value, bound, true) ? value : -1;
  });
  check.finish(base::message("dimension ", 0).c_str());
  const auto write_all = [&](auto assign) {
    workers.parallel_for(owners, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t owner = begin; owner < end; ++owner) {
        owned.for_each(owner, [&](int64_t p) {
          const auto value = static_cast<int64_t>(index[p * index_step]);
          assign((value < 0 ? value + bound : value) * step, p * from_step);
        });
      }
    });
  };
  if (!accumulate) {
    with_element(base::size_of(self.dtype), [&]<class T>(T) {
      write_all(
          [to = self.as<T>(), from = values.as<T>()](int64_t s, int64_t v) { to[s] = from[v]; });
    });
    return true;
  }
  return with_number_type(self.dtype, [&]<class T>(const T*) {
    write_all([to = self.as<T>(), from = values.as<T>()](int64_t s, int64_t v) {
      to[s] = wrapping_sum(to[s], from[v]);
    });
  });
}

void write(const TensorView& self, const Indexed& indexed, const TensorView& values,
           bool accumulate, Workers& workers) {
  const size_t size = base::size_of(self.dtype);
  const auto bytes = static_cast<int64_t>(size);
  const int64_t total = indexed.positions.count * indexed.slice.count;
  const int64_t count = owners_for(total, workers);
  const Owners owners(indexed.positions.count, count, workers,
                      [&](int64_t p) { return indexed.offsets[static_cast<size_t>(p)]; });
  workers.parallel_for(count, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t owner = begin; owner < end; ++owner) {
      owners.for_each(owner, [&](int64_t p) {
        for_slice(indexed, p, [&](int64_t v, int64_t sv, int64_t s, int64_t ss, int64_t n) {
          std::byte* dst = self.data + s * bytes;
          const std::byte* src = values.data + v * bytes;
          if (accumulate) {
            combine_run(self.dtype, Combine::kAdd, dst, ss, src, sv, n);
          } else {
            copy_run(dst, ss, src, sv, n, size);
          }
        });
      });
    }
  });
}

}  // namespace

void run(const IndexSelect& command, Workers& workers) {
  const auto at_least_rank_1 = [](TensorView view) {
    if (view.rank == 0) view.rank = 1, view.dims[0] = view.strides[0] = 1;
    return view;
  };
  Index index;
  index.in = at_least_rank_1(command.in);
  index.out = at_least_rank_1(command.out);
  index.indices.resize(static_cast<size_t>(command.dim) + 1);
  index.indices.back() = at_least_rank_1(command.index);
  run(index, workers);
}

void run(const Index& command, Workers& workers) {
  if (command.in.rank == 1) {
    return read_vector(command.in, command.indices[0], command.out, workers);
  }
  const Indexed indexed = prepare(command.in, command.indices, command.out, workers);
  read(command.in, indexed, command.out, workers);
}

void run(const IndexPut& command, Workers& workers) {
  const TensorView& self = command.self;
  if (self.rank == 1 && command.values.rank == 1) {
    const TensorView& index = command.indices[0];
    bool done = false;
    with_index_type(index.dtype, [&]<class I>(const I*) {
      done = write_vector(self, index.as<I>(), index.strides[0], command.values, command.accumulate,
                          workers);
    });
    if (done) return;
  }
  const Indexed indexed = prepare(command.self, command.indices, command.values, workers);
  write(command.self, indexed, command.values, command.accumulate, workers);
}

}  // namespace npu::davinci
