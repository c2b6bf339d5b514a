// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/radix_sort.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci {
namespace {

constexpr uint64_t kTop = 1ull << 63;

uint64_t key_of(double value) {
  if (value != value) return ~0ull;
  value += 0.0;  // -0 becomes +0
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits & kTop) != 0 ? ~bits : bits | kTop;
}
uint64_t key_of(int64_t value) { return static_cast<uint64_t>(value) ^ kTop; }

template <class T>
void typed_keys(const T* from, int64_t stride, int64_t n, uint64_t flip, uint64_t* keys) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      keys[i] = key_of(static_cast<double>(from[i * stride])) ^ flip;
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      keys[i] = from[i * stride] ^ flip;
    } else {
      keys[i] = key_of(static_cast<int64_t>(from[i * stride])) ^ flip;
    }
  }
}

}  // namespace

void sort_keys(const base::TensorView& view, int64_t offset, int64_t stride, int64_t n,
               bool descending, uint64_t* keys) {
  const uint64_t flip = descending ? ~0ull : 0;
  switch (view.dtype) {
#define NPU_KEYS(name, type) \
  case DType::name:          \
    return typed_keys(view.as<type>() + offset, stride, n, flip, keys);
    NPU_KEYS(kFloat, float)
    NPU_KEYS(kDouble, double)
    NPU_KEYS(kInt64, int64_t)
    NPU_KEYS(kUInt64, uint64_t)
    NPU_KEYS(kInt32, int32_t)
    NPU_KEYS(kUInt32, uint32_t)
    NPU_KEYS(kInt16, int16_t)
    NPU_KEYS(kUInt16, uint16_t)
    NPU_KEYS(kInt8, int8_t)
    NPU_KEYS(kUInt8, uint8_t)
    NPU_KEYS(kBool, uint8_t)
#undef NPU_KEYS
    default:
      break;
  }
  const ConvertTile widen = kernels().convert_tile(DType::kFloat, view.dtype);
  for (int64_t i = 0; i < n; ++i) {
    float value = 0;
    widen(&value, view.as<uint16_t>() + offset + i * stride, 1);
    keys[i] = key_of(static_cast<double>(value)) ^ flip;
  }
}

void radix_sort(std::vector<KeyedIndex>& items, std::vector<KeyedIndex>& other) {
  if (items.size() < 512) {
    std::stable_sort(items.begin(), items.end(),
                     [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; });
    return;
  }
  constexpr int kBits = 11, kPasses = 6;  // 66 bits cover 64
  constexpr size_t kBuckets = 1 << kBits;
  std::vector<std::array<uint32_t, kBuckets>> counts(kPasses);
  for (const KeyedIndex& item : items) {
    for (int pass = 0; pass < kPasses; ++pass) {
      ++counts[pass][item.key >> (pass * kBits) & (kBuckets - 1)];
    }
  }
  other.resize(items.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& count = counts[pass];
    const int shift = pass * kBits;
    if (count[items[0].key >> shift & (kBuckets - 1)] == items.size()) continue;  // all equal here
    uint32_t next = 0;
    for (uint32_t& c : count) next += std::exchange(c, next);
    for (const KeyedIndex& item : items) {
      other[count[item.key >> shift & (kBuckets - 1)]++] = item;
    }
    items.swap(other);
  }
}

}  // namespace npu::davinci
