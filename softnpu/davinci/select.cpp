// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/select.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

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

}  // namespace npu::davinci
