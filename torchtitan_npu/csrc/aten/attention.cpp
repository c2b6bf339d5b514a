// SPDX-License-Identifier: Apache-2.0
// Scaled dot product attention by CANN's flash attention: no matrix of scores is kept, forwards or
// backwards. Gradients of gradients, gradients of masks and unusual shapes take PyTorch's general
// way, which has the matrix.
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention_native.h>
#include <ATen/ops/triu.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <cmath>
#include <limits>

#include "aclnnop/attention.h"
#include "torchtitan_npu/csrc/aten/dropout_bits.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_call.h"
#include "torchtitan_npu/csrc/aten/op_table.h"

namespace torchtitan_npu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kLayout = "BNSD";
constexpr int64_t kAllTokens = std::numeric_limits<int32_t>::max();

struct Options {
  double scale, p;
  bool causal;
};

int64_t sparse_mode(bool causal) { return causal ? 2 : 0; }
int64_t next_tokens(bool causal) { return causal ? 0 : kAllTokens; }

/// A causal mask is a template of this size on a card; the software NPU does not look at it.
at::Tensor causal_template(const at::Tensor& query) {
  if (cann().bundled) return {};
  constexpr int64_t kSize = 2048;
  return at::ones({kSize, kSize}, query.options().dtype(at::kBool)).triu(1);
}

/// The mask of what dropout keeps, as booleans.
at::Tensor kept(const at::Tensor& bits, at::IntArrayRef sizes, const at::Tensor& query, double p) {
  const at::Tensor all = at::ones(sizes, query.options().dtype(at::kFloat));
  at::Tensor out = new_like(all);
  ACLNN(DropoutDoMask)(all, bits, p, out);
  return at::ne(out, 0);
}

class FlashAttention : public torch::autograd::Function<FlashAttention> {
 public:
  /// `bias` is added to the scores, `masked` is true where there is none, `bits` are dropout's.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& query,
                            const at::Tensor& key, const at::Tensor& value,
                            const std::optional<at::Tensor>& bias,
                            const std::optional<at::Tensor>& masked,
                            const std::optional<at::Tensor>& bits, const Options& options) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(query.device());
    at::Tensor out = new_like(query, {query.size(0), query.size(1), query.size(2), value.size(3)});
    const c10::DimVector statistics{query.size(0), query.size(1), query.size(2), 8};
    at::Tensor top = new_like(query, statistics, at::kFloat), sum = new_like(top);
    const at::Tensor none = new_like(query, {0});
    ACLNN(FlashAttentionScoreV2)
    (query, key, value, bias, bits, at::Tensor(), masked, at::OptionalIntArrayRef(),
     at::OptionalIntArrayRef(), at::OptionalIntArrayRef(), options.scale, 1 - options.p, kAllTokens,
     next_tokens(options.causal), query.size(1), kLayout, int64_t{0}, sparse_mode(options.causal),
     int64_t{0}, top, sum, none, out);
    const auto or_none = [](const std::optional<at::Tensor>& t) {
      return t.value_or(at::Tensor());
    };
    context->save_for_backward(
        {query, key, value, or_none(bias), or_none(masked), or_none(bits), out, top, sum});
    context->saved_data["scale"] = options.scale;
    context->saved_data["p"] = options.p;
    context->saved_data["causal"] = options.causal;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const Options options{context->saved_data["scale"].toDouble(),
                          context->saved_data["p"].toDouble(),
                          context->saved_data["causal"].toBool()};
    const at::Tensor &query = saved[0], &key = saved[1], &value = saved[2];
    const auto result = [](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
      return variable_list{q, k, v, {}, {}, {}, {}};
    };
    if (at::GradMode::is_enabled()) {
      const variable_list found = differentiable(saved, options, grads[0]);
      return result(found[0], found[1], found[2]);
    }
    const c10::DeviceGuard guard(query.device());
    at::Tensor grad_query = new_like(query, query.sizes());
    at::Tensor grad_key = new_like(key, key.sizes()), grad_value = new_like(value, value.sizes());
    ACLNN(FlashAttentionScoreGradV2)
    (query, key, value, grads[0], saved[3], saved[5], at::Tensor(), saved[4], saved[7], saved[8],
     at::Tensor(), saved[6], at::OptionalIntArrayRef(), at::OptionalIntArrayRef(),
     at::OptionalIntArrayRef(), options.scale, 1 - options.p, kAllTokens,
     next_tokens(options.causal), query.size(1), kLayout, int64_t{0}, sparse_mode(options.causal),
     int64_t{0}, grad_query, grad_key, grad_value, at::Tensor());
    return result(grad_query, grad_key, grad_value);
  }

 private:
  /// Gradients by PyTorch's formulas, to be differentiated again.
  static variable_list differentiable(const variable_list& saved, const Options& options,
                                      const at::Tensor& grad) {
    const at::Tensor &query = saved[0], &key = saved[1], &value = saved[2];
    std::optional<at::Tensor> mask, dropped;
    if (saved[3].defined()) mask = saved[3];
    if (saved[4].defined() && !options.causal) mask = at::logical_not(saved[4]);
    if (saved[5].defined()) {
      dropped = kept(saved[5], {query.size(0), query.size(1), query.size(2), key.size(2)}, query,
                     options.p);
    }
    const at::Tensor out = std::get<0>(at::_scaled_dot_product_attention_math(
        query, key, value, mask, options.p, options.causal, dropped, options.scale,
        query.size(1) != key.size(1)));
    variable_list inputs;
    for (const at::Tensor* input : {&query, &key, &value}) {
      if (input->requires_grad()) inputs.push_back(*input);
    }
    const variable_list found = torch::autograd::grad({out}, inputs, {grad}, true, true, true);
    variable_list all;
    size_t next = 0;
    for (const at::Tensor* input : {&query, &key, &value}) {
      all.push_back(input->requires_grad() ? found[next++] : at::Tensor());
    }
    return all;
  }
};

bool broadcasts(at::IntArrayRef sizes, at::IntArrayRef to) {
  if (sizes.size() > to.size()) return false;
  for (size_t i = 1; i <= sizes.size(); ++i) {
    const int64_t size = sizes[sizes.size() - i];
    if (size != 1 && size != to[to.size() - i]) return false;
  }
  return true;
}

// Whether CANN's flash attention takes this call as it is.
bool takes_flash(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                 const std::optional<at::Tensor>& mask, double p, bool causal, bool enable_gqa) {
  const at::ScalarType type = query.scalar_type();
  if (query.dim() != 4 || key.dim() != 4 || value.dim() != 4 ||
      (type != at::kFloat && !at::isReducedFloatingType(type)) || key.scalar_type() != type ||
      value.scalar_type() != type || query.numel() == 0 || key.numel() == 0 || value.numel() == 0) {
    return false;
  }
  const int64_t heads = query.size(1), key_heads = key.size(1);
  if (heads != key_heads && (!enable_gqa || heads % key_heads != 0)) return false;
  if (value.size(1) != key_heads || key.size(0) != query.size(0) ||
      value.size(0) != query.size(0) || key.size(2) != value.size(2) ||
      key.size(3) != query.size(3) || !(0 <= p && p < 1)) {
    return false;
  }
  if (!cann().bundled && type == at::kFloat && (query.size(3) % 4 != 0 || value.size(3) % 4 != 0)) {
    return false;
  }
  if (mask.has_value()) {
    const bool boolean = mask->scalar_type() == at::kBool;
    // A card wants floating masks of few shapes; there they take the general way.
    if (causal || mask->requires_grad() ||
        (!boolean && (mask->scalar_type() != type || !cann().bundled)) ||
        !broadcasts(mask->sizes(), {query.size(0), heads, query.size(2), key.size(2)})) {
      return false;
    }
  }
  return !c10::impl::tls_local_dispatch_key_set().included_.has(
      c10::DispatchKey::FuncTorchDynamicLayerBackMode);
}

at::Tensor scaled_dot_product_attention(const at::Tensor& query, const at::Tensor& key,
                                        const at::Tensor& value,
                                        const std::optional<at::Tensor>& mask, double dropout_p,
                                        bool is_causal, std::optional<double> scale,
                                        bool enable_gqa) {
  if (!takes_flash(query, key, value, mask, dropout_p, is_causal, enable_gqa)) {
    return at::native::scaled_dot_product_attention(query, key, value, mask, dropout_p, is_causal,
                                                    scale, enable_gqa);
  }
  const c10::IntArrayRef q = query.sizes();
  std::optional<at::Tensor> bias, masked, bits;
  if (is_causal) masked = causal_template(query);
  if (mask.has_value()) {
    const at::Tensor whole = mask->expand({q[0], q[1], q[2], key.size(2)});
    if (mask->scalar_type() == at::kBool) {
      masked = at::logical_not(*mask).expand(whole.sizes());
    } else {
      bias = whole;
    }
  }
  if (dropout_p > 0) bits = dropout_bits(query, q[0] * q[1] * q[2] * key.size(2), dropout_p);
  const Options options{scale.value_or(1 / std::sqrt(static_cast<double>(q[3]))), dropout_p,
                        is_causal};
  return FlashAttention::apply(query, key, value, bias, masked, bits, options);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("scaled_dot_product_attention", &scaled_dot_product_attention);
}
TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  m.impl("scaled_dot_product_attention", &scaled_dot_product_attention);
  add_operator_row({"aten::scaled_dot_product_attention", "", "aclnnFlashAttentionScoreV2",
                    "attention", kFloats});
}

}  // namespace torchtitan_npu
