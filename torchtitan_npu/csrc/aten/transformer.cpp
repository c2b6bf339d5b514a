// SPDX-License-Identifier: Apache-2.0
// PyTorch's fast path of nn.TransformerEncoder(Layer) in evaluation: the whole layer is one
// operator there. Here it is composed of operators of the npu, attention without a matrix of
// scores.
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <torch/library.h>

#include <array>
#include <cmath>
#include <limits>

#include "torchtitan_npu/csrc/aten/op_table.h"

namespace torchtitan_npu {
namespace {

// PyTorch's number of a mask [batch, keys]; others broadcast to [batch, heads, queries, keys].
constexpr int64_t kPaddingMask = 1;

/// A fast path's mask, true or -inf where there is no score, as attention takes it.
std::optional<at::Tensor> attention_mask(const std::optional<at::Tensor>& mask,
                                         std::optional<int64_t> type, const at::Tensor& like) {
  if (!mask.has_value() || !mask->defined()) return std::nullopt;
  const at::Tensor shaped =
      type == kPaddingMask && mask->dim() == 2 ? mask->unsqueeze(1).unsqueeze(1) : *mask;
  return shaped.scalar_type() == at::kBool ? at::logical_not(shaped)
                                           : shaped.to(like.scalar_type());
}

struct Projections {
  const at::Tensor &qkv_weight, &qkv_bias, &out_weight, &out_bias;
};

/// [batch, length, width] as [batch, heads, length, width / heads]
at::Tensor by_heads(const at::Tensor& x, int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

at::Tensor joined(const at::Tensor& heads, const Projections& projections) {
  const at::Tensor x = heads.transpose(1, 2);
  return at::linear(x.reshape({x.size(0), x.size(1), x.size(2) * x.size(3)}),
                    projections.out_weight, projections.out_bias);
}

/// Queries, keys and values of heads; one product where they come from one tensor.
std::array<at::Tensor, 3> project(const at::Tensor& query, const at::Tensor& key,
                                  const at::Tensor& value, int64_t heads,
                                  const Projections& projections) {
  std::array<at::Tensor, 3> result;
  if (query.is_same(key) && query.is_same(value)) {
    const std::vector<at::Tensor> parts =
        at::linear(query, projections.qkv_weight, projections.qkv_bias)
            .view({query.size(0), query.size(1), 3, query.size(2)})
            .unbind(2);
    for (size_t i = 0; i < 3; ++i) result[i] = by_heads(parts[i], heads);
    return result;
  }
  const std::vector<at::Tensor> weights = projections.qkv_weight.chunk(3);
  const std::vector<at::Tensor> biases = projections.qkv_bias.chunk(3);
  const at::Tensor* inputs[] = {&query, &key, &value};
  for (size_t i = 0; i < 3; ++i) {
    result[i] = by_heads(at::linear(*inputs[i], weights[i], biases[i]), heads);
  }
  return result;
}

at::Tensor self_attention(const at::Tensor& x, int64_t heads, const Projections& projections,
                          const std::optional<at::Tensor>& mask, std::optional<int64_t> type) {
  const auto [q, k, v] = project(x, x, x, heads, projections);
  return joined(at::scaled_dot_product_attention(q, k, v, attention_mask(mask, type, x)),
                projections);
}

std::tuple<at::Tensor, at::Tensor> multi_head_attention(
    const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, int64_t embed_dim,
    int64_t num_head, const at::Tensor& qkv_weight, const at::Tensor& qkv_bias,
    const at::Tensor& proj_weight, const at::Tensor& proj_bias,
    const std::optional<at::Tensor>& mask, bool need_weights, bool average_attn_weights,
    std::optional<int64_t> mask_type) {
  TORCH_CHECK(
      query.dim() == 3 && query.size(2) == embed_dim && num_head > 0 && embed_dim % num_head == 0,
      "native multi head attention: query is ", query.sizes(), ", embed_dim ", embed_dim,
      ", heads ", num_head);
  const Projections projections{qkv_weight, qkv_bias, proj_weight, proj_bias};
  const auto [q, k, v] = project(query, key, value, num_head, projections);
  std::optional<at::Tensor> added = attention_mask(mask, mask_type, query);
  if (!need_weights) {
    return {joined(at::scaled_dot_product_attention(q, k, v, added), projections), at::Tensor()};
  }
  const double scale = 1 / std::sqrt(static_cast<double>(embed_dim / num_head));
  at::Tensor scores = at::matmul(q, k.transpose(-2, -1)).mul_(scale);
  if (added.has_value() && added->scalar_type() == at::kBool) {
    scores.masked_fill_(at::logical_not(*added), -std::numeric_limits<double>::infinity());
  } else if (added.has_value()) {
    scores.add_(*added);
  }
  const at::Tensor weights = at::softmax(scores, -1);
  return {joined(at::matmul(weights, v), projections),
          average_attn_weights ? weights.mean(1) : weights};
}

at::Tensor encoder_layer(const at::Tensor& src, int64_t embed_dim, int64_t num_heads,
                         const at::Tensor& qkv_weight, const at::Tensor& qkv_bias,
                         const at::Tensor& proj_weight, const at::Tensor& proj_bias, bool use_gelu,
                         bool norm_first, double eps, const at::Tensor& norm_weight_1,
                         const at::Tensor& norm_bias_1, const at::Tensor& norm_weight_2,
                         const at::Tensor& norm_bias_2, const at::Tensor& ffn_weight_1,
                         const at::Tensor& ffn_bias_1, const at::Tensor& ffn_weight_2,
                         const at::Tensor& ffn_bias_2, const std::optional<at::Tensor>& mask,
                         std::optional<int64_t> mask_type) {
  TORCH_CHECK(
      src.dim() == 3 && src.size(2) == embed_dim && num_heads > 0 && embed_dim % num_heads == 0,
      "transformer encoder layer: src is ", src.sizes(), ", embed_dim ", embed_dim, ", heads ",
      num_heads);
  const auto norm_1 = [&](const at::Tensor& x) {
    return at::layer_norm(x, embed_dim, norm_weight_1, norm_bias_1, eps);
  };
  const auto norm_2 = [&](const at::Tensor& x) {
    return at::layer_norm(x, embed_dim, norm_weight_2, norm_bias_2, eps);
  };
  const Projections projections{qkv_weight, qkv_bias, proj_weight, proj_bias};
  at::Tensor x = at::add(
      src, self_attention(norm_first ? norm_1(src) : src, num_heads, projections, mask, mask_type));
  if (!norm_first) x = norm_1(x);
  const at::Tensor inner = at::linear(norm_first ? norm_2(x) : x, ffn_weight_1, ffn_bias_1);
  const at::Tensor active = use_gelu ? at::gelu(inner) : at::relu(inner);
  x = at::add(x, at::linear(active, ffn_weight_2, ffn_bias_2));
  return norm_first ? x : norm_2(x);
}

/// Nested tensors stay off the npu: padded batches are computed as they are.
bool left_aligned(const at::Tensor&, const at::Tensor&) { return false; }

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_transformer_encoder_layer_fwd", &encoder_layer);
  m.impl("_native_multi_head_attention", &multi_head_attention);
  m.impl("_nested_tensor_from_mask_left_aligned", &left_aligned);
  add_operator_row({"aten::_transformer_encoder_layer_fwd", "", "aclnnFlashAttentionScoreV2",
                    "transformer", kFloats});
  add_operator_row({"aten::_native_multi_head_attention", "", "aclnnFlashAttentionScoreV2",
                    "transformer", kFloats});
}

}  // namespace torchtitan_npu
