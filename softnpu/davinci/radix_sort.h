// SPDX-License-Identifier: Apache-2.0
// Stable sorting by bits: every element type maps to an unsigned key whose order is PyTorch's (NaN
// largest, -0 equal to +0), and one radix sort serves all.
#pragma once

#include <cstdint>
#include <vector>

#include "softnpu/base/tensor.h"
#include "softnpu/base/workers.h"

namespace npu::davinci {

/// Sort keys of n strided elements; descending inverts them, so an ascending sort stays stable.
void sort_keys(const base::TensorView& view, int64_t offset, int64_t stride, int64_t n,
               bool descending, uint64_t* keys);
/// The same, not inverted, for elements of at most 4 bytes.
void sort_keys(const base::TensorView& view, int64_t offset, int64_t stride, int64_t n,
               uint32_t* keys);

/// The key of NaN in a floating-point type (not inverted); no number has it.
uint64_t nan_key(base::DType dtype);

struct KeyedIndex {
  uint64_t key;
  int64_t index;
};

/// Sorts by key, keeping the order of equal keys; `other` is scratch of the same size.
void radix_sort(std::vector<KeyedIndex>& items, std::vector<KeyedIndex>& other);

/// Keys in order, and which element each belongs to.
template <class Key>
struct SortedKeys {
  Key* keys;
  uint32_t* order;
};
/// Sorts n < 2^32 keys with the workers; the order of equal keys stays. keys, spare_keys, order and
/// spare_order have n elements each, and the result is in one of each kind.
template <class Key>
SortedKeys<Key> radix_order(int64_t n, SortedKeys<Key> keys, SortedKeys<Key> spare,
                            base::Workers& workers);

}  // namespace npu::davinci
