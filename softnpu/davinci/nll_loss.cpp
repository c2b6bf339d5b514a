// SPDX-License-Identifier: Apache-2.0
// Negative log likelihood and its gradient.
#include <algorithm>
#include <array>
#include <vector>

#include "softnpu/base/error.h"
#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kSegment = 1 << 12;  // positions; fixed, so that sums do not depend on threads

int class_dim(const TensorView& in) { return in.rank <= 1 ? 0 : 1; }

TensorView without_classes(TensorView view) {
  for (int d = class_dim(view); d + 1 < view.rank; ++d) {
    view.dims[d] = view.dims[d + 1];
    view.strides[d] = view.strides[d + 1];
  }
  if (view.rank > 0) --view.rank;
  return view;
}

// A target of shape [1] beside a single row of classes counts as a scalar.
TensorView with_rank(TensorView view, int rank) {
  if (rank == 0) view.rank = 0;
  return view;
}

double load(const TensorView& view, int64_t offset) {
  if (view.dtype == DType::kFloat) return static_cast<double>(view.as<float>()[offset]);
  double value = 0;
  const auto size = static_cast<int64_t>(base::size_of(view.dtype));
  kernels().convert_tile(DType::kDouble, view.dtype)(&value, view.data + offset * size, 1);
  return value;
}
void store(const TensorView& view, int64_t offset, double value) {
  const auto size = static_cast<int64_t>(base::size_of(view.dtype));
  kernels().convert_tile(view.dtype, DType::kDouble)(view.data + offset * size, &value, 1);
}

double class_weight(const TensorView& weight, int64_t target) {
  return weight.defined() ? load(weight, target * weight.strides[0]) : 1.0;
}

// Calls f(flat, offsets) for flat indices in order; only rows start with divisions.
template <class F>
void walk(const Nest& nest, int64_t begin, int64_t end, F f) {
  std::array<int64_t, kMaxOperands> offsets{};
  for (int64_t flat = begin; flat < end; ++flat) {
    const bool starts = flat == begin || flat % nest.dims[0] == 0;
    for (int v = 0; v < nest.operands; ++v) {
      offsets[v] = starts ? nest.offset(v, flat) : offsets[v] + nest.strides[v][0];
    }
    f(flat, offsets);
  }
}

struct Sums {
  double loss = 0, weight = 0;
};

}  // namespace

void run(const NllLoss& command, Workers& workers) {
  const int dim = class_dim(command.in);
  const int64_t classes = command.in.rank == 0 ? 1 : command.in.dims[dim];
  const int64_t class_stride = command.in.rank == 0 ? 1 : command.in.strides[dim];
  const TensorView rows = without_classes(command.in);
  const TensorView target = with_rank(command.target, rows.rank);
  const bool each = command.reduction == Reduction::kNone;
  const TensorView* views[] = {&target, &rows, &command.out};
  const Nest nest = make_nest({views, each ? 3u : 2u}, true);
  const int64_t segments = (nest.count + kSegment - 1) / kSegment;
  std::vector<Sums> sums(static_cast<size_t>(segments));
  IndexCheck check;
  workers.parallel_for(segments, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t segment = begin; segment < end; ++segment) {
      Sums& sum = sums[static_cast<size_t>(segment)];
      const int64_t last = std::min(nest.count, (segment + 1) * kSegment);
      walk(nest, segment * kSegment, last, [&](int64_t i, const auto& at) {
        int64_t t = index_at(target, at[0]);
        double loss = 0;
        if (t != command.ignore_index && check.accept(i, t, classes, false)) {
          const double weight = class_weight(command.weight, t);
          loss = -weight * load(command.in, at[1] + t * class_stride);
          sum.loss += loss;
          sum.weight += weight;
        }
        if (each) store(command.out, at[2], loss);
      });
    }
  });
  check.finish("the classes (target)");
  Sums total;
  for (const Sums& s : sums) {
    total.loss += s.loss;
    total.weight += s.weight;
  }
  if (!each) {
    const bool mean = command.reduction == Reduction::kMean;
    store(command.out, 0, mean ? total.loss / total.weight : total.loss);
  }
  if (command.total_weight.defined()) {
    store(command.total_weight, 0, each ? 0.0 : total.weight);
  }
}

void run(const NllLossBackward& command, Workers& workers) {
  Elementwise zero;
  zero.op = VectorOp::kFill;
  zero.compute = compute_type(command.grad_in.dtype);
  zero.out = command.grad_in;
  run(zero, workers);

  const int dim = class_dim(command.grad_in);
  const int64_t classes = command.grad_in.rank == 0 ? 1 : command.grad_in.dims[dim];
  const int64_t class_stride = command.grad_in.rank == 0 ? 1 : command.grad_in.strides[dim];
  const TensorView rows = without_classes(command.grad_in);
  const TensorView target = with_rank(command.target, rows.rank);
  const bool each = command.reduction == Reduction::kNone;
  const TensorView* views[] = {&target, &rows, &command.grad_out};
  const Nest nest = make_nest({views, each ? 3u : 2u}, true);
  double scale = each ? 1.0 : load(command.grad_out, 0);
  if (command.reduction == Reduction::kMean) scale /= load(command.total_weight, 0);
  IndexCheck check;
  workers.parallel_for(nest.count, kSegment, [&](int64_t begin, int64_t end, int) {
    walk(nest, begin, end, [&](int64_t i, const auto& at) {
      int64_t t = index_at(target, at[0]);
      if (t == command.ignore_index || !check.accept(i, t, classes, false)) return;
      const double grad = each ? load(command.grad_out, at[2]) : scale;
      store(command.grad_in, at[1] + t * class_stride, -class_weight(command.weight, t) * grad);
    });
  });
  check.finish("the classes (target)");
}

}  // namespace npu::davinci
