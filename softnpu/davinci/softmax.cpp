// SPDX-License-Identifier: Apache-2.0
// Softmax, its gradient and the cumulative sum: whole lines along one dimension.
#include "softnpu/davinci/lines.h"

namespace npu::davinci {
namespace {

int64_t length_of(const TensorView& view, int dim) { return view.rank == 0 ? 1 : view.dims[dim]; }
int64_t stride_of(const TensorView& view, int dim) {
  return view.rank == 0 ? 1 : view.strides[dim];
}

LineView lines_of(const TensorView& view, int dim, DType compute) {
  return {view, length_of(view, dim), stride_of(view, dim), compute};
}

template <class T>
void cumulative_sum(T* out, const T* in, int64_t n) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) out[i] = sum += in[i];
}

}  // namespace

void run(const Softmax& command, Workers& workers) {
  const TensorView* views[] = {&command.out, &command.in};
  const Nest nest = nest_of_lines(views, command.dim);
  const int64_t n = length_of(command.in, command.dim);
  if (nest.count == 0 || n == 0) return;
  const DType compute = compute_type(command.in.dtype);
  const LineView in = lines_of(command.in, command.dim, compute);
  const LineView out = lines_of(command.out, command.dim, compute);
  Scratch scratch(workers, in.buffer_bytes());
  workers.parallel_for(nest.count, line_grain(n), [&](int64_t begin, int64_t end, int worker) {
    std::byte* buffer = scratch.of(worker);  // the kernel works in place
    for (int64_t line = begin; line < end; ++line) {
      const int64_t at = nest.offset(0, line);
      const std::byte* source = in.load(nest.offset(1, line), buffer);
      std::byte* target = out.target(at, buffer);
      kernels().softmax_line(compute, target, source, n, command.log);
      out.store(at, target);
    }
  });
}

void run(const SoftmaxBackward& command, Workers& workers) {
  const TensorView* views[] = {&command.grad_in, &command.grad_out, &command.out};
  const Nest nest = nest_of_lines(views, command.dim);
  const int64_t n = length_of(command.out, command.dim);
  if (nest.count == 0 || n == 0) return;
  const DType compute = compute_type(command.out.dtype);
  const LineView grad_in = lines_of(command.grad_in, command.dim, compute);
  const LineView grad_out = lines_of(command.grad_out, command.dim, compute);
  const LineView out = lines_of(command.out, command.dim, compute);
  const size_t bytes = (out.buffer_bytes() + 63) / 64 * 64;
  Scratch scratch(workers, 2 * bytes);
  workers.parallel_for(nest.count, line_grain(n), [&](int64_t begin, int64_t end, int worker) {
    std::byte* first = scratch.of(worker);
    for (int64_t line = begin; line < end; ++line) {
      const int64_t at = nest.offset(0, line);
      const std::byte* g = grad_out.load(nest.offset(1, line), first);
      const std::byte* y = out.load(nest.offset(2, line), first + bytes);
      std::byte* target = grad_in.target(at, first);
      kernels().softmax_backward_line(compute, target, g, y, n, command.log);
      grad_in.store(at, target);
    }
  });
}

void run(const Cumsum& command, Workers& workers) {
  const TensorView* views[] = {&command.out, &command.in};
  const Nest nest = nest_of_lines(views, command.dim);
  const int64_t n = length_of(command.in, command.dim);
  if (nest.count == 0 || n == 0) return;
  const bool floating = base::is_floating(command.out.dtype);
  const DType compute = floating ? DType::kDouble : DType::kInt64;
  const LineView in = lines_of(command.in, command.dim, compute);
  const LineView out = lines_of(command.out, command.dim, compute);
  Scratch scratch(workers, in.buffer_bytes());
  workers.parallel_for(nest.count, line_grain(n), [&](int64_t begin, int64_t end, int worker) {
    std::byte* buffer = scratch.of(worker);
    for (int64_t line = begin; line < end; ++line) {
      const int64_t at = nest.offset(0, line);
      const std::byte* source = in.load(nest.offset(1, line), buffer);
      std::byte* target = out.target(at, buffer);
      if (floating) {
        cumulative_sum(reinterpret_cast<double*>(target), reinterpret_cast<const double*>(source),
                       n);
      } else {
        cumulative_sum(reinterpret_cast<int64_t*>(target), reinterpret_cast<const int64_t*>(source),
                       n);
      }
      out.store(at, target);
    }
  });
}

}  // namespace npu::davinci
