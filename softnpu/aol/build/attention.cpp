// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/attention.h"

#include <algorithm>
#include <string_view>

#include "softnpu/davinci/attention.h"

namespace npu::aol {
namespace {

bool has_elements(const aclTensor* tensor) {
  const TensorView result = optional_view(tensor, "a tensor");
  return result.defined() && result.numel() != 0;
}

/// [..., n * d] as [..., n, d]
TensorView split_last(TensorView view, int64_t n, const char* role) {
  const int last = view.rank - 1;
  const int64_t stride = view.strides[last], size = view.dims[last];
  expect(n > 0 && size % n == 0, role, " is ", base::to_string(view),
         "; its last dimension must be ", "a multiple of headNum ", n);
  view = insert_dim(view, view.rank);
  view.dims[last] = n;
  view.strides[last] = size / n * stride;
  view.dims[last + 1] = size / n;
  view.strides[last + 1] = stride;
  return view;
}

/// Any layout as [B, N, S, D].
TensorView by_heads(const TensorView& view, std::string_view layout, int64_t heads,
                    const char* role) {
  if (layout == "BNSD" || layout == "BSND") {
    expect_rank(view, 4, 4, role);
    return layout == "BNSD" ? view : transpose(view, 1, 2);
  }
  expect(layout == "BSH" || layout == "SBH", "inputLayout is \"", layout,
         "\"; supported: BNSD, BSND, BSH, SBH");
  expect_rank(view, 3, 3, role);
  const TensorView batch_first = layout == "BSH" ? view : transpose(view, 0, 1);
  return transpose(split_last(batch_first, heads, role), 1, 2);
}

TensorView tensor_by_heads(const aclTensor* tensor, const AttentionArgs& args, int64_t heads,
                           const char* role) {
  const TensorView given = view(tensor, role);
  expect_type(given, {DType::kFloat, DType::kHalf, DType::kBFloat16}, role);
  return by_heads(given, args.layout == nullptr ? "" : args.layout, heads, role);
}

struct Operands {
  TensorView q, k, v;
  Shape scores;
};

Operands operands(const AttentionArgs& args) {
  Operands o;
  o.q = tensor_by_heads(args.query, args, args.heads, "query");
  const int64_t depth = o.q.dims[3];
  // Layouts with heads and depth in one dimension: keys may have fewer heads of the same depth.
  const TensorView key = view(args.key, "key");
  const bool flat = key.rank == 3;
  const int64_t key_heads = flat ? key.dims[2] / std::max<int64_t>(1, depth) : 0;
  o.k = tensor_by_heads(args.key, args, key_heads, "key");
  o.v = tensor_by_heads(args.value, args, key_heads, "value");
  expect(o.q.dims[1] == args.heads, "headNum is ", args.heads, "; query has ", o.q.dims[1]);
  const int64_t groups = o.k.dims[1];
  expect(groups > 0 && args.heads % groups == 0, "query has ", args.heads, " heads, key ", groups,
         "; the first must be a multiple of the second");
  expect_shape(o.k, {o.q.dims[0], groups, o.k.dims[2], depth}, "key");
  expect_shape(o.v, {o.q.dims[0], groups, o.k.dims[2], o.v.dims[3]}, "value");
  o.scores = {o.q.dims[0], args.heads, o.q.dims[2], o.k.dims[2]};
  return o;
}

/// A tensor that broadcasts to the scores, with strides of 0.
TensorView on_scores(const aclTensor* tensor, const Shape& scores, const char* role) {
  if (!has_elements(tensor)) return {};
  return expand(view(tensor, role), scores, role);
}

davinci::AttentionScores scores_of(const AttentionArgs& args, const Shape& shape) {
  expect(!has_elements(args.padding_mask) &&
             (args.prefix == nullptr || ints(args.prefix, "prefixOptional").empty()),
         "padding masks and prefixes are not supported; use attenMaskOptional");
  expect(args.pse_type == 0 || args.pse_type == 1, "pseType is ", args.pse_type,
         "; supported: 0, 1");
  davinci::AttentionScores scores;
  scores.scale = args.scale;
  scores.bias = on_scores(args.pse, shape, "realShiftOptional");
  scores.bias_scale = args.pse_type == 0 ? 1 : args.scale;
  if (scores.bias.defined()) expect_floating(scores.bias, "realShiftOptional");
  const int64_t queries = shape.dims[2], keys = shape.dims[3];
  switch (args.sparse_mode) {
    case 0:
    case 4:
      scores.diagonal = args.sparse_mode == 0 ? 0 : keys - queries;
      scores.before = args.pre_tokens;
      scores.after = args.next_tokens;
      break;
    case 1:
      break;
    case 2:  // causal: the mask that clients pass is a template of fixed size
      scores.after = 0;
      break;
    case 3:
      scores.diagonal = keys - queries;
      scores.after = 0;
      break;
    default:
      expect(false, "sparseMode is ", args.sparse_mode, "; supported: 0, 1, 2, 3, 4");
  }
  constexpr int64_t kAll = davinci::AttentionScores::kAll;
  scores.before = std::clamp(scores.before, -kAll, kAll);
  scores.after = std::clamp(scores.after, -kAll, kAll);
  if (args.sparse_mode <= 1) {
    scores.mask = on_scores(args.atten_mask, shape, "attenMaskOptional");
    if (scores.mask.defined()) {
      expect_type(scores.mask, {DType::kBool, DType::kUInt8}, "attenMaskOptional");
    } else if (args.sparse_mode == 0) {  // the band belongs to the mask
      scores.before = scores.after = kAll;
    }
  }
  if (has_elements(args.drop_mask) && args.keep_prob < 1) {
    scores.keep_bits = view(args.drop_mask, "dropMaskOptional");
    expect_type(scores.keep_bits, {DType::kUInt8}, "dropMaskOptional");
    expect(scores.keep_bits.numel() * 8 >= shape.numel() && scores.keep_bits.is_contiguous(),
           "dropMaskOptional is ", base::to_string(scores.keep_bits), "; it must have a bit for ",
           "each of ", shape.numel(), " scores");
    expect(args.keep_prob > 0, "keepProb is ", args.keep_prob, "; it must be above 0");
    scores.keep_probability = args.keep_prob;
  }
  return scores;
}

/// [B, N, S, 8] float32, or undefined.
TensorView statistic(const aclTensor* tensor, const Shape& scores, bool required,
                     const char* role) {
  if (!required && !has_elements(tensor)) return {};
  const TensorView result = view(tensor, role);
  expect_shape(result, {scores.dims[0], scores.dims[1], scores.dims[2], 8}, role);
  expect_type(result, {DType::kFloat}, role);
  return result;
}

TensorView like(const aclTensor* tensor, const AttentionArgs& args, const TensorView& shape,
                const char* role) {
  const TensorView result = tensor_by_heads(tensor, args, shape.dims[1], role);
  expect_shape(result, Shape::of(shape), role);
  return result;
}

TensorView output_of(const Operands& o) {
  TensorView shape = o.q;
  shape.dims[3] = o.v.dims[3];
  return shape;
}

}  // namespace

Plan attention(const AttentionArgs& args, const aclTensor* softmax_max,
               const aclTensor* softmax_sum, const aclTensor* out) {
  const Operands o = operands(args);
  davinci::Attention command;
  command.q = o.q;
  command.k = o.k;
  command.v = o.v;
  command.out = like(out, args, output_of(o), "attentionOutOut");
  command.scores = scores_of(args, o.scores);
  command.row_max = statistic(softmax_max, o.scores, false, "softmaxMaxOut");
  command.row_sum = statistic(softmax_sum, o.scores, false, "softmaxSumOut");
  expect_distinct_elements(command.out, "attentionOutOut");
  Plan plan;
  if (command.out.numel() != 0) plan.then(std::move(command));
  return plan;
}

Plan attention_backward(const AttentionArgs& args, const aclTensor* dy,
                        const aclTensor* softmax_max, const aclTensor* softmax_sum,
                        const aclTensor* out, const aclTensor* dq, const aclTensor* dk,
                        const aclTensor* dv, const aclTensor* dpse) {
  const Operands o = operands(args);
  expect(!has_elements(dpse), "the gradient of pse is not supported; pass null for dpseOut");
  davinci::AttentionBackward command;
  command.q = o.q;
  command.k = o.k;
  command.v = o.v;
  command.grad_out = like(dy, args, output_of(o), "dy");
  command.out = like(out, args, output_of(o), "attentionInOptional");
  command.scores = scores_of(args, o.scores);
  command.row_max = statistic(softmax_max, o.scores, true, "softmaxMaxOptional");
  command.row_sum = statistic(softmax_sum, o.scores, true, "softmaxSumOptional");
  command.grad_q = like(dq, args, o.q, "dqOut");
  command.grad_k = like(dk, args, o.k, "dkOut");
  command.grad_v = like(dv, args, o.v, "dvOut");
  Plan plan;
  if (o.scores.numel() == 0) {
    for (const TensorView& grad : {command.grad_q, command.grad_k, command.grad_v}) {
      add(plan, make_fill(grad, Scalar::of_int(0)));
    }
    return plan;
  }
  plan.then(std::move(command));
  return plan;
}

}  // namespace npu::aol
