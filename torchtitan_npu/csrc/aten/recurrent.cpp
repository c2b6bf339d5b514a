// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: one CANN call for all steps of a layer in one direction, which keeps what its
// gradient needs. Packed sequences, projections and gradients of gradients go step by step.
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_thnn_fused_gru_cell_backward_ops.h>
#include <ATen/ops/_thnn_fused_gru_cell_ops.h>
#include <ATen/ops/_thnn_fused_lstm_cell_backward_impl_ops.h>
#include <ATen/ops/_thnn_fused_lstm_cell_ops.h>
// END ROW HEADERS

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/gru_native.h>
#include <ATen/ops/lstm_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/tanh_backward.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <array>

#include "aclnnop/activation.h"
#include "aclnnop/recurrent.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"

namespace torchtitan_npu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool given(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() && tensor->defined();
}

at::Tensor value(const std::optional<at::Tensor>& tensor) { return tensor.value_or(at::Tensor()); }

void check_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates, const at::Tensor& hx,
                int64_t gates) {
  TORCH_CHECK(hx.dim() == 2 && input_gates.dim() == 2 &&
                  input_gates.sizes() == hidden_gates.sizes() &&
                  input_gates.size(0) == hx.size(0) && input_gates.size(1) == gates * hx.size(1),
              "a recurrent cell's gates are ", input_gates.sizes(), " and ", hidden_gates.sizes(),
              ", its state ", hx.sizes(), "; expected [batch, ", gates,
              " * hidden] twice and [batch, hidden]");
}

at::Tensor wide(const at::Tensor& tensor) {
  return at::isReducedFloatingType(tensor.scalar_type()) ? tensor.to(at::kFloat) : tensor;
}
at::Tensor with_bias(const at::Tensor& gates, const std::optional<at::Tensor>& bias) {
  return given(bias) ? at::add(wide(gates), wide(*bias)) : wide(gates);
}

// What a layer is called with, beside tensors.
struct LayerOptions {
  bool has_biases, batch_first, keep;
};
void save(AutogradContext* context, const LayerOptions& options) {
  context->saved_data["has_biases"] = options.has_biases;
  context->saved_data["batch_first"] = options.batch_first;
}

variable_list parameters(const variable_list& saved, size_t first, bool has_biases) {
  const auto begin = saved.begin() + static_cast<ptrdiff_t>(first);
  return {begin, begin + (has_biases ? 4 : 2)};
}

c10::DimVector step_sizes(const at::Tensor& input, const at::Tensor& hx, bool batch_first) {
  return {input.size(batch_first ? 1 : 0), input.size(batch_first ? 0 : 1), hx.size(2)};
}
at::Tensor output_like(const at::Tensor& input, const at::Tensor& hx) {
  return new_like(input, {input.size(0), input.size(1), hx.size(2)});
}
template <size_t N>
std::array<at::Tensor, N> new_gates(const at::Tensor& input, const c10::DimVector& sizes,
                                    bool wanted) {
  std::array<at::Tensor, N> gates;
  if (wanted) {
    for (at::Tensor& gate : gates) gate = new_like(input, sizes);
  }
  return gates;
}
at::TensorList list_of(const at::Tensor& tensor) {
  return tensor.defined() ? at::TensorList(tensor) : at::TensorList();
}

/// Gradients by PyTorch's own formulas, which can be differentiated again.
variable_list differentiable(const variable_list& outputs, const variable_list& grads,
                             const variable_list& inputs) {
  variable_list from, with, to;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!grads[i].defined()) continue;
    from.push_back(outputs[i]);
    with.push_back(grads[i]);
  }
  for (const at::Tensor& input : inputs) {
    if (input.defined() && input.requires_grad()) to.push_back(input);
  }
  const variable_list found = torch::autograd::grad(from, to, with, true, true, true);
  variable_list all;
  size_t next = 0;
  for (const at::Tensor& input : inputs) {
    all.push_back(input.defined() && input.requires_grad() ? found[next++] : at::Tensor());
  }
  return all;
}

class LstmLayer : public torch::autograd::Function<LstmLayer> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& input,
                               const at::Tensor& hx, const at::Tensor& cx, const at::Tensor& w_ih,
                               const at::Tensor& w_hh, const std::optional<at::Tensor>& b_ih,
                               const std::optional<at::Tensor>& b_hh, const LayerOptions& options) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const variable_list params =
        parameters({w_ih, w_hh, value(b_ih), value(b_hh)}, 0, options.has_biases);
    const c10::DimVector sizes = step_sizes(input, hx, options.batch_first);
    at::Tensor output = output_like(input, hx);
    at::Tensor hy = new_like(hx, hx.sizes()), cy = new_like(cx, cx.sizes());
    const auto [i, g, f, o, tanh_c] = new_gates<5>(input, sizes, options.keep);
    const auto [h, c] = new_gates<2>(input, sizes, options.keep);
    ACLNN(LSTM)
    (input, at::TensorList(params), at::TensorList({hx, cx}), at::Tensor(), options.has_biases,
     int64_t{1}, 0., options.keep, false, options.batch_first, output, hy, cy, list_of(i),
     list_of(g), list_of(f), list_of(o), list_of(h), list_of(c), list_of(tanh_c));
    save(context, options);
    context->save_for_backward(
        {input, hx, cx, w_ih, w_hh, value(b_ih), value(b_hh), i, g, f, o, h, c, tanh_c});
    return {output, hy, cy};
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const bool has_biases = context->saved_data["has_biases"].toBool();
    const bool batch_first = context->saved_data["batch_first"].toBool();
    const at::Tensor &input = saved[0], &hx = saved[1], &cx = saved[2];
    const variable_list params = parameters(saved, 3, has_biases);
    if (at::GradMode::is_enabled()) {
      const auto [output, hy, cy] = at::native::lstm(input, at::TensorList({hx, cx}), params,
                                                     has_biases, 1, 0., true, false, batch_first);
      variable_list result =
          differentiable({output, hy, cy}, grads, {saved.begin(), saved.begin() + 7});
      result.emplace_back();
      return result;
    }
    const c10::DeviceGuard guard(input.device());
    at::Tensor grad_input = new_like(input, input.sizes());
    at::Tensor grad_hx = new_like(hx, hx.sizes()), grad_cx = new_like(cx, cx.sizes());
    variable_list grad_params;
    for (const at::Tensor& param : params) grad_params.push_back(new_like(param, param.sizes()));
    ACLNN(LstmBackward)
    (input, at::TensorList({hx, cx}), at::TensorList(params), grads[0], grads[1], grads[2],
     at::TensorList(saved[7]), at::TensorList(saved[8]), at::TensorList(saved[9]),
     at::TensorList(saved[10]), at::TensorList(saved[11]), at::TensorList(saved[12]),
     at::TensorList(saved[13]), at::Tensor(), has_biases, int64_t{1}, 0., true, false, batch_first,
     at::ArrayRef<bool>(std::array{true, true, true, true}), grad_input, grad_hx, grad_cx,
     at::TensorList(grad_params));
    grad_params.resize(4);
    return {grad_input,     grad_hx,        grad_cx,        grad_params[0],
            grad_params[1], grad_params[2], grad_params[3], at::Tensor()};
  }
};

class GruLayer : public torch::autograd::Function<GruLayer> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& input,
                               const at::Tensor& hx, const at::Tensor& w_ih, const at::Tensor& w_hh,
                               const std::optional<at::Tensor>& b_ih,
                               const std::optional<at::Tensor>& b_hh, const LayerOptions& options) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const variable_list params =
        parameters({w_ih, w_hh, value(b_ih), value(b_hh)}, 0, options.has_biases);
    const c10::DimVector sizes = step_sizes(input, hx, options.batch_first);
    at::Tensor output = output_like(input, hx), hy = new_like(hx, hx.sizes());
    const auto [r, z, n, hn, h] = new_gates<5>(input, sizes, options.keep);
    ACLNN(GRU)
    (input, at::TensorList(params), hx, at::Tensor(), options.has_biases, int64_t{1}, 0.,
     options.keep, false, options.batch_first, output, hy, list_of(r), list_of(z), list_of(n),
     list_of(hn), list_of(h));
    save(context, options);
    context->save_for_backward({input, hx, w_ih, w_hh, value(b_ih), value(b_hh), r, z, n, hn, h});
    return {output, hy};
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const bool has_biases = context->saved_data["has_biases"].toBool();
    const bool batch_first = context->saved_data["batch_first"].toBool();
    const at::Tensor &input = saved[0], &hx = saved[1];
    const variable_list params = parameters(saved, 2, has_biases);
    if (at::GradMode::is_enabled()) {
      const auto [output, hy] =
          at::native::gru(input, hx, params, has_biases, 1, 0., true, false, batch_first);
      variable_list result =
          differentiable({output, hy}, grads, {saved.begin(), saved.begin() + 6});
      result.emplace_back();
      return result;
    }
    const c10::DeviceGuard guard(input.device());
    at::Tensor grad_input = new_like(input, input.sizes()), grad_hx = new_like(hx, hx.sizes());
    variable_list grad_params;
    for (const at::Tensor& param : params) grad_params.push_back(new_like(param, param.sizes()));
    ACLNN(GRUBackward)
    (input, at::TensorList(params), hx, grads[0], grads[1], at::TensorList(saved[6]),
     at::TensorList(saved[7]), at::TensorList(saved[8]), at::TensorList(saved[9]),
     at::TensorList(saved[10]), at::Tensor(), has_biases, int64_t{1}, false, batch_first,
     grad_input, grad_hx, at::TensorList(grad_params));
    grad_params.resize(4);
    return {grad_input,     grad_hx,        grad_params[0], grad_params[1],
            grad_params[2], grad_params[3], at::Tensor()};
  }
};

bool any_requires_grad(const at::Tensor& input, at::TensorList states, at::TensorList params) {
  const auto wants = [](const at::Tensor& tensor) { return tensor.requires_grad(); };
  return at::GradMode::is_enabled() &&
         (wants(input) || std::ranges::any_of(states, wants) || std::ranges::any_of(params, wants));
}

// Whether a layer at a time computes this: one floating type everywhere, no projections.
bool layer_by_layer(const at::Tensor& input, at::TensorList states, at::TensorList params,
                    bool has_biases, int64_t num_layers, bool bidirectional) {
  const int64_t wanted = num_layers * (bidirectional ? 2 : 1) * (has_biases ? 4 : 2);
  const auto fits = [&](const at::Tensor& tensor) {
    return tensor.scalar_type() == input.scalar_type() && tensor.device() == input.device();
  };
  const at::ScalarType type = input.scalar_type();
  return input.dim() == 3 && input.numel() != 0 && static_cast<int64_t>(params.size()) == wanted &&
         (type == at::kFloat || at::isReducedFloatingType(type)) &&
         std::ranges::all_of(states, fits) && std::ranges::all_of(params, fits) &&
         std::ranges::all_of(states,
                             [&](const at::Tensor& s) {
                               return s.dim() == 3 && s.sizes() == states[0].sizes() &&
                                      s.size(0) == num_layers * (bidirectional ? 2 : 1);
                             }) &&
         !c10::impl::tls_local_dispatch_key_set().included_.has(
             c10::DispatchKey::FuncTorchDynamicLayerBackMode);
}

/// Runs `layer(input, index of the state, parameters)` -> [output, states…] over layers and
/// directions; returns the last output and the states, stacked.
template <class Layer>
variable_list run_layers(at::Tensor input, at::TensorList params, bool has_biases,
                         int64_t num_layers, double dropout, bool train, bool bidirectional,
                         bool batch_first, Layer layer) {
  const int64_t time = batch_first ? 1 : 0, directions = bidirectional ? 2 : 1;
  const size_t each = has_biases ? 4 : 2;
  std::vector<variable_list> states;
  for (int64_t l = 0; l < num_layers; ++l) {
    variable_list outputs;
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t index = l * directions + d;
      const variable_list result = layer(d == 0 ? input : input.flip(time), index,
                                         params.slice(static_cast<size_t>(index) * each, each));
      outputs.push_back(d == 0 ? result[0] : result[0].flip(time));
      states.resize(result.size() - 1);
      for (size_t s = 1; s < result.size(); ++s) states[s - 1].push_back(result[s]);
    }
    input = directions == 1 ? outputs[0] : at::cat(outputs, -1);
    if (dropout != 0 && train && l + 1 < num_layers) input = at::dropout(input, dropout, train);
  }
  variable_list result{input};
  for (const variable_list& state : states) {
    result.push_back(state.size() == 1 ? state[0] : at::cat(state, 0));
  }
  return result;
}

std::optional<at::Tensor> bias(at::TensorList params, size_t i) {
  return params.size() == 4 ? std::make_optional(params[i]) : std::nullopt;
}

// Under autocast the whole layer is computed in the lower precision, as by other devices'
// libraries.
at::Tensor in_autocast(const at::Tensor& tensor) {
  return tensor.is_floating_point()
             ? tensor.to(at::autocast::get_autocast_dtype(c10::DeviceType::PrivateUse1))
             : tensor;
}
variable_list in_autocast(at::TensorList tensors) {
  variable_list result;
  for (const at::Tensor& tensor : tensors) result.push_back(in_autocast(tensor));
  return result;
}
struct WithoutAutocast {  // set_autocast_enabled also switches the dispatch key
  WithoutAutocast() { at::autocast::set_autocast_enabled(c10::DeviceType::PrivateUse1, false); }
  ~WithoutAutocast() { at::autocast::set_autocast_enabled(c10::DeviceType::PrivateUse1, true); }
};
bool casts(const at::Tensor& input) {
  return at::autocast::is_autocast_enabled(c10::DeviceType::PrivateUse1) &&
         input.scalar_type() != at::kDouble;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm(const at::Tensor& input, at::TensorList hx,
                                                    at::TensorList params, bool has_biases,
                                                    int64_t num_layers, double dropout, bool train,
                                                    bool bidirectional, bool batch_first) {
  TORCH_CHECK(hx.size() == 2, "lstm expects two hidden states");
  if (casts(input)) {
    const WithoutAutocast off;
    return torchtitan_npu::lstm(in_autocast(input), in_autocast(hx), in_autocast(params),
                                has_biases, num_layers, dropout, train, bidirectional, batch_first);
  }
  if (!layer_by_layer(input, hx, params, has_biases, num_layers, bidirectional)) {
    return at::native::lstm(input, hx, params, has_biases, num_layers, dropout, train,
                            bidirectional, batch_first);
  }
  const LayerOptions options{has_biases, batch_first, any_requires_grad(input, hx, params)};
  const variable_list result =
      run_layers(input, params, has_biases, num_layers, dropout, train, bidirectional, batch_first,
                 [&](const at::Tensor& x, int64_t i, at::TensorList p) {
                   return LstmLayer::apply(x, hx[0].narrow(0, i, 1), hx[1].narrow(0, i, 1), p[0],
                                           p[1], bias(p, 2), bias(p, 3), options);
                 });
  return {result[0], result[1], result[2]};
}

std::tuple<at::Tensor, at::Tensor> gru(const at::Tensor& input, const at::Tensor& hx,
                                       at::TensorList params, bool has_biases, int64_t num_layers,
                                       double dropout, bool train, bool bidirectional,
                                       bool batch_first) {
  if (casts(input)) {
    const WithoutAutocast off;
    return torchtitan_npu::gru(in_autocast(input), in_autocast(hx), in_autocast(params), has_biases,
                               num_layers, dropout, train, bidirectional, batch_first);
  }
  if (!layer_by_layer(input, hx, params, has_biases, num_layers, bidirectional)) {
    return at::native::gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
                           batch_first);
  }
  const LayerOptions options{has_biases, batch_first, any_requires_grad(input, hx, params)};
  const variable_list result = run_layers(
      input, params, has_biases, num_layers, dropout, train, bidirectional, batch_first,
      [&](const at::Tensor& x, int64_t i, at::TensorList p) {
        return GruLayer::apply(x, hx.narrow(0, i, 1), p[0], p[1], bias(p, 2), bias(p, 3), options);
      });
  return {result[0], result[1]};
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "recurrent";
#include "torchtitan_npu/csrc/aten/ops_recurrent.inc"
  m.impl("lstm.input", &lstm);
  m.impl("gru.input", &gru);
}

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  m.impl("lstm.input", &lstm);
  m.impl("gru.input", &gru);
  add_operator_row({"aten::lstm", "input", "aclnnLSTM", "recurrent", kFloats});
  add_operator_row({"aten::gru", "input", "aclnnGRU", "recurrent", kFloats});
}

}  // namespace torchtitan_npu
