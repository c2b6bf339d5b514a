// SPDX-License-Identifier: Apache-2.0
// Random numbers: tiles of Philox words turned into the wanted distribution. Tile t always uses the
// same counters, so threads never show.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kTilesPerTask = 16;

// How many integers kRandomInt chooses from; 0 stands for all 2^64 (int_b = int_a).
uint64_t range_of(const Random& command) {
  return static_cast<uint64_t>(command.int_b) - static_cast<uint64_t>(command.int_a);
}

// Random words that one element takes: two for what needs more than 32 bits.
int words_per_element(const Random& command) {
  const bool wide_integer = command.op == RandomOp::kRandomInt &&
                            (range_of(command) == 0 || range_of(command) > (1ull << 32));
  const bool wide_real = command.out.dtype == DType::kDouble &&
                         (command.op == RandomOp::kUniform || command.op == RandomOp::kNormal ||
                          command.op == RandomOp::kExponential);
  return wide_integer || wide_real ? 2 : 1;
}

// Bits of the significand: a uniform number uses no more, so that it never rounds up to 1.
int digits_of(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return 11;
    case DType::kBFloat16:
      return 8;
    default:
      return 24;
  }
}

uint64_t wide_word(const uint32_t* random, int64_t i) {
  return static_cast<uint64_t>(random[2 * i]) << 32 | random[2 * i + 1];
}
double wide_uniform(const uint32_t* random, int64_t i) {
  return static_cast<double>(wide_word(random, i) >> 11) * 0x1p-53;
}

// [a, b); a product that rounds up to b falls back to a.
template <class T>
T scaled(T unit, T a, T b) {
  const T value = unit * (b - a) + a;
  return value >= b && b > a ? a : value;
}

void uniform(const Random& c, const uint32_t* random, float* out, int64_t n) {
  const int shift = 32 - digits_of(c.out.dtype);
  const float unit = std::ldexp(1.0f, shift - 32);
  const auto a = static_cast<float>(c.a), b = static_cast<float>(c.b);
  for (int64_t i = 0; i < n; ++i) {
    out[i] = scaled(static_cast<float>(random[i] >> shift) * unit, a, b);
  }
}
void uniform(const Random& c, const uint32_t* random, double* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = scaled(wide_uniform(random, i), c.a, c.b);
}

void normal(const Random& c, const uint32_t* random, float* out, int64_t n) {
  kernels().normal_from_random(out, random, (n + 1) / 2 * 2);
  const auto mean = static_cast<float>(c.a), deviation = static_cast<float>(c.b);
  for (int64_t i = 0; i < n; ++i) out[i] = out[i] * deviation + mean;
}
void normal(const Random& c, const uint32_t* random, double* out, int64_t n) {
  constexpr double kTurn = 6.283185307179586;
  for (int64_t i = 0; i < n; i += 2) {
    const double radius = std::sqrt(-2 * std::log(1 - wide_uniform(random, i)));
    const double angle = kTurn * wide_uniform(random, i + 1);
    out[i] = radius * std::cos(angle) * c.b + c.a;
    out[i + 1] = radius * std::sin(angle) * c.b + c.a;
  }
}

void exponential(const Random& c, const uint32_t* random, float* out, int64_t n) {
  const VectorTile log = kernels().vector_tile(VectorOp::kLog, DType::kFloat);
  for (int64_t i = 0; i < n; ++i) {
    out[i] = (static_cast<float>(random[i]) + 0.5f) * 0x1p-32f;
  }
  const ComputeScalar none[4] = {};
  log(out, out, nullptr, nullptr, none, n);
  // Never 0, as users divide by it.
  constexpr float kLeast = std::numeric_limits<float>::epsilon() / 2;
  const auto rate = static_cast<float>(c.a);
  for (int64_t i = 0; i < n; ++i) out[i] = std::max(-out[i], kLeast) / rate;
}
void exponential(const Random& c, const uint32_t* random, double* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = -std::log(1 - wide_uniform(random, i) * (1 - 0x1p-53)) / c.a;
}

// 1 where the number lies below the probability; `probability` holds one for each element.
void bernoulli(const uint32_t* random, const double* probability, int64_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<double>(random[i]) * 0x1p-32 < probability[i];
  }
}

void integers(const Random& c, const uint32_t* random, int64_t* out, int64_t n) {
  const uint64_t range = range_of(c);
  const bool wide = words_per_element(c) == 2;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t value = 0;
    if (!wide) {
      value = (static_cast<uint64_t>(random[i]) * range) >> 32;
    } else {
      value = range == 0 ? wide_word(random, i) : wide_word(random, i) % range;
    }
    out[i] = static_cast<int64_t>(static_cast<uint64_t>(c.int_a) + value);
  }
}

class Prepared {
 public:
  explicit Prepared(const Random& command) : command_(command) {
    const TensorView* views[] = {&command.out, &command.probability};
    nest_ = make_nest({views, command.probability.defined() ? 2u : 1u}, true);
    words_ = words_per_element(command);
    const bool integer = command.op == RandomOp::kBernoulli || command.op == RandomOp::kRandomInt;
    compute_ = integer                               ? DType::kInt64
               : command.out.dtype == DType::kDouble ? DType::kDouble
                                                     : DType::kFloat;
    convert_ = kernels().convert_tile(command.out.dtype, compute_);
    size_ = static_cast<int64_t>(base::size_of(command.out.dtype));
  }

  int64_t count() const { return nest_.count; }

  void run_tile(int64_t begin) const {
    const int64_t n = std::min<int64_t>(kTileElements, nest_.count - begin);
    alignas(64) uint32_t random[2 * kTileElements];
    alignas(64) std::byte values[kTileElements * 8], raw[kTileElements * 8];
    const int64_t words = (n + 3) / 4 * 4 * words_;
    kernels().philox(random, command_.seed,
                     command_.offset + static_cast<uint64_t>(begin * words_ / 4), words / 4);
    fill(random, begin, values, n);
    std::byte* to = raw;
    if (nest_.is_flat(0)) to = command_.out.data + begin * size_;
    convert_(to, values, n);
    if (to != raw) return;
    for_each_run(nest_, 0, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
      scatter_run(command_.out.data + offset * size_, to, stride, run, static_cast<size_t>(size_));
      to += run * size_;
    });
  }

 private:
  void fill(const uint32_t* random, int64_t begin, std::byte* values, int64_t n) const {
    auto* integer = reinterpret_cast<int64_t*>(values);
    if (command_.op == RandomOp::kRandomInt) return integers(command_, random, integer, n);
    if (command_.op == RandomOp::kBernoulli) {
      double probability[kTileElements];
      load_probability(begin, probability, n);
      return bernoulli(random, probability, integer, n);
    }
    if (compute_ == DType::kDouble) {
      fill_real(random, reinterpret_cast<double*>(values), n);
    } else {
      fill_real(random, reinterpret_cast<float*>(values), n);
    }
  }

  template <class T>
  void fill_real(const uint32_t* random, T* values, int64_t n) const {
    switch (command_.op) {
      case RandomOp::kNormal:
        return normal(command_, random, values, n);
      case RandomOp::kExponential:
        return exponential(command_, random, values, n);
      default:
        return uniform(command_, random, values, n);
    }
  }

  void load_probability(int64_t begin, double* to, int64_t n) const {
    const TensorView& view = command_.probability;
    if (!view.defined()) {
      std::fill_n(to, n, command_.a);
      return;
    }
    const ConvertTile widen = kernels().convert_tile(DType::kDouble, view.dtype);
    const auto size = static_cast<int64_t>(base::size_of(view.dtype));
    alignas(64) std::byte raw[kTileElements * 8];
    std::byte* next = raw;
    for_each_run(nest_, 1, begin, n, [&](int64_t offset, int64_t stride, int64_t run) {
      gather_run(next, view.data + offset * size, stride, run, static_cast<size_t>(size));
      next += run * size;
    });
    widen(to, raw, n);
  }

  const Random& command_;
  Nest nest_;
  int words_ = 1;
  DType compute_ = DType::kFloat;
  ConvertTile convert_ = nullptr;
  int64_t size_ = 0;
};

// Words below the threshold are kept: 2^32 (1 - p), exact at both ends.
uint64_t keep_threshold(double drop) {
  const double keep = std::clamp(1 - drop, 0.0, 1.0);
  return static_cast<uint64_t>(std::llround(keep * 0x1p32));
}

void dropout_mask(const Random& command, Workers& workers) {
  const int64_t bits = (command.count + 7) / 8 * 8;  // the last byte is filled up
  const uint64_t threshold = keep_threshold(command.a);
  constexpr int64_t kTile = kTileElements;
  const int64_t tiles = (bits + kTile - 1) / kTile;
  workers.parallel_for(tiles, 2 * kTilesPerTask, [&](int64_t begin, int64_t end, int) {
    alignas(64) uint32_t random[kTile];
    for (int64_t t = begin; t < end; ++t) {
      const int64_t n = std::min(kTile, bits - t * kTile);
      kernels().philox(random, command.seed, command.offset + static_cast<uint64_t>(t * kTile / 4),
                       n / 4);
      kernels().pack_bits_below(command.out.as<uint8_t>() + t * kTile / 8, random, threshold, n);
    }
  });
}

}  // namespace

void run(const Random& command, Workers& workers) {
  if (command.op == RandomOp::kDropoutMask) return dropout_mask(command, workers);
  const Prepared prepared(command);
  const int64_t tiles = (prepared.count() + kTileElements - 1) / kTileElements;
  workers.parallel_for(tiles, kTilesPerTask, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = begin; t < end; ++t) prepared.run_tile(t * kTileElements);
  });
}

}  // namespace npu::davinci
