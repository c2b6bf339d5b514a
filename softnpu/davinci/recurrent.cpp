// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, a tile of one row at a time: the vector operators' tiles do the arithmetic, so
// there is one text for each activation in the project.
#include "softnpu/davinci/recurrent.h"

#include <algorithm>

#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

using Tile = std::array<float, kTileElements>;

/// Columns [column, column + n) of one row, as floats.
struct Place {
  int64_t row, column, n;
};

std::byte* address(const TensorView& view, const Place& place) {
  const int64_t offset = view.rank == 1
                             ? place.column * view.strides[0]
                             : place.row * view.strides[0] + place.column * view.strides[1];
  return view.data + offset * static_cast<int64_t>(base::size_of(view.dtype));
}
int64_t step(const TensorView& view) { return view.strides[view.rank - 1]; }

/// The elements in place, or converted into `buffer`.
const float* read(const TensorView& view, const Place& place, Tile& buffer) {
  const std::byte* from = address(view, place);
  if (step(view) == 1 && view.dtype == DType::kFloat) return reinterpret_cast<const float*>(from);
  const size_t size = base::size_of(view.dtype);
  alignas(64) std::array<std::byte, sizeof(Tile)> packed;
  if (step(view) != 1) {
    gather_run(packed.data(), from, step(view), place.n, size);
    from = packed.data();
  }
  kernels().convert_tile(DType::kFloat, view.dtype)(buffer.data(), from, place.n);
  return buffer.data();
}

void write(const TensorView& view, const Place& place, const float* from) {
  if (!view.defined()) return;
  std::byte* to = address(view, place);
  const ConvertTile convert = kernels().convert_tile(view.dtype, DType::kFloat);
  if (step(view) == 1) return convert(to, from, place.n);
  alignas(64) std::array<std::byte, sizeof(Tile)> packed;
  convert(packed.data(), from, place.n);
  scatter_run(to, packed.data(), step(view), place.n, base::size_of(view.dtype));
}

/// out = op(a, b, c); `scalar` is s0.
void apply(VectorOp op, float* out, const float* a, int64_t n, const float* b = nullptr,
           const float* c = nullptr, float scalar = 1) {
  ComputeScalar scalars[4] = {};
  scalars[0].f32 = scalar;
  kernels().vector_tile(op, DType::kFloat)(out, a, b, c, scalars, n);
}

/// The sum of those views that are defined, in order.
void sum(Tile& out, std::initializer_list<const TensorView*> views, const Place& place) {
  bool first = true;
  Tile buffer;
  for (const TensorView* view : views) {
    if (!view->defined()) continue;
    const float* part = read(*view, place, buffer);
    if (first) {
      std::copy_n(part, place.n, out.data());
    } else {
      apply(VectorOp::kAdd, out.data(), out.data(), place.n, part);
    }
    first = false;
  }
  if (first) std::fill_n(out.data(), place.n, 0.f);
}

/// f(place) for every tile of a [rows, width] matrix.
template <class F>
void for_each_tile(int64_t rows, int64_t width, Workers& workers, F f) {
  const int64_t tiles = (width + kTileElements - 1) / kTileElements;
  constexpr int64_t kGrainElements = 1 << 12;
  const int64_t grain = std::max<int64_t>(1, kGrainElements / std::max<int64_t>(1, width));
  workers.parallel_for(rows * tiles, grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = i % tiles * kTileElements;
      f(Place{i / tiles, column, std::min<int64_t>(kTileElements, width - column)});
    }
  });
}

/// The same place in gate `gate` of matrices that hold several.
Place in_gate(const Place& place, int64_t gate, int64_t width) {
  return {place.row, place.column + gate * width, place.n};
}

}  // namespace

void run(const LstmCell& command, Workers& workers) {
  const int64_t width = command.cx.dims[1];
  for_each_tile(command.cx.dims[0], width, workers, [&](const Place& place) {
    Tile gates[4], cell, buffer;
    for (int64_t g = 0; g < 4; ++g) {
      sum(gates[g], {&command.gates, &command.more_gates, &command.bias, &command.more_bias},
          in_gate(place, g, width));
      apply(g == 2 ? VectorOp::kTanh : VectorOp::kSigmoid, gates[g].data(), gates[g].data(),
            place.n);
      write(command.activated[g], place, gates[g].data());
    }
    const float* cx = read(command.cx, place, buffer);
    apply(VectorOp::kMul, cell.data(), gates[1].data(), place.n, cx);
    apply(VectorOp::kAddcmul, cell.data(), cell.data(), place.n, gates[0].data(), gates[2].data());
    write(command.cy, place, cell.data());
    apply(VectorOp::kTanh, cell.data(), cell.data(), place.n);
    write(command.tanh_cy, place, cell.data());
    apply(VectorOp::kMul, cell.data(), cell.data(), place.n, gates[3].data());
    write(command.hy, place, cell.data());
  });
}

void run(const LstmCellBackward& command, Workers& workers) {
  const int64_t width = command.cx.dims[1];
  for_each_tile(command.cx.dims[0], width, workers, [&](const Place& place) {
    Tile buffers[4], grad_h, grad_c, tanh_c, scratch, buffer;
    const float* gates[4];
    for (int g = 0; g < 4; ++g) gates[g] = read(command.activated[g], place, buffers[g]);
    sum(grad_h, {&command.grad_hy, &command.more_grad_hy}, place);
    sum(grad_c, {&command.grad_cy}, place);
    const int64_t n = place.n;
    apply(VectorOp::kTanh, tanh_c.data(), read(command.cy, place, buffer), n);
    // The cell's gradient, with what comes through h = o tanh(c)
    apply(VectorOp::kMul, scratch.data(), grad_h.data(), n, gates[3]);
    apply(VectorOp::kTanhBackward, scratch.data(), scratch.data(), n, tanh_c.data());
    apply(VectorOp::kAdd, grad_c.data(), grad_c.data(), n, scratch.data());
    const auto gate = [&](int g, const float* grad, const float* factor) {
      apply(VectorOp::kMul, scratch.data(), grad, n, factor);
      apply(g == 2 ? VectorOp::kTanhBackward : VectorOp::kSigmoidBackward, scratch.data(),
            scratch.data(), n, gates[g]);
      write(command.grad_gates, in_gate(place, g, width), scratch.data());
    };
    gate(0, grad_c.data(), gates[2]);
    gate(1, grad_c.data(), read(command.cx, place, buffer));
    gate(2, grad_c.data(), gates[0]);
    gate(3, grad_h.data(), tanh_c.data());
    apply(VectorOp::kMul, scratch.data(), grad_c.data(), n, gates[1]);
    write(command.grad_cx, place, scratch.data());
  });
}

void run(const GruCell& command, Workers& workers) {
  const int64_t width = command.hx.dims[1];
  for_each_tile(command.hx.dims[0], width, workers, [&](const Place& place) {
    Tile gates[3], hidden, buffer;
    const int64_t n = place.n;
    for (int64_t g = 0; g < 2; ++g) {
      sum(gates[g], {&command.gates, &command.hidden_gates, &command.bias, &command.hidden_bias},
          in_gate(place, g, width));
      apply(VectorOp::kSigmoid, gates[g].data(), gates[g].data(), n);
    }
    sum(hidden, {&command.hidden_gates, &command.hidden_bias}, in_gate(place, 2, width));
    write(command.hidden_n, place, hidden.data());
    sum(gates[2], {&command.gates, &command.bias}, in_gate(place, 2, width));
    apply(VectorOp::kAddcmul, gates[2].data(), gates[2].data(), n, gates[0].data(), hidden.data());
    apply(VectorOp::kTanh, gates[2].data(), gates[2].data(), n);
    for (size_t g = 0; g < 3; ++g) write(command.activated[g], place, gates[g].data());
    apply(VectorOp::kSub, hidden.data(), read(command.hx, place, buffer), n, gates[2].data());
    apply(VectorOp::kAddcmul, hidden.data(), gates[2].data(), n, gates[1].data(), hidden.data());
    write(command.hy, place, hidden.data());
  });
}

void run(const GruCellBackward& command, Workers& workers) {
  const int64_t width = command.hx.dims[1];
  for_each_tile(command.hx.dims[0], width, workers, [&](const Place& place) {
    Tile buffers[3], grad, scratch, passed, buffer;
    const float* gates[3];
    for (int g = 0; g < 3; ++g) gates[g] = read(command.activated[g], place, buffers[g]);
    const int64_t n = place.n;
    sum(grad, {&command.grad_hy, &command.more_grad_hy}, place);
    // z: h' = n + z (h - n)
    apply(VectorOp::kSub, scratch.data(), read(command.hx, place, buffer), n, gates[2]);
    apply(VectorOp::kMul, scratch.data(), scratch.data(), n, grad.data());
    apply(VectorOp::kSigmoidBackward, scratch.data(), scratch.data(), n, gates[1]);
    write(command.grad_gates, in_gate(place, 1, width), scratch.data());
    write(command.grad_hidden_gates, in_gate(place, 1, width), scratch.data());
    apply(VectorOp::kMul, scratch.data(), grad.data(), n, gates[1]);
    write(command.grad_hx, place, scratch.data());
    // n
    apply(VectorOp::kSub, passed.data(), grad.data(), n, scratch.data());
    apply(VectorOp::kTanhBackward, passed.data(), passed.data(), n, gates[2]);
    write(command.grad_gates, in_gate(place, 2, width), passed.data());
    apply(VectorOp::kMul, scratch.data(), passed.data(), n, gates[0]);
    write(command.grad_hidden_gates, in_gate(place, 2, width), scratch.data());
    // r
    const float* hidden = read(command.hidden_n, place, buffer);
    apply(VectorOp::kMul, scratch.data(), passed.data(), n, hidden);
    apply(VectorOp::kSigmoidBackward, scratch.data(), scratch.data(), n, gates[0]);
    write(command.grad_gates, in_gate(place, 0, width), scratch.data());
    write(command.grad_hidden_gates, in_gate(place, 0, width), scratch.data());
  });
}

}  // namespace npu::davinci
