// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/select.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

using base::DType;
using base::TensorView;
using base::Workers;

// Elements that one worker takes at a time. Where a tile's results go depends on the tiles before
// it, so a first pass counts and a second one writes: the order never depends on the workers.
constexpr int64_t kTile = 8192;

using Pair = std::array<uint64_t, 2>;  // complex128

/// Calls f with a null pointer to a type of the element's size: selecting only moves bits.
template <class F>
void with_bits(size_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(static_cast<uint8_t*>(nullptr));
    case 2:
      return f(static_cast<uint16_t*>(nullptr));
    case 4:
      return f(static_cast<uint32_t*>(nullptr));
    case 8:
      return f(static_cast<uint64_t*>(nullptr));
    default:
      return f(static_cast<Pair*>(nullptr));
  }
}

/// Bits of an element that are not zero in anything but zero: -0.0 is zero, too.
uint64_t value_bits(DType dtype) {
  const size_t bits = base::size_of(dtype) * 8;
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  return base::is_floating(dtype) ? all >> 1 : all;
}

/// flags[i] = view[begin + i] != 0 for n flat indices of the nest. Not for complex elements.
void load_flags(const Nest& nest, int operand, const TensorView& view, int64_t begin, int64_t n,
                uint8_t* flags) {
  with_bits(base::size_of(view.dtype), [&]<class T>(T*) {
    if constexpr (!std::is_same_v<T, Pair>) {
      const T mask = static_cast<T>(value_bits(view.dtype));
      for_each_run(nest, operand, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
        const T* from = view.as<T>() + offset;
        for (int64_t i = 0; i < run; ++i) flags[i] = (from[i * stride] & mask) != 0;
        flags += run;
      });
    }
  });
}

/// Calls write(begin, n, flags, first) for each tile; `first` counts what was selected before it.
template <class Write>
int64_t select(const Nest& nest, int operand, const TensorView& view, Workers& workers,
               Write write) {
  const int64_t tiles = (nest.count + kTile - 1) / kTile;
  std::vector<int64_t> first(static_cast<size_t>(tiles) + 1);
  const auto length = [&](int64_t tile) { return std::min(kTile, nest.count - tile * kTile); };
  workers.parallel_for(tiles, 1, [&](int64_t begin, int64_t end, int) {
    uint8_t flags[kTile];
    for (int64_t tile = begin; tile < end; ++tile) {
      load_flags(nest, operand, view, tile * kTile, length(tile), flags);
      first[static_cast<size_t>(tile) + 1] =
          std::count_if(flags, flags + length(tile), [](uint8_t flag) { return flag != 0; });
    }
  });
  for (int64_t tile = 0; tile < tiles; ++tile) {
    first[static_cast<size_t>(tile) + 1] += first[static_cast<size_t>(tile)];
  }
  workers.parallel_for(tiles, 1, [&](int64_t begin, int64_t end, int) {
    uint8_t flags[kTile];
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t at = first[static_cast<size_t>(tile)];
      if (at == first[static_cast<size_t>(tile) + 1]) continue;
      load_flags(nest, operand, view, tile * kTile, length(tile), flags);
      write(tile * kTile, length(tile), flags, at, first.back());
    }
  });
  return first.back();
}

template <class T>
void pack(const Nest& nest, const TensorView& in, int64_t begin, int64_t n, const uint8_t* flags,
          T* out, int64_t out_stride) {
  for_each_run(nest, 0, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
    const T* from = in.as<T>() + offset;
    for (int64_t i = 0; i < run; ++i) {
      if (flags[i] == 0) continue;
      *out = from[i * stride];
      out += out_stride;
    }
    flags += run;
  });
}

}  // namespace

void run(const MaskedSelect& command, Workers& workers) {
  const TensorView &in = command.in, &out = command.out;
  const TensorView* views[] = {&in, &command.mask};
  const Nest nest = make_nest(views, /*keep_order=*/true);
  const int64_t count = select(
      nest, 1, command.mask, workers,
      [&](int64_t begin, int64_t n, const uint8_t* flags, int64_t first, int64_t) {
        with_bits(base::size_of(in.dtype), [&]<class T>(T*) {
          pack(nest, in, begin, n, flags, out.as<T>() + first * out.strides[0], out.strides[0]);
        });
      });
  command.selected->store(count, std::memory_order_release);
}

void run(const Nonzero& command, Workers& workers) {
  const TensorView& in = command.in;
  const TensorView* views[] = {&in};
  const Nest nest = make_nest(views, /*keep_order=*/true);
  auto* out = command.out.as<int64_t>();
  const int64_t count = select(
      nest, 0, in, workers,
      [&](int64_t begin, int64_t n, const uint8_t* flags, int64_t first, int64_t total) {
        for (int64_t i = 0; i < n; ++i) {
          if (flags[i] == 0) continue;
          int64_t rest = begin + i;
          for (int d = in.rank - 1; d >= 0; --d) {
            out[command.by_column ? first * in.rank + d : d * total + first] = rest % in.dims[d];
            rest /= in.dims[d];
          }
          ++first;
        }
      });
  command.selected->store(count, std::memory_order_release);
}

void run(const MaskedScatter& command, Workers& workers) {
  const TensorView &self = command.self, &source = command.source;
  const TensorView* views[] = {&self, &command.mask};
  const Nest nest = make_nest(views, /*keep_order=*/true);
  const int64_t available = source.dims[0], step = source.strides[0];
  const int64_t count =
      select(nest, 1, command.mask, workers,
             [&](int64_t begin, int64_t n, const uint8_t* flags, int64_t first, int64_t total) {
               if (total > available) return;
               with_bits(base::size_of(self.dtype), [&]<class T>(T*) {
                 const T* from = source.as<T>() + first * step;
                 for_each_run(nest, 0, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
                   T* to = self.as<T>() + offset;
                   for (int64_t i = 0; i < run; ++i) {
                     if (flags[i] == 0) continue;
                     to[i * stride] = *from;
                     from += step;
                   }
                   flags += run;
                 });
               });
             });
  base::require(count <= available, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "mask has ", count,
                " true elements; source has only ", available);
}

void run(const RepeatIndices& command, Workers& workers) {
  const TensorView &repeats = command.repeats, &out = command.out;
  const int64_t count = repeats.dims[0], step = repeats.strides[0];
  const int64_t tiles = (count + kTile - 1) / kTile;
  std::vector<int64_t> first(static_cast<size_t>(tiles) + 1);
  IndexCheck check;
  with_index_type(repeats.dtype, [&]<class R>(const R*) {
    const R* times = repeats.as<R>();
    workers.parallel_for(tiles, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t t = begin; t < end; ++t) {
        int64_t sum = 0;
        for (int64_t i = t * kTile; i < std::min(count, (t + 1) * kTile); ++i) {
          if (times[i * step] < 0) check.note(i, times[i * step], 0);
          sum += times[i * step];
        }
        first[static_cast<size_t>(t) + 1] = sum;
      }
    });
    if (const auto bad = check.first()) {
      base::fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "repeats has the negative value ", bad->value,
                 " at position ", bad->position);
    }
    for (size_t t = 1; t < first.size(); ++t) first[t] += first[t - 1];
    base::require(first.back() == out.dims[0], ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                  "repeats has the sum ", first.back(), "; the result has room for ", out.dims[0]);
    with_index_type(out.dtype, [&]<class I>(const I*) {
      workers.parallel_for(tiles, 1, [&](int64_t begin, int64_t end, int) {
        for (int64_t t = begin; t < end; ++t) {
          I* to = out.as<I>() + first[static_cast<size_t>(t)] * out.strides[0];
          for (int64_t i = t * kTile; i < std::min(count, (t + 1) * kTile); ++i) {
            for (R k = 0; k < times[i * step]; ++k, to += out.strides[0]) *to = static_cast<I>(i);
          }
        }
      });
    });
  });
}

}  // namespace npu::davinci
