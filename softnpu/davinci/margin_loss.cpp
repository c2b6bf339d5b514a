// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/margin_loss.h"

#include <algorithm>
#include <vector>

#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/lines.h"

namespace npu::davinci {
namespace {

template <class T>
void run_rows(const MultilabelMarginLoss& c, Workers& workers) {
  const int64_t rows = c.in.dims[0], classes = c.in.dims[1];
  const DType compute = compute_type(c.in.dtype);
  const LineView in(c.in, classes, c.in.strides[1], compute);
  const LineView truth(c.is_target, classes, c.is_target.strides[1], compute);
  std::vector<double> losses(static_cast<size_t>(rows));
  IndexCheck check;
  const auto row_loss = [&](int64_t row, T* values, T* flags, std::vector<T>& others) {
    const auto* x = reinterpret_cast<const T*>(
        in.load(row * c.in.strides[0], reinterpret_cast<std::byte*>(values)));
    auto* is_label = reinterpret_cast<T*>(
        truth.target(row * c.is_target.strides[0], reinterpret_cast<std::byte*>(flags)));
    const auto label_at = [&](int64_t i) {
      return index_at(c.target, row * c.target.strides[0] + i * c.target.strides[1]);
    };
    std::fill_n(is_label, classes, T{0});
    int64_t labels = 0;
    bool fine = true;
    for (; labels < classes && label_at(labels) != -1; ++labels) {
      int64_t label = label_at(labels);
      fine = check.accept(row * classes + labels, label, classes, false) && fine;
      if (fine) is_label[label] = 1;
    }
    if (!fine) return;
    others.clear();
    for (int64_t i = 0; i < classes; ++i) {
      if (is_label[i] == 0) others.push_back(x[i]);
    }
    double sum = 0;
    for (int64_t k = 0; k < labels; ++k) {
      const T margin = 1 - x[label_at(k)];
      for (const T other : others) {
        const T missing = margin + other;
        sum += missing > 0 ? static_cast<double>(missing) : 0;
      }
    }
    losses[static_cast<size_t>(row)] = sum / static_cast<double>(classes);
    truth.store(row * c.is_target.strides[0], reinterpret_cast<const std::byte*>(is_label));
  };
  workers.parallel_for(rows, line_grain(4 * classes), [&](int64_t begin, int64_t end, int) {
    std::vector<T> values(static_cast<size_t>(classes)), flags(values.size()), others;
    for (int64_t row = begin; row < end; ++row) {
      row_loss(row, values.data(), flags.data(), others);
    }
  });
  check.finish("the classes");
  if (c.reduction == Reduction::kNone) {
    for (int64_t row = 0; row < rows; ++row) {
      store_number(c.out, row * c.out.strides[0], losses[static_cast<size_t>(row)]);
    }
    return;
  }
  double total = 0;
  for (const double loss : losses) total += loss;
  if (c.reduction == Reduction::kMean) total /= static_cast<double>(rows);
  store_number(c.out, 0, total);
}

}  // namespace

void run(const MultilabelMarginLoss& command, Workers& workers) {
  if (command.in.dtype == DType::kDouble) {
    run_rows<double>(command, workers);
  } else {
    run_rows<float>(command, workers);
  }
}

}  // namespace npu::davinci
