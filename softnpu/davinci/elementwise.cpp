// SPDX-License-Identifier: Apache-2.0
// Element-wise commands: inputs reach the compute type tile by tile (directly where they already
// have it), one kernel runs over the tile, the result is converted on its way out.
#include <algorithm>
#include <cstring>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/copy.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kChunkElements = 1 << 14;  // a worker's share
constexpr size_t kMaxElementBytes = 8;

struct OpInfo {
  int inputs;
};
constexpr OpInfo kOps[] = {
#define VECTOR_OP(name, inputs, ...) {inputs},
#include "softnpu/davinci/vector_ops.def"
#undef VECTOR_OP
};

ComputeScalar compute_scalar(const Scalar& s, DType compute) {
  ComputeScalar c{};
  switch (compute) {
    case DType::kFloat:
      c.f32 = static_cast<float>(s.f);
      break;
    case DType::kDouble:
      c.f64 = s.f;
      break;
    case DType::kInt32:
      c.i32 = static_cast<int32_t>(s.i);
      break;
    default:
      c.i64 = s.i;
      break;
  }
  return c;
}

// Exponents that PyTorch computes without pow.
VectorOp simplified(const Elementwise& command) {
  if (command.op != VectorOp::kPow || command.inputs[1].defined()) return command.op;
  const double e = command.scalars[2].f;
  if (e == 2) return VectorOp::kSquare;
  if (e == 1) return VectorOp::kCopy;
  if (!base::is_floating(command.compute)) return command.op;
  if (e == 3) return VectorOp::kCube;
  if (e == 0.5) return VectorOp::kSqrt;
  if (e == -0.5) return VectorOp::kRsqrt;
  if (e == -1) return VectorOp::kReciprocal;
  return command.op;
}

// One command, ready to run any of its chunks on any worker.
class Prepared {
 public:
  explicit Prepared(const Elementwise& command)
      : compute_(command.compute),
        inputs_(kOps[static_cast<int>(simplified(command))].inputs),
        size_(base::size_of(command.compute)),
        tile_(kernels().vector_tile(simplified(command), command.compute)) {
    std::array<const TensorView*, kMaxOperands> views{&command.out};
    for (int i = 0; i < inputs_; ++i) {
      const TensorView& in = command.inputs[i];
      views[i + 1] = in.defined() ? &in : &command.out;  // an undefined input walks nowhere
    }
    nest_ = make_nest({views.data(), static_cast<size_t>(inputs_ + 1)});
    for (int i = 0; i < 4; ++i) scalars_[i] = compute_scalar(command.scalars[i], compute_);
    for (int i = 0; i <= inputs_; ++i) prepare_operand(i, *views[i], command);
    // Long rows are cut into tiles of their own, so that operands contiguous along them are used
    // in place; short rows share tiles.
    const bool all_flat = std::all_of(operands_.begin(), operands_.begin() + inputs_ + 1,
                                      [](const Operand& o) { return o.flat || o.constant; });
    direct_ = std::all_of(operands_.begin(), operands_.begin() + inputs_ + 1,
                          [](const Operand& o) { return o.flat && o.convert == nullptr; });
    row_ = all_flat || nest_.dims[0] < kTileElements ? nest_.count : nest_.dims[0];
    tiles_per_row_ = row_ == 0 ? 0 : (row_ + kTileElements - 1) / kTileElements;
    num_tiles_ = nest_.count == 0 ? 0 : nest_.count / row_ * tiles_per_row_;
  }

  int64_t chunks() const { return (num_tiles_ + kTilesPerChunk - 1) / kTilesPerChunk; }

  void run_chunk(int64_t chunk) const {
    if (direct_) return run_direct(chunk * kChunkElements);
    alignas(64) std::byte buffers[kMaxOperands][kTileElements * kMaxElementBytes + 64];
    alignas(64) std::byte raw[kTileElements * kMaxElementBytes];
    fill_constants(buffers);
    const int64_t end = std::min(num_tiles_, (chunk + 1) * kTilesPerChunk);
    for (int64_t t = chunk * kTilesPerChunk; t < end; ++t) {
      const int64_t in_row = t % tiles_per_row_ * kTileElements;
      const int64_t n = std::min<int64_t>(kTileElements, row_ - in_row);
      run_tile(t / tiles_per_row_ * row_ + in_row, n, buffers, raw);
    }
  }

 private:
  static constexpr int64_t kTilesPerChunk = kChunkElements / kTileElements;

  struct Operand {
    std::byte* data = nullptr;
    int64_t size = 0;               // bytes of an element in memory
    ConvertTile convert = nullptr;  // nullptr: memory holds the compute type
    bool flat = false, constant = false;
  };

  void prepare_operand(int i, const TensorView& view, const Elementwise& command) {
    Operand& o = operands_[i];
    if (i > 0 && !command.inputs[i - 1].defined()) {
      o.constant = true;
      return;
    }
    o.data = view.data;
    o.size = static_cast<int64_t>(base::size_of(view.dtype));
    o.flat = nest_.is_flat(i);
    o.constant = i > 0 && nest_.is_constant(i) && nest_.count > 1;
    if (view.dtype != compute_) {
      o.convert = i == 0 ? kernels().convert_tile(view.dtype, compute_)
                         : kernels().convert_tile(compute_, view.dtype);
    }
  }

  // Constants have their tile filled once a chunk.
  void fill_constants(std::byte (*buffers)[kTileElements * kMaxElementBytes + 64]) const {
    for (int i = 1; i <= inputs_; ++i) {
      const Operand& o = operands_[i];
      if (!o.constant) continue;
      std::byte* first = buffers[i];
      if (o.data == nullptr) {
        std::memcpy(first, &scalars_[i], size_);
      } else if (o.convert != nullptr) {
        o.convert(first, o.data, 1);
      } else {
        std::memcpy(first, o.data, size_);
      }
      const auto n = static_cast<size_t>(std::min<int64_t>(kTileElements, nest_.count)) * size_;
      for (size_t done = size_; done < n; done *= 2) {
        std::memcpy(first + done, first, std::min(done, n - done));
      }
    }
  }

  // Where the operand's [begin, begin + n) lies without gaps, or nullptr.
  std::byte* in_place(int i, int64_t begin, int64_t n) const {
    const Operand& o = operands_[i];
    if (o.flat) return o.data + begin * o.size;
    if (nest_.strides[i][0] != 1 || begin % nest_.dims[0] + n > nest_.dims[0]) return nullptr;
    return o.data + nest_.offset(i, begin) * o.size;
  }

  const void* load(int i, int64_t begin, int64_t n, std::byte* buffer, std::byte* raw) const {
    const Operand& o = operands_[i];
    if (o.constant) return buffer;
    const std::byte* source = in_place(i, begin, n);
    if (source == nullptr) {
      std::byte* to = o.convert == nullptr ? buffer : raw;
      source = to;
      for_each_run(nest_, i, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
        gather_run(to, o.data + offset * o.size, stride, run, static_cast<size_t>(o.size));
        to += run * o.size;
      });
    }
    if (o.convert == nullptr) return source;
    o.convert(buffer, source, n);
    return buffer;
  }

  // Everything lies in memory as the kernel wants it.
  void run_direct(int64_t begin) const {
    const void* in[kMaxOperands] = {};
    for (int i = 1; i <= inputs_; ++i) in[i] = operands_[i].data + begin * operands_[i].size;
    tile_(operands_[0].data + begin * operands_[0].size, in[1], in[2], in[3], scalars_.data(),
          std::min(kChunkElements, nest_.count - begin));
  }

  void run_tile(int64_t begin, int64_t n,
                std::byte (*buffers)[kTileElements * kMaxElementBytes + 64], std::byte* raw) const {
    const void* in[kMaxOperands] = {};
    // Buffers start a cache line apart modulo 4 KiB: equal offsets would alias in the store queue.
    for (int i = 1; i <= inputs_; ++i) in[i] = load(i, begin, n, buffers[i], raw);
    const Operand& out = operands_[0];
    std::byte* target = in_place(0, begin, n);
    const bool direct = target != nullptr && out.convert == nullptr;
    std::byte* result = direct ? target : buffers[0];
    tile_(result, in[1], in[2], in[3], scalars_.data(), n);
    if (direct) return;
    const std::byte* source = result;
    if (out.convert != nullptr) {
      std::byte* stored = target != nullptr ? target : raw;
      out.convert(stored, result, n);
      source = stored;
    }
    if (target != nullptr) return;
    for_each_run(nest_, 0, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
      scatter_run(out.data + offset * out.size, source, stride, run, static_cast<size_t>(out.size));
      source += run * out.size;
    });
  }

  DType compute_;
  int inputs_;
  size_t size_;  // bytes of an element of the compute type
  VectorTile tile_;
  Nest nest_;
  std::array<Operand, kMaxOperands> operands_;
  std::array<ComputeScalar, 4> scalars_;
  bool direct_ = false;
  int64_t row_ = 0, tiles_per_row_ = 0, num_tiles_ = 0;
};

bool is_plain_copy(const Elementwise& command) {
  return command.op == VectorOp::kCopy && command.inputs[0].dtype == command.out.dtype;
}

}  // namespace

DType compute_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
    case DType::kHalf:
    case DType::kBFloat16:
      return DType::kFloat;
    case DType::kDouble:
      return DType::kDouble;
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kUInt32:
      return DType::kInt64;
    default:
      return DType::kInt32;
  }
}

DType copy_compute_type(DType from, DType to) {
  const DType a = compute_type(from), b = compute_type(to);
  if (a == DType::kDouble || b == DType::kDouble) return DType::kDouble;
  if (a == DType::kFloat || b == DType::kFloat) return DType::kFloat;
  return a == DType::kInt64 || b == DType::kInt64 ? DType::kInt64 : DType::kInt32;
}

bool has_vector_op(VectorOp op, DType compute) {
  return kernels().vector_tile(op, compute) != nullptr;
}

void run(const Elementwise& command, Workers& workers) {
  if (is_plain_copy(command)) return copy_view(command.inputs[0], command.out, workers);
  const Prepared prepared(command);
  workers.parallel_for(prepared.chunks(), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t chunk = begin; chunk < end; ++chunk) prepared.run_chunk(chunk);
  });
}

void run(const Foreach& command, Workers& workers) {
  std::vector<Prepared> items;
  std::vector<int64_t> first_chunk{0};
  items.reserve(command.items.size());
  for (const Elementwise& item : command.items) {
    if (is_plain_copy(item)) {
      copy_view(item.inputs[0], item.out, workers);
      continue;
    }
    items.emplace_back(item);
    first_chunk.push_back(first_chunk.back() + items.back().chunks());
  }
  workers.parallel_for(first_chunk.back(), 1, [&](int64_t begin, int64_t end, int) {
    auto next = std::upper_bound(first_chunk.begin(), first_chunk.end(), begin);
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      while (*next <= chunk) ++next;
      const auto item = static_cast<size_t>(next - first_chunk.begin() - 1);
      items[item].run_chunk(chunk - first_chunk[item]);
    }
  });
}

}  // namespace npu::davinci
