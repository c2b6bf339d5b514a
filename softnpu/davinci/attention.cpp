// SPDX-License-Identifier: Apache-2.0
// Attention by blocks of query rows. Scores of a block are one product, softmax works on its rows,
// and the second product follows while they are in the cache. The gradient goes head by head of
// keys, whose gradients then have one writer.
#include "softnpu/davinci/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr float kNoScore = -std::numeric_limits<float>::infinity();
constexpr int64_t kBlockFloats = 1 << 18;  // of a block's scores: they stay in the second cache
constexpr int64_t kMostRows = 96;

/// A head of a [B, N, rows, columns] view, from a row on.
Matrix head_of(const TensorView& view, int64_t batch, int64_t head, int64_t row) {
  const int64_t offset = batch * view.strides[0] + head * view.strides[1] + row * view.strides[2];
  return {view.data + offset * static_cast<int64_t>(base::size_of(view.dtype)), view.dtype,
          view.strides[2], view.strides[3]};
}
Matrix transposed(Matrix m) {
  std::swap(m.row_stride, m.column_stride);
  return m;
}
Matrix floats(float* data, int64_t row_stride) { return {data, DType::kFloat, row_stride, 1}; }

Matrix part(Matrix m, int64_t row, int64_t column) {
  m.data = static_cast<std::byte*>(m.data) + (row * m.row_stride + column * m.column_stride) *
                                                 static_cast<int64_t>(base::size_of(m.dtype));
  return m;
}

/// out = alpha * a @ b, or added to what out has.
void multiply(const Matrix& a, const Matrix& b, const Matrix& out, int64_t rows, int64_t columns,
              int64_t depth, double alpha, bool add = false) {
  for (int64_t i = 0; i < rows; i += kGemmMaxRows) {
    for (int64_t j = 0; j < columns; j += kGemmMaxColumns) {
      GemmTile tile;
      tile.a = part(a, i, 0);
      tile.b = part(b, 0, j);
      tile.out = part(out, i, j);
      tile.rows = std::min(kGemmMaxRows, rows - i);
      tile.columns = std::min(kGemmMaxColumns, columns - j);
      tile.depth = depth;
      tile.alpha = alpha;
      if (add) {
        tile.c = tile.out;
        tile.beta = 1;
        tile.in_place = false;
      }
      kernels().gemm_tile(tile);
    }
  }
}

/// out[i] = op(a[i], b[i]) in tiles; s0 = scalar.
void apply(VectorOp op, float* out, const float* a, const float* b, int64_t n, float scalar = 1) {
  ComputeScalar scalars[4] = {};
  scalars[0].f32 = scalar;
  kernels().vector_tile(op, DType::kFloat)(out, a, b, nullptr, scalars, n);
}

/// Ones, for adding a number by kAdd's factor.
const float* ones() {
  static const std::vector<float> values(kTileElements, 1.f);
  return values.data();
}
void add_number(float* row, float number, int64_t n) {
  for (int64_t i = 0; i < n; i += kTileElements) {
    apply(VectorOp::kAdd, row + i, row + i, ones(), std::min<int64_t>(kTileElements, n - i),
          number);
  }
}

double reduce(ReduceOp op, const float* row, int64_t n) {
  ReduceState state;
  for (int64_t i = 0; i < n; i += kTileElements) {
    kernels().reduce_tile(op, DType::kFloat)(&state, row + i,
                                             std::min<int64_t>(kTileElements, n - i), i, 0);
  }
  return state.value;
}

/// n elements of a row of a view as floats, in `buffer` unless they are that already.
const float* read_row(const Matrix& row, int64_t n, float* buffer) {
  if (row.dtype == DType::kFloat && row.column_stride == 1) {
    return static_cast<const float*>(row.data);
  }
  const auto size = static_cast<int64_t>(base::size_of(row.dtype));
  const auto* from = static_cast<const std::byte*>(row.data);
  const ConvertTile convert = kernels().convert_tile(DType::kFloat, row.dtype);
  if (row.column_stride == 1) {
    convert(buffer, from, n);
  } else {
    for (int64_t i = 0; i < n; ++i) convert(buffer + i, from + i * row.column_stride * size, 1);
  }
  return buffer;
}
void write_row(const Matrix& row, const float* from, int64_t n) {
  const auto size = static_cast<int64_t>(base::size_of(row.dtype));
  auto* to = static_cast<std::byte*>(row.data);
  const ConvertTile convert = kernels().convert_tile(row.dtype, DType::kFloat);
  if (row.column_stride == 1) return convert(to, from, n);
  for (int64_t i = 0; i < n; ++i) convert(to + i * row.column_stride * size, from + i, 1);
}

/// Rows [row, row + rows) of one head and the keys [first, first + width) that they may see.
struct Block {
  int64_t batch, head, key_head, row, rows, first, width;
};

struct Sizes {
  int64_t batches, heads, key_heads, queries, keys, depth, value_depth;
};
Sizes sizes_of(const TensorView& q, const TensorView& k, const TensorView& v) {
  return {q.dims[0], q.dims[1], k.dims[1], q.dims[2], k.dims[2], q.dims[3], v.dims[3]};
}

int64_t block_rows(const Sizes& s) {
  return std::clamp<int64_t>(kBlockFloats / std::max<int64_t>(1, s.keys), 8, kMostRows);
}

/// The keys that a query may see, as [first, last).
std::pair<int64_t, int64_t> seen(const AttentionScores& scores, int64_t query, int64_t keys) {
  const int64_t at = query + scores.diagonal;
  return {std::clamp<int64_t>(at - scores.before, 0, keys),
          std::clamp<int64_t>(at + scores.after + 1, 0, keys)};
}

Block make_block(const AttentionScores& scores, const Sizes& s, int64_t batch, int64_t head,
                 int64_t row, int64_t rows) {
  const int64_t first = seen(scores, row, s.keys).first;
  const int64_t last = seen(scores, row + rows - 1, s.keys).second;
  return {batch, head,  head / (s.heads / s.key_heads),    row,
          rows,  first, std::max<int64_t>(0, last - first)};
}

/// The block's scores, -inf where there are none. Row r is at data + r * block.width.
void compute_scores(const TensorView& q, const TensorView& k, const AttentionScores& scores,
                    const Block& b, float* data, float* buffer) {
  const int64_t keys = k.dims[2];
  multiply(head_of(q, b.batch, b.head, b.row), transposed(head_of(k, b.batch, b.key_head, b.first)),
           floats(data, b.width), b.rows, b.width, q.dims[3], scores.scale);
  for (int64_t r = 0; r < b.rows; ++r) {
    float* row = data + r * b.width;
    if (scores.bias.defined()) {
      const Matrix bias = part(head_of(scores.bias, b.batch, b.head, b.row + r), 0, b.first);
      const float* added = read_row(bias, b.width, buffer);
      for (int64_t i = 0; i < b.width; i += kTileElements) {
        apply(VectorOp::kAdd, row + i, row + i, added + i,
              std::min<int64_t>(kTileElements, b.width - i), static_cast<float>(scores.bias_scale));
      }
    }
    if (scores.mask.defined()) {
      const Matrix mask = part(head_of(scores.mask, b.batch, b.head, b.row + r), 0, b.first);
      const auto* masked = static_cast<const uint8_t*>(mask.data);
      for (int64_t i = 0; i < b.width; ++i) {
        if (masked[i * mask.column_stride] != 0) row[i] = kNoScore;
      }
    }
    const auto [first, last] = seen(scores, b.row + r, keys);
    std::fill(row, row + std::clamp<int64_t>(first - b.first, 0, b.width), kNoScore);
    std::fill(row + std::clamp<int64_t>(last - b.first, 0, b.width), row + b.width, kNoScore);
  }
}

/// row = exp(row - shift); zeros where a whole row has no scores.
void exponentials(float* row, int64_t n, double shift) {
  if (shift == -std::numeric_limits<double>::infinity()) {
    std::fill_n(row, n, 0.f);
    return;
  }
  add_number(row, static_cast<float>(-shift), n);
  for (int64_t i = 0; i < n; i += kTileElements) {
    apply(VectorOp::kExp, row + i, row + i, nullptr, std::min<int64_t>(kTileElements, n - i));
  }
}

/// Zeros what dropout took from a row, and scales the rest.
void drop(const AttentionScores& scores, const Sizes& s, const Block& b, int64_t r, float* row) {
  if (!scores.keep_bits.defined()) return;
  const auto* bits = scores.keep_bits.as<uint8_t>();
  const int64_t begin = ((b.batch * s.heads + b.head) * s.queries + b.row + r) * s.keys + b.first;
  const auto factor = static_cast<float>(1 / scores.keep_probability);
  for (int64_t i = 0; i < b.width; ++i) {
    const int64_t bit = begin + i;
    row[i] = (bits[bit / 8] >> (bit % 8) & 1) != 0 ? row[i] * factor : 0.f;
  }
}

void write_statistic(const TensorView& view, const Block& b, int64_t r, double value) {
  if (!view.defined()) return;
  const Matrix row = head_of(view, b.batch, b.head, b.row + r);
  auto* to = static_cast<float*>(row.data);
  for (int64_t i = 0; i < view.dims[3]; ++i) to[i * row.column_stride] = static_cast<float>(value);
}
double read_statistic(const TensorView& view, const Block& b, int64_t r) {
  return static_cast<double>(
      *static_cast<const float*>(head_of(view, b.batch, b.head, b.row + r).data));
}

void forward_block(const Attention& command, const Sizes& s, const Block& b, float* scratch) {
  float* scores = scratch;
  float* out = scratch + b.rows * s.keys;
  float* buffer = out + b.rows * s.value_depth;
  compute_scores(command.q, command.k, command.scores, b, scores, buffer);
  std::array<double, kMostRows> sums{};
  for (int64_t r = 0; r < b.rows; ++r) {
    float* row = scores + r * b.width;
    const double top =
        b.width == 0 ? static_cast<double>(kNoScore) : reduce(ReduceOp::kMax, row, b.width);
    exponentials(row, b.width, top);
    sums[static_cast<size_t>(r)] = b.width == 0 ? 0 : reduce(ReduceOp::kSum, row, b.width);
    write_statistic(command.row_max, b, r, top);
    write_statistic(command.row_sum, b, r, sums[static_cast<size_t>(r)]);
    drop(command.scores, s, b, r, row);
  }
  multiply(floats(scores, b.width), head_of(command.v, b.batch, b.key_head, b.first),
           floats(out, s.value_depth), b.rows, s.value_depth, b.width, 1);
  for (int64_t r = 0; r < b.rows; ++r) {
    float* row = out + r * s.value_depth;
    const double sum = sums[static_cast<size_t>(r)];
    const auto factor = static_cast<float>(sum == 0 ? 0 : 1 / sum);
    for (int64_t i = 0; i < s.value_depth; ++i) row[i] *= factor;
    write_row(head_of(command.out, b.batch, b.head, b.row + r), row, s.value_depth);
  }
}

/// One block's part of the gradients; those of keys and values add up.
void backward_block(const AttentionBackward& command, const Sizes& s, const Block& b,
                    float* scratch, float* grad_k, float* grad_v) {
  float* weights = scratch;                  // softmax of the scores
  float* grads = weights + b.rows * s.keys;  // of the weights, then of the scores
  float* rows = grads + b.rows * s.keys;
  float* buffer = rows + b.rows * std::max(s.depth, s.value_depth);
  compute_scores(command.q, command.k, command.scores, b, weights, buffer);
  const Matrix grad_out = head_of(command.grad_out, b.batch, b.head, b.row);
  multiply(grad_out, transposed(head_of(command.v, b.batch, b.key_head, b.first)),
           floats(grads, b.width), b.rows, b.width, s.value_depth, 1);
  for (int64_t r = 0; r < b.rows; ++r) {
    float* weight = weights + r * b.width;
    float* grad = grads + r * b.width;
    exponentials(weight, b.width, read_statistic(command.row_max, b, r));
    const double sum = read_statistic(command.row_sum, b, r);
    const auto factor = static_cast<float>(sum == 0 ? 0 : 1 / sum);
    for (int64_t i = 0; i < b.width; ++i) weight[i] *= factor;
    drop(command.scores, s, b, r, grad);
    // sum of weight * grad, which is grad_out . out
    const float* g = read_row(part(grad_out, r, 0), s.value_depth, buffer);
    const float* o = read_row(head_of(command.out, b.batch, b.head, b.row + r), s.value_depth,
                              buffer + s.value_depth);
    double dot = 0;
    for (int64_t i = 0; i < s.value_depth; ++i)
      dot += static_cast<double>(g[i]) * static_cast<double>(o[i]);
    add_number(grad, static_cast<float>(-dot), b.width);
    for (int64_t i = 0; i < b.width; i += kTileElements) {
      apply(VectorOp::kMul, grad + i, grad + i, weight + i,
            std::min<int64_t>(kTileElements, b.width - i));
    }
    drop(command.scores, s, b, r, weight);
  }
  multiply(transposed(floats(weights, b.width)), grad_out,
           floats(grad_v + b.first * s.value_depth, s.value_depth), b.width, s.value_depth, b.rows,
           1, true);
  multiply(transposed(floats(grads, b.width)), head_of(command.q, b.batch, b.head, b.row),
           floats(grad_k + b.first * s.depth, s.depth), b.width, s.depth, b.rows,
           command.scores.scale, true);
  if (!command.grad_q.defined()) return;
  multiply(floats(grads, b.width), head_of(command.k, b.batch, b.key_head, b.first),
           floats(rows, s.depth), b.rows, s.depth, b.width, command.scores.scale);
  for (int64_t r = 0; r < b.rows; ++r) {
    write_row(head_of(command.grad_q, b.batch, b.head, b.row + r), rows + r * s.depth, s.depth);
  }
}

void store_head(const TensorView& view, int64_t batch, int64_t head, const float* rows) {
  if (!view.defined()) return;
  for (int64_t row = 0; row < view.dims[2]; ++row) {
    write_row(head_of(view, batch, head, row), rows + row * view.dims[3], view.dims[3]);
  }
}

}  // namespace

void run(const Attention& command, Workers& workers) {
  const Sizes s = sizes_of(command.q, command.k, command.v);
  const int64_t rows = block_rows(s), blocks = (s.queries + rows - 1) / rows;
  const auto floats_each = static_cast<size_t>(rows * (s.keys + s.value_depth) + s.keys);
  std::vector<std::vector<float>> scratch(static_cast<size_t>(workers.size()));
  workers.parallel_for(
      s.batches * s.heads * blocks, 1, [&](int64_t begin, int64_t end, int worker) {
        std::vector<float>& mine = scratch[static_cast<size_t>(worker)];
        mine.resize(floats_each);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t head = i / blocks, row = i % blocks * rows;
          forward_block(command, s,
                        make_block(command.scores, s, head / s.heads, head % s.heads, row,
                                   std::min(rows, s.queries - row)),
                        mine.data());
        }
      });
}

void run(const AttentionBackward& command, Workers& workers) {
  const Sizes s = sizes_of(command.q, command.k, command.v);
  const int64_t rows = block_rows(s), group = s.heads / s.key_heads;
  const auto block_floats = static_cast<size_t>(
      rows * (2 * s.keys + std::max(s.depth, s.value_depth)) + s.keys + 2 * s.value_depth);
  const auto key_floats = static_cast<size_t>(s.keys * s.depth);
  const auto value_floats = static_cast<size_t>(s.keys * s.value_depth);
  std::vector<std::vector<float>> scratch(static_cast<size_t>(workers.size()));
  workers.parallel_for(s.batches * s.key_heads, 1, [&](int64_t begin, int64_t end, int worker) {
    std::vector<float>& mine = scratch[static_cast<size_t>(worker)];
    mine.resize(block_floats + key_floats + value_floats);
    float* grad_k = mine.data() + block_floats;
    float* grad_v = grad_k + key_floats;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / s.key_heads, key_head = i % s.key_heads;
      std::fill_n(grad_k, key_floats + value_floats, 0.f);
      for (int64_t head = key_head * group; head < (key_head + 1) * group; ++head) {
        for (int64_t row = 0; row < s.queries; row += rows) {
          backward_block(
              command, s,
              make_block(command.scores, s, batch, head, row, std::min(rows, s.queries - row)),
              mine.data(), grad_k, grad_v);
        }
      }
      store_head(command.grad_k, batch, key_head, grad_k);
      store_head(command.grad_v, batch, key_head, grad_v);
    }
  });
}

}  // namespace npu::davinci
