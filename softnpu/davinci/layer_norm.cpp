// SPDX-License-Identifier: Apache-2.0
// Layer norm: the normalised dimensions are flattened into lines first (a copy where their strides
// do not allow a view), then one kernel a line.
#include <algorithm>
#include <cstring>

#include "softnpu/davinci/copy.h"
#include "softnpu/davinci/lines.h"

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
  // Column sums: a fixed number of partial sums, whatever the number of workers.
  constexpr int64_t kParts = 32;
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
  const auto sum_parts = [&](std::vector<std::byte>& sums, const TensorView& out) {
    const int64_t dims[] = {parts, length};
    Reduce sum;
    sum.in = contiguous_view(sums.data(), compute, dims, 2);
    const int64_t row[] = {1, length};
    std::vector<std::byte> total(static_cast<size_t>(bytes));
    sum.out = contiguous_view(total.data(), compute, row, 2);
    sum.reduced_dims = 1;
    run(sum, workers);
    copy_view(contiguous_view(total.data(), compute, out.dims.data(), out.rank), out, workers);
  };
  if (wants_weight) sum_parts(weight_parts, command.grad_weight);
  if (wants_bias) sum_parts(bias_parts, command.grad_bias);
}

}  // namespace npu::davinci
