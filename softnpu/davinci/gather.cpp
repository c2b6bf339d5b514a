// SPDX-License-Identifier: Apache-2.0
// gather and scatter. Lines along the indexed dimension never touch one another's elements, so each
// task owns neighbouring lines and walks along them in order: scatter is deterministic.
#include <algorithm>
#include <array>
#include <type_traits>

#include "softnpu/base/error.h"
#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kLines = 128;  // neighbours that are walked together
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

// f(near offset, far offset) for each index element of the lines [first, first + n), which are
// neighbours in the nest's innermost dimension.
template <class I, class F>
void walk_lines(const I* index, const Lines& lines, int64_t first, int64_t n, int64_t bound,
                IndexCheck& check, F f) {
  const int64_t length = lines.length;
  const auto [step, near_step, far_step] = lines.stride;
  const auto& strides = lines.nest.strides;
  const int64_t next = strides[0][0], near_next = strides[1][0], far_next = strides[2][0];
  const int64_t near_base = lines.nest.offset(1, first), far_base = lines.nest.offset(2, first);
  index += lines.nest.offset(0, first);
  const auto visit = [&](int64_t l, int64_t i) {
    auto value = static_cast<int64_t>(index[l * next + i * step]);
    if (check.accept((first + l) * length + i, value, bound, false)) {
      f(near_base + l * near_next + i * near_step, far_base + l * far_next + value * far_step);
    }
  };
  if (step == 1 || n == 1) {  // the memory's order is along the lines
    for (int64_t l = 0; l < n; ++l) {
      for (int64_t i = 0; i < length; ++i) visit(l, i);
    }
  } else {
    for (int64_t i = 0; i < length; ++i) {
      for (int64_t l = 0; l < n; ++l) visit(l, i);
    }
  }
}

template <class I, class F>
void for_each_typed_index(const I* index, const Lines& lines, int64_t bound, IndexCheck& check,
                          Workers& workers, F f) {
  const int64_t count = lines.nest.count, row = lines.nest.dims[0];
  const int64_t grain = std::max(kLines, kTaskElements / std::max<int64_t>(1, lines.length));
  workers.parallel_for(count, grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t line = begin, n = 0; line < end; line += n) {
      n = std::min({kLines, end - line, row - line % row});
      walk_lines(index, lines, line, n, bound, check, f);
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

template <class T>
T combined(ScatterOp op, T a, T b) {
  switch (op) {
    case ScatterOp::kAdd:
      return wrapping_sum(a, b);
    case ScatterOp::kMultiply:
      return wrapping_product(a, b);
    case ScatterOp::kMax:
      return b != b || a < b ? b : a;  // no number wins; it also stays, as nothing is above it
    case ScatterOp::kMin:
      return b != b || b < a ? b : a;
    default:
      return b;
  }
}

template <class T>
void combine_along(const Scatter& command, const TensorView& index, const Lines& lines, T* to,
                   const T* from, int64_t bound, IndexCheck& check, Workers& workers) {
  const auto along = [&]<ScatterOp op>(std::integral_constant<ScatterOp, op>) {
    for_each_index(index, lines, bound, check, workers, [to, from](int64_t near, int64_t far) {
      to[far] = combined(op, to[far], from[near]);
    });
  };
  switch (command.op) {
    case ScatterOp::kAdd:
      return along(std::integral_constant<ScatterOp, ScatterOp::kAdd>());
    case ScatterOp::kMultiply:
      return along(std::integral_constant<ScatterOp, ScatterOp::kMultiply>());
    case ScatterOp::kMax:
      return along(std::integral_constant<ScatterOp, ScatterOp::kMax>());
    default:
      return along(std::integral_constant<ScatterOp, ScatterOp::kMin>());
  }
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
    return check.finish(base::message("dimension ", command.dim).c_str());
  }
  const bool done = with_number_type(self.dtype, [&]<class T>(const T*) {
    combine_along(command, index, lines, self.as<T>(), src.as<T>(), bound, check, workers);
  });
  if (!done) {
    const Combine combine = command.op == ScatterOp::kAdd ? Combine::kAdd : Combine::kMultiply;
    for_each_index(index, lines, bound, check, workers, [&](int64_t near, int64_t far) {
      combine_run(self.dtype, combine, self.data + far * bytes, 1, src.data + near * bytes, 1, 1);
    });
  }
  check.finish(base::message("dimension ", command.dim).c_str());
}

}  // namespace npu::davinci
