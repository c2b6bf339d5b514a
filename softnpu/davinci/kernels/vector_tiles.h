// SPDX-License-Identifier: Apache-2.0
// One loop for each row of vector_ops.def in one compute type. vector_<type>.cpp instantiate it.
// Kernel builds only.
#pragma once

#include "softnpu/davinci/kernels/vector_math.h"

namespace npu::davinci::NPU_ISA {
namespace {

enum OpTypes { F = 1, I = 2, A = 3 };

// One struct with the formula for each row. `flag` knows its vector type.
#define VECTOR_OP(name, inputs, types, ...)                                               \
  struct name##Formula {                                                                  \
    template <class V, class T>                                                           \
    [[gnu::always_inline]] static inline V apply(V a, V b, V c, V s0, V s1, V s2, V s3) { \
      const auto flag = [](MaskOf<V> mask)                                                \
                            __attribute__((always_inline)) { return flag_as<V>(mask); };  \
      (void)flag;                                                                         \
      return __VA_ARGS__;                                                                 \
    }                                                                                     \
  };
#include "softnpu/davinci/vector_ops.def"
#undef VECTOR_OP

template <class T>
[[gnu::always_inline]] inline Vector<T> scalar_of(const ComputeScalar& s) {
  T value;
  memcpy(&value, &s, sizeof(value));
  return splat<Vector<T>>(value);
}

/// The last, partial vector goes through the same formula: where tiles end never shows.
template <class Formula, class T, int inputs>
void run_tile(void* out, const void* a, const void* b, const void* c, const ComputeScalar* s,
              int64_t n) {
  using V = Vector<T>;
  constexpr int kLanes = kLanesOf<T>;
  const V s0 = scalar_of<T>(s[0]), s1 = scalar_of<T>(s[1]);
  const V s2 = scalar_of<T>(s[2]), s3 = scalar_of<T>(s[3]);
  T* to = static_cast<T*>(out);
  const T* pa = static_cast<const T*>(a);
  const T* pb = static_cast<const T*>(b);
  const T* pc = static_cast<const T*>(c);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const V va = inputs > 0 ? load(pa + i) : V{};
    const V vb = inputs > 1 ? load(pb + i) : V{};
    const V vc = inputs > 2 ? load(pc + i) : V{};
    store<V>(to + i, Formula::template apply<V, T>(va, vb, vc, s0, s1, s2, s3));
  }
  if (const int64_t rest = n - i; rest > 0) {
    const V va = inputs > 0 ? load_part(pa + i, rest) : V{};
    const V vb = inputs > 1 ? load_part(pb + i, rest) : V{};
    const V vc = inputs > 2 ? load_part(pc + i, rest) : V{};
    store_part<V>(to + i, Formula::template apply<V, T>(va, vb, vc, s0, s1, s2, s3), rest);
  }
}

template <class Formula, class T, int inputs, bool has>
constexpr VectorTile choose_tile() {
  if constexpr (has) {
    return &run_tile<Formula, T, inputs>;
  } else {
    return nullptr;
  }
}

/// The table of one compute type, indexed by VectorOp.
template <class T>
struct VectorTiles {
  static constexpr int kType = kIsFloating<Vector<T>> ? F : I;
  static constexpr VectorTile kTable[kNumVectorOps] = {
#define VECTOR_OP(name, inputs, types, ...) \
  choose_tile<name##Formula, T, inputs, ((types) & kType) != 0>(),
#include "softnpu/davinci/vector_ops.def"
#undef VECTOR_OP
  };
};

}  // namespace
}  // namespace npu::davinci::NPU_ISA
