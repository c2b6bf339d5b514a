// SPDX-License-Identifier: Apache-2.0
// Layer norm and root-mean-square norm: the normalised dimensions are flattened into lines first (a
// copy where their strides do not allow a view), then one kernel a line.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "softnpu/davinci/copy.h"
#include "softnpu/davinci/lines.h"
#include "softnpu/davinci/rms_norm.h"

namespace npu::davinci {
namespace {

// A tensor as [lines, length] contiguous elements of the compute type; copied if it is not that.
class Rows {
 public:
  Rows(const TensorView& view, DType compute, bool load, Workers& workers) : view_(view) {
    if (!view.defined()) return;
    if (view.is_contiguous() && view.dtype == compute) {
      data_ = view.data;
      return;
    }
    owned_.resize(static_cast<size_t>(view.numel()) * base::size_of(compute));
    data_ = owned_.data();
    if (load) copy_view(view, as_view(compute), workers);
  }
  float* floats(int64_t offset) const { return reinterpret_cast<float*>(data_) + offset; }
  std::byte* at(int64_t offset_bytes) const {
    return data_ == nullptr ? nullptr : data_ + offset_bytes;
  }
  /// Writes a copied tensor back.
  void store(DType compute, Workers& workers) const {
    if (!owned_.empty()) copy_view(as_view(compute), view_, workers);
  }

 private:
  TensorView as_view(DType compute) const {
    return contiguous_view(data_, compute, view_.dims.data(), view_.rank);
  }

  TensorView view_;
  std::vector<std::byte> owned_;
  std::byte* data_ = nullptr;
};

struct Shape {
  int64_t lines = 1, length = 1;
};
Shape shape_of(const TensorView& view, int normalized_rank) {
  Shape shape;
  for (int d = 0; d < view.rank; ++d) {
    (d < view.rank - normalized_rank ? shape.lines : shape.length) *= view.dims[d];
  }
  return shape;
}

// mean and rstd: one number a line, in row-major order of their own dims.
Nest nest_in_order(const TensorView& view) {
  if (!view.defined()) return {};
  const TensorView* views[] = {&view};
  return make_nest(views, true);
}

// Column sums: a fixed number of partial sums, whatever the number of workers.
constexpr int64_t kParts = 32;

/// out = the sum of `parts` rows of `length` elements.
void sum_parts(std::vector<std::byte>& sums, int64_t parts, int64_t length, DType compute,
               const TensorView& out, Workers& workers) {
  const int64_t dims[] = {parts, length}, row[] = {1, length};
  std::vector<std::byte> total(static_cast<size_t>(length) * base::size_of(compute));
  Reduce sum;
  sum.in = contiguous_view(sums.data(), compute, dims, 2);
  sum.out = contiguous_view(total.data(), compute, row, 2);
  sum.reduced_dims = 1;
  run(sum, workers);
  copy_view(contiguous_view(total.data(), compute, out.dims.data(), out.rank), out, workers);
}

/// f(begin, count) for the tiles of a line.
template <class F>
void for_tiles(int64_t n, F f) {
  for (int64_t i = 0; i < n; i += kTileElements) f(i, std::min<int64_t>(kTileElements, n - i));
}
void apply(VectorOp op, float* out, const float* a, const float* b, int64_t n, double scalar = 1) {
  ComputeScalar scalars[4] = {};
  scalars[0].f32 = static_cast<float>(scalar);
  kernels().vector_tile(op, DType::kFloat)(out, a, b, nullptr, scalars, n);
}
const float* zeros() {
  static constexpr std::array<float, kTileElements> kZeros{};
  return kZeros.data();
}
double dot(const float* a, const float* b, int64_t n) {
  ReduceState state;
  for_tiles(n, [&](int64_t i, int64_t count) {
    std::array<float, kTileElements> products;
    apply(VectorOp::kMul, products.data(), a + i, b + i, count);
    kernels().reduce_tile(ReduceOp::kSum, DType::kFloat)(&state, products.data(), count, i, 0);
  });
  return state.value;
}

}  // namespace

void run(const LayerNorm& command, Workers& workers) {
  const auto [lines, length] = shape_of(command.in, command.normalized_rank);
  if (lines == 0) return;
  const DType compute = compute_type(command.in.dtype);
  const auto bytes = length * static_cast<int64_t>(base::size_of(compute));
  const Rows in(command.in, compute, true, workers);
  const Rows weight(command.weight, compute, true, workers);
  const Rows bias(command.bias, compute, true, workers);
  const Rows out(command.out, compute, false, workers);
  const Nest mean_nest = nest_in_order(command.mean), rstd_nest = nest_in_order(command.rstd);
  workers.parallel_for(lines, line_grain(length), [&, l = length](int64_t begin, int64_t end, int) {
    for (int64_t line = begin; line < end; ++line) {
      double mean = 0, rstd = 0;
      kernels().layer_norm_line(compute, out.at(line * bytes), in.at(line * bytes), weight.at(0),
                                bias.at(0), l, command.epsilon, &mean, &rstd);
      if (command.mean.defined()) {
        store_number(command.mean, mean_nest.offset(0, line), mean);
      }
      if (command.rstd.defined()) {
        store_number(command.rstd, rstd_nest.offset(0, line), rstd);
      }
    }
  });
  out.store(compute, workers);
}

void run(const LayerNormBackward& command, Workers& workers) {
  const auto [lines, length] = shape_of(command.in, command.normalized_rank);
  const DType compute = compute_type(command.in.dtype);
  const auto bytes = length * static_cast<int64_t>(base::size_of(compute));
  const Rows in(command.in, compute, true, workers);
  const Rows grad_out(command.grad_out, compute, true, workers);
  const Rows weight(command.weight, compute, true, workers);
  const Rows grad_in(command.grad_in, compute, false, workers);
  const Nest mean_nest = nest_in_order(command.mean), rstd_nest = nest_in_order(command.rstd);
  const int64_t lines_a_part = std::max<int64_t>(1, (lines + kParts - 1) / kParts);
  const int64_t parts = (lines + lines_a_part - 1) / lines_a_part;
  const bool wants_weight = command.grad_weight.defined(), wants_bias = command.grad_bias.defined();
  std::vector<std::byte> weight_parts(wants_weight ? static_cast<size_t>(parts * bytes) : 0);
  std::vector<std::byte> bias_parts(wants_bias ? static_cast<size_t>(parts * bytes) : 0);
  workers.parallel_for(parts, 1, [&, n = lines, l = length](int64_t begin, int64_t end, int) {
    for (int64_t part = begin; part < end; ++part) {
      std::byte* gw = wants_weight ? weight_parts.data() + part * bytes : nullptr;
      std::byte* gb = wants_bias ? bias_parts.data() + part * bytes : nullptr;
      const int64_t last = std::min(n, (part + 1) * lines_a_part);
      for (int64_t line = part * lines_a_part; line < last; ++line) {
        kernels().layer_norm_backward_line(compute, grad_in.at(line * bytes), gw, gb,
                                           grad_out.at(line * bytes), in.at(line * bytes),
                                           weight.at(0), l,
                                           load_number(command.mean, mean_nest.offset(0, line)),
                                           load_number(command.rstd, rstd_nest.offset(0, line)));
      }
    }
  });
  if (command.grad_in.defined()) grad_in.store(compute, workers);
  if (wants_weight) sum_parts(weight_parts, parts, length, compute, command.grad_weight, workers);
  if (wants_bias) sum_parts(bias_parts, parts, length, compute, command.grad_bias, workers);
}

void run(const RmsNorm& command, Workers& workers) {
  const auto [lines, length] = shape_of(command.in, command.normalized_rank);
  if (lines == 0) return;
  const Rows in(command.in, DType::kFloat, true, workers);
  const Rows weight(command.weight, DType::kFloat, true, workers);
  const Rows out(command.out, DType::kFloat, false, workers);
  const Nest rstd_nest = nest_in_order(command.rstd);
  const auto n = length;
  workers.parallel_for(lines, line_grain(length), [&](int64_t begin, int64_t end, int) {
    for (int64_t line = begin; line < end; ++line) {
      const float* x = in.floats(line * n);
      const double rstd = 1 / std::sqrt(dot(x, x, n) / static_cast<double>(n) + command.epsilon);
      float* y = out.floats(line * n);
      for_tiles(n, [&](int64_t i, int64_t count) {
        apply(VectorOp::kAdd, y + i, zeros(), x + i, count, rstd);
        if (command.weight.defined()) {
          apply(VectorOp::kMul, y + i, y + i, weight.floats(i), count);
        }
      });
      if (command.rstd.defined()) store_number(command.rstd, rstd_nest.offset(0, line), rstd);
    }
  });
  out.store(DType::kFloat, workers);
}

void run(const RmsNormBackward& command, Workers& workers) {
  const auto [lines, length] = shape_of(command.in, command.normalized_rank);
  const Rows in(command.in, DType::kFloat, true, workers);
  const Rows grad_out(command.grad_out, DType::kFloat, true, workers);
  const Rows weight(command.weight, DType::kFloat, true, workers);
  const Rows grad_in(command.grad_in, DType::kFloat, false, workers);
  const Nest rstd_nest = nest_in_order(command.rstd);
  const auto n = length, count = lines;
  const int64_t lines_a_part = std::max<int64_t>(1, (lines + kParts - 1) / kParts);
  const int64_t parts = (lines + lines_a_part - 1) / lines_a_part;
  const bool weighted = command.weight.defined(), wants_weight = command.grad_weight.defined();
  std::vector<std::byte> sums(wants_weight ? static_cast<size_t>(parts * n) * sizeof(float) : 0);
  workers.parallel_for(parts, 1, [&](int64_t begin, int64_t end, int) {
    std::vector<float> scaled(weighted ? static_cast<size_t>(n) : 0);  // grad_out * weight
    for (int64_t part = begin; part < end; ++part) {
      auto* sum = reinterpret_cast<float*>(sums.data()) + part * n;
      const int64_t last = std::min(count, (part + 1) * lines_a_part);
      for (int64_t line = part * lines_a_part; line < last; ++line) {
        const float *x = in.floats(line * n), *dy = grad_out.floats(line * n);
        const double rstd = load_number(command.rstd, rstd_nest.offset(0, line));
        const float* g = dy;
        if (weighted) {
          for_tiles(n, [&](int64_t i, int64_t run) {
            apply(VectorOp::kMul, scaled.data() + i, dy + i, weight.floats(i), run);
          });
          g = scaled.data();
        }
        const double along = dot(g, x, n) * rstd * rstd * rstd / static_cast<double>(n);
        float* dx = grad_in.floats(line * n);
        for_tiles(n, [&](int64_t i, int64_t run) {
          if (wants_weight) {
            ComputeScalar scalars[4] = {};
            scalars[0].f32 = static_cast<float>(rstd);
            kernels().vector_tile(VectorOp::kAddcmul, DType::kFloat)(sum + i, sum + i, dy + i,
                                                                     x + i, scalars, run);
          }
          apply(VectorOp::kAdd, dx + i, zeros(), g + i, run, rstd);
          apply(VectorOp::kAdd, dx + i, dx + i, x + i, run, -along);
        });
      }
    }
  });
  grad_in.store(DType::kFloat, workers);
  if (wants_weight) sum_parts(sums, parts, n, DType::kFloat, command.grad_weight, workers);
}

}  // namespace npu::davinci
