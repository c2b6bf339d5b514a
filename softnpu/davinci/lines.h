// SPDX-License-Identifier: Apache-2.0
// Tensors as lines along one dimension, for commands that need a whole line at once (softmax,
// cumulative sum, sort). Lines come in place where they can, else through a buffer; neighbouring
// strided lines share cache lines and are moved together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {

constexpr int64_t kLinesTogether = 16;

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

  /// The same for `count` lines whose first elements are neighbours: line l is in
  /// buffer + l * line_bytes().
  void load_together(int64_t offset, int64_t count, std::byte* buffer) const;
  void store_together(int64_t offset, int64_t count, const std::byte* buffer) const;
  /// Whole cache lines, and one more, so that lines do not all fall on the same cache set.
  size_t line_bytes() const {
    return (static_cast<size_t>(length_ * compute_size_) + 63) / 64 * 64 + 64;
  }

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

/// The lines along `dim` of one output and up to three inputs, in groups of one or of neighbours.
class LineLoop {
 public:
  LineLoop(const TensorView& out, std::initializer_list<const TensorView*> ins, int dim,
           DType compute);
  int64_t groups() const { return length_ == 0 ? 0 : nest_.count / row_ * groups_per_row_; }
  int64_t length() const { return length_; }
  int64_t lines_in_group() const { return together_ ? kLinesTogether : 1; }
  size_t scratch_bytes() const {
    return (views_.size() - 1) * static_cast<size_t>(lines_in_group()) * views_[0].line_bytes();
  }

  template <class Kernel>
  void run_group(int64_t group, std::byte* scratch, Kernel& kernel) const {
    const int64_t in_row = group % groups_per_row_ * lines_in_group();
    const int64_t line = group / groups_per_row_ * row_ + in_row;
    const std::byte* sources[kMaxOperands] = {};
    if (!together_) {
      for (size_t i = 1; i < views_.size(); ++i) {
        sources[i] = views_[i].load(offset(i, line), buffer(scratch, i));
      }
      std::byte* target = views_[0].target(offset(0, line), buffer(scratch, 1));
      kernel(target, &sources[1]);
      views_[0].store(offset(0, line), target);
      return;
    }
    const int64_t count = std::min(kLinesTogether, row_ - in_row);
    for (size_t i = 1; i < views_.size(); ++i) {
      views_[i].load_together(offset(i, line), count, buffer(scratch, i));
    }
    for (int64_t l = 0; l < count; ++l) {
      const size_t at = static_cast<size_t>(l) * views_[0].line_bytes();
      for (size_t i = 1; i < views_.size(); ++i) sources[i] = buffer(scratch, i) + at;
      kernel(buffer(scratch, 1) + at, &sources[1]);
    }
    views_[0].store_together(offset(0, line), count, buffer(scratch, 1));
  }

 private:
  int64_t offset(size_t operand, int64_t line) const {
    return nest_.offset(static_cast<int>(operand), line);
  }
  // Input i's lines; the output shares the first input's.
  std::byte* buffer(std::byte* scratch, size_t i) const {
    return scratch + (i - 1) * static_cast<size_t>(lines_in_group()) * views_[0].line_bytes();
  }

  Nest nest_;
  std::vector<LineView> views_;  // out, then the inputs
  int64_t length_ = 1, row_ = 1, groups_per_row_ = 1;
  bool together_ = false;
};

/// Calls kernel(out line, in lines) for every line along `dim`, in the compute type. The output's
/// buffer may be the first input's.
template <class Kernel>
void for_each_line(const TensorView& out, std::initializer_list<const TensorView*> ins, int dim,
                   DType compute, Workers& workers, Kernel kernel) {
  const LineLoop loop(out, ins, dim, compute);
  if (loop.groups() == 0) return;
  Scratch scratch(workers, loop.scratch_bytes());
  const int64_t grain = std::max<int64_t>(1, line_grain(loop.length()) / loop.lines_in_group());
  workers.parallel_for(loop.groups(), grain, [&](int64_t begin, int64_t end, int worker) {
    for (int64_t g = begin; g < end; ++g) loop.run_group(g, scratch.of(worker), kernel);
  });
}

}  // namespace npu::davinci
