// SPDX-License-Identifier: Apache-2.0
// Applying a dropout mask: a bit an element, expanded in registers.
#include <algorithm>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kTaskElements = 16 * kTileElements;

void apply(float* out, const float* in, const uint8_t* bits, double scale, int64_t n) {
  kernels().apply_bits(out, in, bits, static_cast<float>(scale), n);
}
void apply(double* out, const double* in, const uint8_t* bits, double scale, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = (bits[i / 8] >> (i % 8) & 1) != 0 ? in[i] * scale : 0.0;
}

// Tiles start at multiples of 8 elements, so at whole mask bytes.
template <class T>
void run_typed(const DropoutApply& command, DType compute, double scale, Workers& workers) {
  const TensorView &in = command.in, &out = command.out;
  const TensorView* views[] = {&out, &in};
  const Nest nest = make_nest(views, true);
  const ConvertTile widen = kernels().convert_tile(compute, in.dtype);
  const ConvertTile narrow = kernels().convert_tile(out.dtype, compute);
  const auto in_size = static_cast<int64_t>(base::size_of(in.dtype));
  const auto out_size = static_cast<int64_t>(base::size_of(out.dtype));
  const bool in_flat = nest.is_flat(1), out_flat = nest.is_flat(0);
  const bool direct = in_flat && out_flat && in.dtype == compute && out.dtype == compute;

  const auto run_tile = [&](int64_t t, int64_t n) {
    alignas(64) std::byte raw[kTileElements * 8];
    alignas(64) T values[kTileElements];
    const uint8_t* bits = command.mask.as<uint8_t>() + t / 8;
    const std::byte* source = in.data + t * in_size;
    if (!in_flat) {
      std::byte* next = raw;
      for_each_run(nest, 1, t, n, [&](int64_t offset, int64_t stride, int64_t run) {
        gather_run(next, in.data + offset * in_size, stride, run, static_cast<size_t>(in_size));
        next += run * in_size;
      });
      source = raw;
    }
    widen(values, source, n);
    apply(values, values, bits, scale, n);
    std::byte* to = out_flat ? out.data + t * out_size : raw;
    narrow(to, values, n);
    if (out_flat) return;
    for_each_run(nest, 0, t, n, [&](int64_t offset, int64_t stride, int64_t run) {
      scatter_run(out.data + offset * out_size, to, stride, run, static_cast<size_t>(out_size));
      to += run * out_size;
    });
  };
  workers.parallel_for(nest.count, kTaskElements, [&](int64_t begin, int64_t end, int) {
    if (direct) {
      apply(out.as<T>() + begin, in.as<T>() + begin, command.mask.as<uint8_t>() + begin / 8, scale,
            end - begin);
      return;
    }
    for (int64_t t = begin; t < end; t += kTileElements) {
      run_tile(t, std::min<int64_t>(kTileElements, end - t));
    }
  });
}

}  // namespace

void run(const DropoutApply& command, Workers& workers) {
  // Everything dropped: 0, not 0 * infinity.
  const double scale = command.probability >= 1 ? 0 : 1 / (1 - command.probability);
  if (compute_type(command.in.dtype) == DType::kDouble) {
    run_typed<double>(command, DType::kDouble, scale, workers);
  } else {
    run_typed<float>(command, DType::kFloat, scale, workers);
  }
}

}  // namespace npu::davinci
