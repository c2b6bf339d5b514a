// SPDX-License-Identifier: Apache-2.0
// Ring: a queue in one growing block, so that a stream in steady state allocates nothing. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace npu::runtime {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  /// i-th element from the front.
  T& operator[](size_t i) { return slots_[(front_ + i) & (slots_.size() - 1)]; }
  T& front() { return (*this)[0]; }

  void push(T value) {
    if (size_ == slots_.size()) grow();
    (*this)[size_++] = std::move(value);
  }
  T pop() {
    T value = std::move(front());
    front_ = (front_ + 1) & (slots_.size() - 1);
    --size_;
    return value;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 64 : 2 * slots_.size());  // a power of two
    for (size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    front_ = 0;
  }

  std::vector<T> slots_;
  size_t front_ = 0;
  size_t size_ = 0;
};

}  // namespace npu::runtime
