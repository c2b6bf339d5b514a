// SPDX-License-Identifier: Apache-2.0
// Bags of embeddings, and norms of the embeddings that are used.
#include "softnpu/davinci/embedding_bag.h"

#include "aclnnop/index.h"
#include "softnpu/aol/build/elementwise.h"

namespace npu::ge {

// clang-format off
void visit(davinci::EmbeddingBag& c, auto v) { v.read(c.weight, c.indices, c.offsets, c.sample_weights); v.write(c.out, c.offset2bag, c.sizes, c.max_indices); }
void visit(davinci::EmbeddingRenorm& c, auto v) { v.read(c.indices); v.update(c.weight); }
// clang-format on

}  // namespace npu::ge

namespace npu::aol {
namespace {

using davinci::BagMode;

/// An output of positions: left out if it is null or has no elements.
TensorView positions_output(const aclTensor* tensor, const char* role, const Shape& shape) {
  TensorView to = optional_view(tensor, role);
  if (!to.defined() || to.numel() == 0) return {};
  expect_index(to, role);
  expect_shape(to, shape, role);
  expect_distinct_elements(to, role);
  return to;
}

Plan embedding_bag(const aclTensor* weight, const aclTensor* indices, const aclTensor* offsets,
                   int64_t mode, const aclTensor* sample_weights, bool include_last_offset,
                   int64_t padding_idx, const aclTensor* output, const aclTensor* offset2bag,
                   const aclTensor* bag_size, const aclTensor* max_indices) {
  davinci::EmbeddingBag c;
  c.weight = view(weight, "weight");
  c.indices = view(indices, "indices");
  c.offsets = view(offsets, "offsets");
  c.sample_weights = optional_view(sample_weights, "perSampleWeights");
  c.out = view(output, "output");
  expect(mode >= 0 && mode <= 2, "mode is ", mode, "; allowed: 0 (sum), 1 (mean), 2 (max)");
  c.mode = static_cast<BagMode>(mode);
  c.padding_idx = padding_idx;
  expect_floating(c.weight, "weight");
  expect_index(c.indices, "indices");
  expect_index(c.offsets, "offsets");
  expect_rank(c.weight, 2, 2, "weight");
  expect_rank(c.indices, 1, 1, "indices");
  expect_rank(c.offsets, 1, 1, "offsets");
  expect_same_type(c.weight, "weight", c.out, "output");
  const int64_t bags = c.offsets.dims[0] - static_cast<int64_t>(include_last_offset);
  expect(bags >= 0, "offsets is empty; with includeLastOffset it has at least one element");
  const Shape shape{bags, c.weight.dims[1]};
  expect_shape(c.out, shape, "output");
  expect_distinct_elements(c.out, "output");
  expect_no_overlap(c.out, "output", c.weight, "weight");
  if (c.sample_weights.defined()) {
    expect_floating(c.sample_weights, "perSampleWeights");
    expect_shape(c.sample_weights, Shape::of(c.indices), "perSampleWeights");
    expect(c.mode == BagMode::kSum, "mode is ", mode,
           "; perSampleWeights can only be summed (mode 0)");
  }
  c.offset2bag = positions_output(offset2bag, "offset2bag", Shape::of(c.indices));
  c.sizes = positions_output(bag_size, "bagSize", {bags});
  c.max_indices =
      positions_output(max_indices, "maxIndices", c.mode == BagMode::kMax ? shape : Shape{bags});
  // As PyTorch: sums without padding end where the last offset says, all else with the indices.
  c.ends_at_last_offset = include_last_offset && c.mode == BagMode::kSum && padding_idx < 0;
  if (bags == 0) return {};
  return c;
}

Plan embedding_renorm(const aclTensor* self, const aclTensor* indices, double limit, double p) {
  const TensorView to = view(self, "selfRef"), positions = view(indices, "indices");
  expect_floating(to, "selfRef");
  expect_rank(to, 2, 2, "selfRef");
  expect_index(positions, "indices");
  expect_distinct_elements(to, "selfRef");
  expect(limit >= 0, "maxNorm is ", limit, "; it must not be negative");
  Plan plan;
  if (positions.numel() == 0 || to.numel() == 0) return plan;
  const TensorView flat = flat_view(plan, positions);
  plan.then(davinci::EmbeddingRenorm{to, flat, limit, p});
  return plan;
}

}  // namespace

ACLNN_OP(aclnnEmbeddingBag,
         (const aclTensor* weight, const aclTensor* indices, const aclTensor* offsets,
          bool scaleGradByFreq, int64_t mode, bool sparse, const aclTensor* perSampleWeights,
          bool includeLastOffset, int64_t paddingIdx, aclTensor* output, aclTensor* offset2bag,
          aclTensor* bagSize, aclTensor* maxIndices),
         (weight, indices, offsets, scaleGradByFreq, mode, sparse, perSampleWeights,
          includeLastOffset, paddingIdx, output, offset2bag, bagSize, maxIndices)) {
  return embedding_bag(weight, indices, offsets, mode, perSampleWeights, includeLastOffset,
                       paddingIdx, output, offset2bag, bagSize, maxIndices);
}
ACLNN_OP(aclnnEmbeddingRenorm,
         (aclTensor * selfRef, const aclTensor* indices, double maxNorm, double normType),
         (selfRef, indices, maxNorm, normType)) {
  return embedding_renorm(selfRef, indices, maxNorm, normType);
}

}  // namespace npu::aol
