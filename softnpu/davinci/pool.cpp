// SPDX-License-Identifier: Apache-2.0
// 2-D pooling: every (batch, channel) plane on its own; channels-last max pooling by output rows.
#include <algorithm>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci {
namespace {

ConvMap map_of(const TensorView& view) {
  ConvMap m{view.data, view.dtype, view.strides[0], view.strides[1]};
  m.size[0] = 1;
  for (int dim = 1; dim < 3; ++dim) {
    m.size[dim] = view.dims[dim + 1];
    m.stride[dim] = view.strides[dim + 1];
  }
  return m;
}

PoolProblem problem_of(const TensorView& in, const TensorView& out) {
  PoolProblem p;
  p.in = map_of(in);
  p.out = map_of(out);
  p.batches = in.dims[0];
  p.channels = in.dims[1];
  return p;
}

void set_shape(PoolProblem& p, const PoolShape& shape) {
  for (int i = 0; i < 2; ++i) {
    p.kernel[i] = shape.kernel[i];
    p.stride[i] = shape.stride[i];
    p.padding[i] = shape.padding[i];
    p.dilation[i] = shape.dilation[i];
  }
}

using Kernel = void (*)(const PoolProblem&, int64_t, int64_t);

void run_units(const PoolProblem& p, int64_t units, Kernel kernel, Workers& workers) {
  constexpr int64_t kSerialElements = 1 << 12;
  if (units == 0) return;
  const int64_t elements = p.batches * p.channels * p.in.size[1] * p.in.size[2];
  const int64_t grain =
      std::max<int64_t>(1, kSerialElements * units / std::max<int64_t>(1, elements));
  workers.parallel_for(units, grain,
                       [&](int64_t begin, int64_t end, int) { kernel(p, begin, end); });
}

bool is_channels_last(const PoolProblem& p) {
  return p.channels > 1 && p.in.channel_stride == 1 && p.out.channel_stride == 1 &&
         p.in.dtype != DType::kDouble && p.in.dtype == p.out.dtype;
}

bool windows_are_apart(const PoolProblem& p) {
  for (int i = 0; i < 2; ++i) {
    if (p.kernel[i] > p.stride[i] || p.dilation[i] != 1) return false;
  }
  return true;
}

template <class Command>
PoolProblem average_problem(const TensorView& in, const TensorView& out, const Command& command) {
  PoolProblem p = problem_of(in, out);
  set_shape(p, command.shape);
  p.count_padding = command.count_include_pad;
  p.divisor = command.divisor_override;
  return p;
}

}  // namespace

void run(const MaxPool2d& command, Workers& workers) {
  PoolProblem p = problem_of(command.in, command.out);
  p.positions = map_of(command.positions);
  set_shape(p, command.shape);
  if (is_channels_last(p)) {
    return run_units(p, p.batches * p.out.size[1], kernels().max_pool_rows, workers);
  }
  run_units(p, p.batches * p.channels, kernels().max_pool_planes, workers);
}

void run(const MaxPool2dBackward& command, Workers& workers) {
  PoolProblem p = problem_of(command.grad_in, command.grad_out);
  p.positions = map_of(command.positions);
  set_shape(p, command.shape);
  if (is_channels_last(p) && windows_are_apart(p) && p.out.size[1] * p.out.size[2] > 0) {
    return run_units(p, p.batches * p.out.size[1], kernels().max_pool_backward_rows, workers);
  }
  run_units(p, p.batches * p.channels, kernels().max_pool_backward_planes, workers);
}

void run(const AvgPool2d& command, Workers& workers) {
  const PoolProblem p = average_problem(command.in, command.out, command);
  run_units(p, p.batches * p.channels, kernels().average_pool_planes, workers);
}

void run(const AvgPool2dBackward& command, Workers& workers) {
  const PoolProblem p = average_problem(command.grad_in, command.grad_out, command);
  run_units(p, p.batches * p.channels, kernels().average_pool_backward_planes, workers);
}

void run(const AdaptiveAvgPool2d& command, Workers& workers) {
  PoolProblem p = problem_of(command.in, command.out);
  p.adaptive = true;
  run_units(p, p.batches * p.channels, kernels().average_pool_planes, workers);
}

void run(const AdaptiveAvgPool2dBackward& command, Workers& workers) {
  PoolProblem p = problem_of(command.grad_in, command.grad_out);
  p.adaptive = true;
  run_units(p, p.batches * p.channels, kernels().average_pool_backward_planes, workers);
}

}  // namespace npu::davinci
