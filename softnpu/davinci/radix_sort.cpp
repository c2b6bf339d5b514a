// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "softnpu/davinci/indexing.h"

namespace npu::davinci {

using base::DType;

namespace {

// Keys have the element's own bits, so that a sort has fewer passes for short types.
template <class Bits>
uint64_t key_of_float(Bits bits, bool is_nan) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  if (is_nan) return static_cast<Bits>(~Bits{0});
  const Bits magnitude = bits & static_cast<Bits>(~kSign);
  // -0 and +0 meet in the middle.
  return static_cast<Bits>((bits & kSign) != 0 ? kSign - magnitude : kSign + magnitude);
}

template <class T>
uint64_t key_of(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return key_of_float(std::bit_cast<uint32_t>(value), value != value);
  } else if constexpr (std::is_same_v<T, double>) {
    return key_of_float(std::bit_cast<uint64_t>(value), value != value);
  } else if constexpr (std::is_signed_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<Bits>(static_cast<Bits>(value) ^ Bits{1} << (8 * sizeof(Bits) - 1));
  } else {
    return value;
  }
}

template <class T>
void typed_keys(const T* from, int64_t stride, int64_t n, uint64_t flip, uint64_t* keys) {
  for (int64_t i = 0; i < n; ++i) keys[i] = key_of(from[i * stride]) ^ flip;
}

}  // namespace

void sort_keys(const base::TensorView& view, int64_t offset, int64_t stride, int64_t n,
               bool descending, uint64_t* keys) {
  const uint64_t flip = descending ? ~0ull : 0;
  const bool done = with_number_type(view.dtype, [&]<class T>(const T*) {
    typed_keys(view.as<T>() + offset, stride, n, flip, keys);
  });
  if (done) return;
  const uint16_t infinity = view.dtype == DType::kHalf ? 0x7c00 : 0x7f80;
  const uint16_t* from = view.as<uint16_t>() + offset;
  for (int64_t i = 0; i < n; ++i) {
    const uint16_t bits = from[i * stride];
    keys[i] = key_of_float(bits, (bits & 0x7fff) > infinity) ^ flip;
  }
}

uint64_t nan_key(DType dtype) { return ~uint64_t{0} >> (64 - 8 * base::size_of(dtype)); }

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
