// SPDX-License-Identifier: Apache-2.0
// LineView: a tensor as lines along one dimension, for commands that need a whole line at once
// (softmax, cumulative sum, layer norm). Lines come in place where they can, else through a buffer.
#pragma once

#include <cstddef>
#include <vector>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {

/// Scratch memory, one piece a worker.
class Scratch {
 public:
  Scratch(const Workers& workers, size_t bytes_each)
      : each_((bytes_each + 127) / 64 * 64), memory_(each_ * static_cast<size_t>(workers.size())) {}
  std::byte* of(int worker) { return memory_.data() + each_ * static_cast<size_t>(worker); }

 private:
  size_t each_;
  std::vector<std::byte> memory_;
};

class LineView {
 public:
  /// Lines of `length` elements `stride` apart, worked on in the compute type.
  LineView(const TensorView& view, int64_t length, int64_t stride, DType compute);

  /// The line at an element offset: in place, or converted into `buffer`.
  const std::byte* load(int64_t offset, std::byte* buffer) const;
  /// Where to write the line: in place, or `buffer` to be passed to store() after.
  std::byte* target(int64_t offset, std::byte* buffer) const;
  void store(int64_t offset, const std::byte* line) const;
  size_t buffer_bytes() const { return static_cast<size_t>(length_ * compute_size_); }

 private:
  bool in_place() const { return stride_ == 1 && to_compute_ == nullptr; }

  std::byte* data_;
  int64_t length_, stride_, size_, compute_size_;
  ConvertTile to_compute_ = nullptr, from_compute_ = nullptr;
};

/// The nest of lines along `dim`: flat index = line number, operands in the views' order. Views may
/// differ in that dimension.
Nest nest_of_lines(std::span<const TensorView* const> views, int dim);

/// One element of a float tensor, at an element offset, whatever its type.
double load_number(const TensorView& view, int64_t offset);
void store_number(const TensorView& view, int64_t offset, double value);

/// Lines for one task.
inline int64_t line_grain(int64_t length) {
  constexpr int64_t kElements = 1 << 13;
  return length >= kElements ? 1 : kElements / (length > 8 ? length : 8);
}

}  // namespace npu::davinci
