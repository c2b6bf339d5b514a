// SPDX-License-Identifier: Apache-2.0
// gather and scatter. Lines along the indexed dimension never touch one another's elements, so each
// task owns a block of neighbouring lines and walks along them in order: scatter is deterministic.
#include <algorithm>
#include <array>

#include "softnpu/base/error.h"
#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kLines = 16;  // neighbours in a block
constexpr int64_t kTaskElements = 1 << 14;

struct Lines {
  Nest nest;  // operands: index, near (walked like the index), far (addressed by the index)
  int64_t length = 1;
  std::array<int64_t, 3> stride{1, 1, 1};
};

TensorView at_least_rank_1(TensorView view) {
  if (view.rank == 0) {
    view.rank = 1;
    view.dims[0] = view.strides[0] = 1;
  }
  return view;
}

// All three views over the index' dims, without `dim`.
Lines make_lines(const TensorView& index, const TensorView& near, const TensorView& far, int dim) {
  Lines lines;
  lines.length = index.dims[dim];
  std::array<TensorView, 3> views{index, near, far};
  for (size_t i = 0; i < 3; ++i) {
    lines.stride[i] = views[i].strides[dim];
    views[i].dims = index.dims;
    views[i].dims[dim] = 1;
  }
  const TensorView* pointers[] = {&views[0], &views[1], &views[2]};
  lines.nest = make_nest(pointers, true);
  return lines;
}

// f(near offset, far offset) for `n` elements of one line, which begins at `offsets`; `position`
// counts index elements.
template <class I, class F>
void walk_line(const I* index, const Lines& lines, const std::array<int64_t, 3>& offsets,
               int64_t position, int64_t bound, IndexCheck& check, F f) {
  const I* value_at = index + offsets[0];
  for (int64_t i = 0; i < lines.length; ++i) {
    auto value = static_cast<int64_t>(value_at[i * lines.stride[0]]);
    if (check.accept(position + i, value, bound, false)) {
      f(offsets[1] + i * lines.stride[1], offsets[2] + value * lines.stride[2]);
    }
  }
}

// f(near offset, far offset) for each index element, block by block: along the lines where their
// elements are neighbours, else across them.
template <class I, class F>
void for_each_typed_index(const I* index, const Lines& lines, int64_t bound, IndexCheck& check,
                          Workers& workers, F f) {
  const int64_t blocks = (lines.nest.count + kLines - 1) / kLines;
  const int64_t grain =
      std::max<int64_t>(1, kTaskElements / (kLines * std::max<int64_t>(1, lines.length)));
  workers.parallel_for(blocks, grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kLines, n = std::min(kLines, lines.nest.count - first);
      std::array<std::array<int64_t, 3>, kLines> offsets;
      for (int64_t l = 0; l < n; ++l) {
        for (int v = 0; v < 3; ++v) offsets[l][v] = lines.nest.offset(v, first + l);
      }
      if (lines.stride[0] == 1) {
        for (int64_t l = 0; l < n; ++l) {
          walk_line(index, lines, offsets[l], (first + l) * lines.length, bound, check, f);
        }
        continue;
      }
      for (int64_t i = 0; i < lines.length; ++i) {
        for (int64_t l = 0; l < n; ++l) {
          auto value = static_cast<int64_t>(index[offsets[l][0] + i * lines.stride[0]]);
          if (check.accept((first + l) * lines.length + i, value, bound, false)) {
            f(offsets[l][1] + i * lines.stride[1], offsets[l][2] + value * lines.stride[2]);
          }
        }
      }
    }
  });
}

template <class F>
void for_each_index(const TensorView& index, const Lines& lines, int64_t bound, IndexCheck& check,
                    Workers& workers, F f) {
  with_index_type(index.dtype, [&]<class I>(const I*) {
    for_each_typed_index(index.as<I>(), lines, bound, check, workers, f);
  });
}

}  // namespace

void run(const Gather& command, Workers& workers) {
  const TensorView index = at_least_rank_1(command.index), in = at_least_rank_1(command.in);
  const TensorView out = at_least_rank_1(command.out);
  const Lines lines = make_lines(index, out, in, command.dim);
  IndexCheck check;
  with_element(base::size_of(in.dtype), [&]<class T>(T) {
    for_each_index(
        index, lines, in.dims[command.dim], check, workers,
        [to = out.as<T>(), from = in.as<T>()](int64_t near, int64_t far) { to[near] = from[far]; });
  });
  check.finish(base::message("dimension ", command.dim).c_str());
}

void run(const Scatter& command, Workers& workers) {
  const TensorView index = at_least_rank_1(command.index), self = at_least_rank_1(command.self);
  const size_t size = base::size_of(self.dtype);
  const auto bytes = static_cast<int64_t>(size);
  TensorView src = at_least_rank_1(command.src);
  alignas(16) std::byte constant[16] = {};
  if (!command.src.defined()) {  // the scalar, in self's type, at every position
    const DType wide = base::is_floating(self.dtype) ? DType::kDouble : DType::kInt64;
    const void* value = wide == DType::kDouble ? static_cast<const void*>(&command.value.f)
                                               : static_cast<const void*>(&command.value.i);
    kernels().convert_tile(self.dtype, wide)(constant, value, 1);
    src = index;
    src.data = constant;
    src.strides.fill(0);
  }
  const Lines lines = make_lines(index, src, self, command.dim);
  const int64_t bound = self.dims[command.dim];
  IndexCheck check;
  if (command.op == ScatterOp::kSet) {
    with_element(size, [&]<class T>(T) {
      for_each_index(index, lines, bound, check, workers,
                     [to = self.as<T>(), from = src.as<T>()](int64_t near, int64_t far) {
                       to[far] = from[near];
                     });
    });
  } else {
    const Combine combine = command.op == ScatterOp::kAdd ? Combine::kAdd : Combine::kMultiply;
    if (self.dtype == DType::kFloat && combine == Combine::kAdd) {
      for_each_index(index, lines, bound, check, workers,
                     [to = self.as<float>(), from = src.as<float>()](int64_t near, int64_t far) {
                       to[far] += from[near];
                     });
    } else {
      for_each_index(index, lines, bound, check, workers, [&](int64_t near, int64_t far) {
        combine_run(self.dtype, combine, self.data + far * bytes, 1, src.data + near * bytes, 1, 1);
      });
    }
  }
  check.finish(base::message("dimension ", command.dim).c_str());
}

}  // namespace npu::davinci
