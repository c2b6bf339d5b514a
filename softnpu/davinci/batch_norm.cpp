// SPDX-License-Identifier: Apache-2.0
// BatchNorm and its backward: merges dimensions, then channels are the unit of parallel work.
#include <algorithm>
#include <initializer_list>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci {
namespace {

ConvMap map_of(const TensorView& view) {
  if (!view.defined()) return {};
  ConvMap m{view.data, view.dtype, view.strides[0], view.strides[1]};
  for (int dim = 0; dim < 3; ++dim) {
    const int from = view.rank - 3 + dim;
    m.size[dim] = from < 2 ? 1 : view.dims[from];
    m.stride[dim] = from < 2 ? 0 : view.strides[from];
  }
  return m;
}

Matrix vector_of(const TensorView& view) {
  return {view.defined() ? view.data : nullptr, view.dtype, 0, view.strides[0]};
}

/// Merges neighbouring dimensions that all maps keep without a gap, and the batch with them where
/// the channel does not lie between (channels-last).
void merge(BatchNormProblem& p) {
  ConvMap* const maps[] = {&p.in, &p.out, &p.grad_out, &p.grad_in};
  const auto all = [&](auto&& holds) {
    return std::all_of(std::begin(maps), std::end(maps),
                       [&](ConvMap* m) { return m->data == nullptr || holds(*m); });
  };
  for (int outer = 1; outer >= 0; --outer) {
    if (p.in.size[2] == 1) {  // the inner dimension takes the outer's place
      for (ConvMap* m : maps) {
        m->size[2] = m->size[outer];
        m->stride[2] = m->stride[outer];
        m->size[outer] = 1;
      }
    } else if (p.in.size[outer] == 1 ||
               all([&](const ConvMap& m) { return m.stride[outer] == m.size[2] * m.stride[2]; })) {
      for (ConvMap* m : maps) {
        m->size[2] *= m->size[outer];
        m->size[outer] = 1;
      }
    } else {
      return;
    }
  }
  const bool single = p.in.size[2] == 1;
  if (single || all([](const ConvMap& m) { return m.batch_stride == m.size[2] * m.stride[2]; })) {
    for (ConvMap* m : maps) {
      if (single) m->stride[2] = m->batch_stride;
      m->size[2] *= p.batches;
    }
    p.batches = 1;
  }
}

using ChannelKernel = void (*)(const BatchNormProblem&, int64_t, int64_t);

void run_channels(BatchNormProblem& p, ChannelKernel kernel, Workers& workers) {
  merge(p);
  // Neighbours share cache lines where channels are innermost.
  const int64_t grain = p.in.channel_stride == 1 && p.channels > 1 ? 32 : 1;
  constexpr int64_t kSerialElements = 1 << 13;
  const int64_t least = std::max<int64_t>(1, kSerialElements / std::max<int64_t>(1, p.count()));
  workers.parallel_for(p.channels, (least + grain - 1) / grain * grain,
                       [&](int64_t begin, int64_t end, int) { kernel(p, begin, end); });
}

}  // namespace

void run(const BatchNorm& command, Workers& workers) {
  BatchNormProblem p;
  p.in = map_of(command.in);
  p.out = map_of(command.out);
  p.batches = command.in.dims[0];
  p.channels = command.in.dims[1];
  p.weight = vector_of(command.weight);
  p.bias = vector_of(command.bias);
  p.running_mean = vector_of(command.running_mean);
  p.running_var = vector_of(command.running_var);
  p.mean = vector_of(command.save_mean);
  p.invstd = vector_of(command.save_invstd);
  p.training = command.training;
  p.momentum = command.momentum;
  p.epsilon = command.epsilon;
  if (p.count() == 0) return;
  run_channels(p, kernels().batch_norm_forward, workers);
}

void run(const BatchNormBackward& command, Workers& workers) {
  BatchNormProblem p;
  p.in = map_of(command.in);
  p.grad_out = map_of(command.grad_out);
  p.grad_in = map_of(command.grad_in);
  p.batches = command.in.dims[0];
  p.channels = command.in.dims[1];
  p.weight = vector_of(command.weight);
  p.running_mean = vector_of(command.running_mean);
  p.running_var = vector_of(command.running_var);
  p.mean = vector_of(command.save_mean);
  p.invstd = vector_of(command.save_invstd);
  p.grad_weight = vector_of(command.grad_weight);
  p.grad_bias = vector_of(command.grad_bias);
  p.training = command.training;
  p.epsilon = command.epsilon;
  run_channels(p, kernels().batch_norm_backward, workers);
}

}  // namespace npu::davinci
