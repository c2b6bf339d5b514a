// SPDX-License-Identifier: Apache-2.0
// Softmax, its gradient and the cumulative sum: whole lines along one dimension.
#include "softnpu/davinci/lines.h"

namespace npu::davinci {
namespace {

int64_t length_of(const TensorView& view, int dim) { return view.rank == 0 ? 1 : view.dims[dim]; }

// Sums run in double for floats, as PyTorch's.
template <class T, class Sum>
void cumulative_sum(std::byte* out, const std::byte* in, int64_t n) {
  T* to = reinterpret_cast<T*>(out);
  const T* from = reinterpret_cast<const T*>(in);
  Sum sum = 0;
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(sum += static_cast<Sum>(from[i]));
}

}  // namespace

void run(const Softmax& command, Workers& workers) {
  const DType compute = compute_type(command.in.dtype);
  const int64_t n = length_of(command.in, command.dim);
  for_each_line(command.out, {&command.in}, command.dim, compute, workers,
                [&](std::byte* out, const std::byte* const* in) {
                  kernels().softmax_line(compute, out, in[0], n, command.log);
                });
}

void run(const SoftmaxBackward& command, Workers& workers) {
  const DType compute = compute_type(command.out.dtype);
  const int64_t n = length_of(command.out, command.dim);
  for_each_line(command.grad_in, {&command.grad_out, &command.out}, command.dim, compute, workers,
                [&](std::byte* out, const std::byte* const* in) {
                  kernels().softmax_backward_line(compute, out, in[0], in[1], n, command.log);
                });
}

void run(const Cumsum& command, Workers& workers) {
  const int64_t n = length_of(command.in, command.dim);
  const bool floating = base::is_floating(command.out.dtype);
  const DType compute = floating ? compute_type(command.out.dtype) : DType::kInt64;
  for_each_line(command.out, {&command.in}, command.dim, compute, workers,
                [&](std::byte* out, const std::byte* const* in) {
                  switch (compute) {
                    case DType::kFloat:
                      return cumulative_sum<float, double>(out, in[0], n);
                    case DType::kDouble:
                      return cumulative_sum<double, double>(out, in[0], n);
                    default:
                      return cumulative_sum<int64_t, int64_t>(out, in[0], n);
                  }
                });
}

}  // namespace npu::davinci
