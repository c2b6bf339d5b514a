// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <type_traits>
#include <utility>

#include "softnpu/davinci/indexing.h"

namespace npu::davinci {

using base::DType;
using base::Workers;

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

template <class Key>
void keys_of(const base::TensorView& view, int64_t offset, int64_t stride, int64_t n, Key flip,
             Key* keys) {
  const bool done = with_number_type(view.dtype, [&]<class T>(const T*) {
    const T* from = view.as<T>() + offset;
    for (int64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(key_of(from[i * stride])) ^ flip;
  });
  if (done) return;
  const uint16_t infinity = view.dtype == DType::kHalf ? 0x7c00 : 0x7f80;
  const uint16_t* from = view.as<uint16_t>() + offset;
  for (int64_t i = 0; i < n; ++i) {
    const uint16_t bits = from[i * stride];
    keys[i] = static_cast<Key>(key_of_float(bits, (bits & 0x7fff) > infinity)) ^ flip;
  }
}

}  // namespace

void sort_keys(const base::TensorView& view, int64_t offset, int64_t stride, int64_t n,
               bool descending, uint64_t* keys) {
  keys_of<uint64_t>(view, offset, stride, n, descending ? ~uint64_t{0} : 0, keys);
}

void sort_keys(const base::TensorView& view, int64_t offset, int64_t stride, int64_t n,
               uint32_t* keys) {
  keys_of<uint32_t>(view, offset, stride, n, 0, keys);
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

namespace {

constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;
using Places = std::array<uint32_t, kDigits>;

// The bits in which keys differ.
template <class Key>
Key varying_bits(const Key* keys, int64_t n, int64_t part, int64_t parts, Workers& workers) {
  std::vector<Key> varying(static_cast<size_t>(parts));
  workers.parallel_for(parts, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t p = begin; p < end; ++p) {
      Key bits = 0;
      for (int64_t i = p * part; i < std::min(n, (p + 1) * part); ++i) bits |= keys[i] ^ keys[0];
      varying[static_cast<size_t>(p)] = bits;
    }
  });
  Key all = 0;
  for (const Key bits : varying) all |= bits;
  return all;
}

// One pass: counts each part's digits, gives every (digit, part) its place, and moves.
template <class Key>
void sort_digit(int64_t n, int shift, bool first, SortedKeys<Key> from, SortedKeys<Key> to,
                std::vector<Places>& places, Workers& workers) {
  const auto parts = std::ssize(places);
  const int64_t part = (n + parts - 1) / parts;
  const auto digit = [shift](Key key) { return static_cast<size_t>(key >> shift) % kDigits; };
  workers.parallel_for(parts, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t p = begin; p < end; ++p) {
      Places& count = places[static_cast<size_t>(p)];
      count.fill(0);
      for (int64_t i = p * part; i < std::min(n, (p + 1) * part); ++i) ++count[digit(from.keys[i])];
    }
  });
  uint32_t next = 0;
  for (size_t d = 0; d < kDigits; ++d) {
    for (Places& count : places) next += std::exchange(count[d], next);
  }
  workers.parallel_for(parts, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t p = begin; p < end; ++p) {
      Places& place = places[static_cast<size_t>(p)];
      for (int64_t i = p * part; i < std::min(n, (p + 1) * part); ++i) {
        const uint32_t at = place[digit(from.keys[i])]++;
        to.keys[at] = from.keys[i];
        to.order[at] = first ? static_cast<uint32_t>(i) : from.order[i];
      }
    }
  });
}

}  // namespace

template <class Key>
SortedKeys<Key> radix_order(int64_t n, SortedKeys<Key> keys, SortedKeys<Key> spare,
                            Workers& workers) {
  constexpr int64_t kPart = 1 << 15;
  const int64_t parts = std::clamp<int64_t>(n / kPart, 1, std::min(workers.size(), 64));
  std::vector<Places> places(static_cast<size_t>(parts));
  const Key varying = varying_bits(keys.keys, n, (n + parts - 1) / parts, parts, workers);
  bool first = true;
  for (int shift = 0; shift < static_cast<int>(8 * sizeof(Key)); shift += kDigitBits) {
    if ((varying >> shift) % kDigits == 0) continue;
    sort_digit(n, shift, first, keys, spare, places, workers);
    std::swap(keys, spare);
    first = false;
  }
  if (first) std::iota(keys.order, keys.order + n, 0u);
  return keys;
}
template SortedKeys<uint32_t> radix_order(int64_t, SortedKeys<uint32_t>, SortedKeys<uint32_t>,
                                          Workers&);
template SortedKeys<uint64_t> radix_order(int64_t, SortedKeys<uint64_t>, SortedKeys<uint64_t>,
                                          Workers&);

}  // namespace npu::davinci
