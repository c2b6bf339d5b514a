// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_embedding_bag_backward_ops.h>
#include <ATen/ops/_embedding_bag_dense_backward_ops.h>
#include <ATen/ops/_embedding_bag_forward_only_ops.h>
#include <ATen/ops/_embedding_bag_ops.h>
#include <ATen/ops/_embedding_bag_per_sample_weights_backward_ops.h>
#include <ATen/ops/embedding_renorm_ops.h>
// END ROW HEADERS

#include <ATen/ops/_embedding_bag_dense_backward.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>

#include "aclnnop/index.h"
#include "aclnnop/reduce.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"

namespace torchtitan_npu {
namespace {

// How a bag becomes one row: PyTorch's numbers.
constexpr int64_t kBagSum = 0, kBagMean = 1, kBagMax = 2;

void check_indices(const at::Tensor& indices, const char* name) {
  TORCH_CHECK(indices.scalar_type() == at::kLong || indices.scalar_type() == at::kInt, name,
              ": indices must be int64 or int32, but are ", indices.scalar_type());
}

/// The bag of each index.
at::Tensor bags_of(const at::Tensor& offsets, const at::Tensor& indices) {
  at::Tensor starts = at::zeros(indices.numel() + 1, offsets.options());
  starts.index_add_(0, offsets, at::ones_like(offsets));
  return starts.cumsum(0).sub_(1).narrow(0, 0, indices.numel());
}

using FourTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;
FourTensors embedding_bag(const at::Tensor& weight, const at::Tensor& indices,
                          const at::Tensor& offsets, bool scale_grad_by_freq, int64_t mode,
                          bool sparse, const std::optional<at::Tensor>& per_sample_weights,
                          bool include_last_offset, int64_t padding_idx) {
  check_indices(indices, "embedding_bag");
  check_indices(offsets, "embedding_bag");
  TORCH_CHECK(
      weight.dim() == 2 && indices.dim() == 1 && offsets.dim() == 1,
      "embedding_bag: expected a matrix of weights and vectors of indices and offsets, got ",
      weight.sizes(), ", ", indices.sizes(), ", ", offsets.sizes());
  TORCH_CHECK(!include_last_offset || offsets.size(0) >= 1,
              "include_last_offset: number of offset should be at least 1");
  const bool weighted = per_sample_weights.has_value() && per_sample_weights->defined();
  TORCH_CHECK(!weighted || (mode == kBagSum && per_sample_weights->sizes() == indices.sizes()),
              "embedding_bag: per_sample_weights need mode='sum' and one weight for each index");
  const int64_t bags = offsets.size(0) - static_cast<int64_t>(include_last_offset);
  at::Tensor out = new_like(weight, {bags, weight.size(1)});
  at::Tensor offset2bag = new_like(indices, indices.sizes()), bag_size = new_like(indices, bags);
  at::Tensor max_indices =
      mode == kBagMax ? new_like(indices, {bags, weight.size(1)}) : new_like(indices, bags);
  ACLNN(EmbeddingBag)
  (weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
   include_last_offset, padding_idx, out, offset2bag, bag_size, max_indices);
  // CANN leaves offset2bag out where sums do not need it; the gradient makes its own.
  return {out, new_like(indices, 0), bag_size, max_indices};
}

/// Each bag's gradient goes to the rows that had the maxima; bags without elements have none.
at::Tensor bag_max_backward(const at::Tensor& grad, const at::Tensor& bag_size,
                            const at::Tensor& max_indices, int64_t num_weights) {
  const at::Tensor none = at::eq(bag_size, 0).unsqueeze(1);
  at::Tensor out = at::zeros({num_weights, grad.size(1)}, grad.options());
  const at::Tensor places = max_indices.masked_fill(at::lt(max_indices, 0), 0);
  return out.scatter_add_(0, places.to(at::kLong), grad.masked_fill(none, 0));
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "embedding";
#include "torchtitan_npu/csrc/aten/ops_embedding.inc"
}

}  // namespace torchtitan_npu
