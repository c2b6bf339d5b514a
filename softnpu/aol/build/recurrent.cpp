// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/recurrent.h"

#include <tuple>

#include "softnpu/aol/build/matmul.h"
#include "softnpu/aol/build/reduce.h"
#include "softnpu/davinci/recurrent.h"

namespace npu::aol {
namespace {

/// float32, float16 or bfloat16 of a shape.
TensorView checked(const TensorView& view, const Shape& shape, const char* role) {
  expect_shape(view, shape, role);
  expect_type(view, {DType::kFloat, DType::kHalf, DType::kBFloat16}, role);
  return view;
}
TensorView checked(const aclTensor* tensor, const Shape& shape, const char* role) {
  return checked(view(tensor, role), shape, role);
}
TensorView optional(const aclTensor* tensor, const Shape& shape, const char* role) {
  const TensorView result = optional_view(tensor, role);
  return result.defined() ? checked(result, shape, role) : result;
}

/// Gate `gate` of a matrix that holds several.
TensorView gate_of(const TensorView& gates, int64_t gate, int64_t width) {
  return gates.defined() ? slice(gates, gates.rank - 1, gate * width, width) : gates;
}

TensorView time_first(const TensorView& view, bool batch_first) {
  return batch_first ? transpose(view, 0, 1) : view;
}

/// What all layers share.
struct Network {
  int64_t layers, directions, steps, batch, features, hidden, gates;
  bool has_bias, batch_first;
  DType dtype;
  TensorView input;  // [steps, batch, features]
  std::vector<TensorView> params;

  Shape states() const { return {steps, batch, hidden}; }
  Shape state() const { return {layers * directions, batch, hidden}; }
  Shape outputs() const { return {steps, batch, directions * hidden}; }
  size_t cells() const { return static_cast<size_t>(layers * directions); }
};

Network network_of(const RecurrentArgs& args, int64_t gates) {
  expect(args.batch_sizes == nullptr,
         "sequences of several lengths are not supported; compute them step by step");
  expect(args.layers >= 1, "numLayers is ", args.layers, "; it must be at least 1");
  expect(!args.train || args.dropout == 0 || args.layers == 1,
         "dropout between layers is not supported; compute layer by layer");
  const TensorView given = view(args.input, "input");
  expect_rank(given, 3, 3, "input");
  Network net{};
  net.layers = args.layers;
  net.directions = args.bidirectional ? 2 : 1;
  net.gates = gates;
  net.has_bias = args.has_bias;
  net.batch_first = args.batch_first;
  net.input = time_first(given, args.batch_first);
  net.dtype = given.dtype;
  net.steps = net.input.dims[0];
  net.batch = net.input.dims[1];
  net.features = net.input.dims[2];
  checked(net.input, {net.steps, net.batch, net.features}, "input");
  expect(net.steps >= 1, "input is ", base::to_string(given), "; it must have at least one step");
  net.params = views(args.params, "params");
  const size_t wanted = net.cells() * (args.has_bias ? 4 : 2);
  expect(net.params.size() == wanted, "params has ", net.params.size(), " tensors; ", args.layers,
         " layers in ", net.directions, " directions ", args.has_bias ? "with" : "without",
         " biases have ", wanted);
  expect(net.params[1].defined() && net.params[1].rank == 2, "params[1] must be a matrix");
  net.hidden = net.params[1].dims[1];
  return net;
}

/// One layer in one direction. Steps count in its direction; `at` is where they lie in time.
struct Layer {
  size_t index;  // among all layers and directions
  bool reverse;
  int64_t steps, batch, hidden;
  TensorView input, weight_ih, weight_hh, bias_ih, bias_hh;

  int64_t at(int64_t step) const { return reverse ? steps - 1 - step : step; }
};

Layer layer_of(const Network& net, int64_t layer, int64_t direction, const TensorView& input) {
  Layer result{};
  result.index = static_cast<size_t>(layer * net.directions + direction);
  result.reverse = direction == 1;
  result.steps = net.steps;
  result.batch = net.batch;
  result.hidden = net.hidden;
  result.input = input;
  const size_t each = net.has_bias ? 4 : 2;
  const auto param = [&](size_t i, const Shape& shape) {
    return checked(net.params[result.index * each + i], shape, "params");
  };
  result.weight_ih = param(0, {net.gates * net.hidden, input.dims[2]});
  result.weight_hh = param(1, {net.gates * net.hidden, net.hidden});
  if (net.has_bias) {
    result.bias_ih = param(2, {net.gates * net.hidden});
    result.bias_hh = param(3, {net.gates * net.hidden});
  }
  return result;
}

/// The layers' tensors in a list, or undefined views for an empty or absent list.
std::vector<TensorView> each_layer(const aclTensorList* list, const Network& net, bool required,
                                   const char* role) {
  std::vector<TensorView> tensors = list == nullptr ? std::vector<TensorView>() : views(list, role);
  const bool absent = tensors.empty() || (!required && tensors[0].numel() == 0);
  if (absent) {
    expect(!required, role, " must have a tensor for each layer and direction");
    return std::vector<TensorView>(net.cells());
  }
  expect(tensors.size() == net.cells(), role, " has ", tensors.size(), " tensors; there are ",
         net.cells(), " layers and directions");
  for (TensorView& tensor : tensors) checked(tensor, net.states(), role);
  return tensors;
}

/// A layer's state before its first step as [batch, hidden]; zeros where none is given.
TensorView initial(Plan& plan, const Network& net, const Layer& layer, const TensorView& given,
                   const char* role) {
  if (given.defined()) {
    return select(checked(given, net.state(), role), 0, static_cast<int64_t>(layer.index));
  }
  const TensorView zeros = plan.temporary(net.dtype, std::array{net.batch, net.hidden});
  add(plan, make_fill(zeros, Scalar::of_int(0)));
  return zeros;
}

TensorView floats(Plan& plan, std::initializer_list<int64_t> dims) {
  return plan.temporary(DType::kFloat, {dims.begin(), dims.size()});
}

TensorView at(const TensorView& view, int64_t step) {
  return view.defined() ? select(view, 0, step) : view;
}

/// [batch, a] @ [a, b] (+ c)
void product(Plan& plan, const TensorView& a, const TensorView& b, const TensorView& out,
             const TensorView& c = {}) {
  add_matmul(plan, insert_dim(a, 0), insert_dim(b, 0), c.defined() ? insert_dim(c, 0) : c,
             insert_dim(out, 0), 1, c.defined() ? 1 : 0);
}

/// All steps' [batch, a] @ [a, b].
void product_of_steps(Plan& plan, const TensorView& a, const TensorView& b, const TensorView& out) {
  add_matmul(plan, a, insert_dim(b, 0), {}, out, 1, 0);
}

/// [steps, batch, n] as [steps * batch, n], copied where strides do not allow it.
TensorView rows_of(Plan& plan, const TensorView& view) {
  TensorView rows = view;
  if (flatten(rows, 0, 1)) return rows;
  rows = plan.temporary(view.dtype, view);
  add(plan, make_copy(view, rows));
  flatten(rows, 0, 1);
  return rows;
}

/// Gradients of a layer's parameters from those of its gates. `first` and `states` are the hidden
/// states before the first and after each step.
void parameter_gradients(Plan& plan, const Layer& layer, const TensorView& grad_gates,
                         const TensorView& grad_hidden_gates, const TensorView& first,
                         const TensorView& states, std::span<const TensorView> to) {
  const TensorView* params[] = {&layer.weight_ih, &layer.weight_hh, &layer.bias_ih, &layer.bias_hh};
  for (size_t i = 0; i < to.size(); ++i) checked(to[i], Shape::of(*params[i]), "dparamsOut");
  product(plan, transpose(rows_of(plan, grad_gates), 0, 1), rows_of(plan, layer.input), to[0]);
  // The first step's hidden state is given, the others are the steps' results.
  const TensorView sums = floats(plan, {layer.weight_hh.dims[0], layer.hidden});
  product(plan, transpose(at(grad_hidden_gates, layer.at(0)), 0, 1), first, sums);
  if (layer.steps > 1) {
    const int64_t count = layer.steps - 1;
    const TensorView later = slice(grad_hidden_gates, 0, layer.reverse ? 0 : 1, count);
    const TensorView before = slice(states, 0, layer.reverse ? 1 : 0, count);
    product(plan, transpose(rows_of(plan, later), 0, 1), rows_of(plan, before), sums, sums);
  }
  add(plan, make_copy(sums, to[1]));
  if (to.size() == 4) {
    add_reduce(plan, ReduceOp::kSum, grad_gates, 3, false, to[2]);
    add_reduce(plan, ReduceOp::kSum, grad_hidden_gates, 3, false, to[3]);
  }
}

void copy_state(Plan& plan, const TensorView& from, const aclTensor* to, const Network& net,
                const Layer& layer, const char* role) {
  const TensorView states = checked(to, net.state(), role);
  add(plan, make_copy(from, select(states, 0, static_cast<int64_t>(layer.index))));
}

/// A direction's part of a layer's outputs.
TensorView direction_of(const TensorView& outputs, const Network& net, int64_t direction) {
  return slice(outputs, 2, direction * net.hidden, net.hidden);
}

/// Runs forward(layer, its part of the outputs) over layers and directions.
template <class Forward>
void for_each_layer(Plan& plan, const Network& net, const TensorView& output, Forward forward) {
  TensorView input = net.input;
  for (int64_t l = 0; l < net.layers; ++l) {
    const TensorView outputs =
        l + 1 == net.layers ? output : plan.temporary(net.dtype, net.outputs().span());
    for (int64_t d = 0; d < net.directions; ++d) {
      forward(layer_of(net, l, d, input), direction_of(outputs, net, d));
    }
    input = outputs;
  }
}

/// What a layer got: the network's input, or the states of the layer below side by side.
TensorView input_of(Plan& plan, const Network& net, int64_t layer,
                    const std::vector<TensorView>& states) {
  if (layer == 0) return net.input;
  const auto first = static_cast<size_t>((layer - 1) * net.directions);
  if (net.directions == 1) return states[first];
  const TensorView joined = plan.temporary(net.dtype, net.outputs().span());
  for (int64_t d = 0; d < net.directions; ++d) {
    add(plan, make_copy(states[first + static_cast<size_t>(d)], direction_of(joined, net, d)));
  }
  return joined;
}

/// Runs backward(layer, its part of the outputs' gradient, its parameters' gradients) from the last
/// layer down; it returns the gradients of the layer's input gates.
template <class Backward>
void for_each_layer_down(Plan& plan, const Network& net, const std::vector<TensorView>& states,
                         const aclTensor* dy, const aclTensor* dx, const aclTensorList* dparams,
                         Backward backward) {
  const std::vector<TensorView> to = views(dparams, "dparamsOut");
  expect(to.size() == net.params.size(), "dparamsOut has ", to.size(), " tensors; params has ",
         net.params.size());
  TensorView grad = optional_view(dy, "dy");
  if (grad.defined()) grad = checked(time_first(grad, net.batch_first), net.outputs(), "dy");
  const TensorView grad_input = time_first(view(dx, "dxOut"), net.batch_first);
  checked(grad_input, Shape::of(net.input), "dxOut");
  const size_t each = net.has_bias ? 4 : 2;
  for (int64_t l = net.layers - 1; l >= 0; --l) {
    const TensorView input = input_of(plan, net, l, states);
    const TensorView below =
        l == 0 ? grad_input : floats(plan, {net.steps, net.batch, net.directions * net.hidden});
    for (int64_t d = 0; d < net.directions; ++d) {
      const Layer layer = layer_of(net, l, d, input);
      const TensorView grad_gates =
          backward(layer, grad.defined() ? direction_of(grad, net, d) : grad,
                   std::span(to).subspan(layer.index * each, each));
      add_matmul(plan, grad_gates, insert_dim(layer.weight_ih, 0), d == 0 ? TensorView() : below,
                 below, 1, d == 0 ? 0 : 1);
    }
    grad = below;
  }
}

}  // namespace

Plan lstm_cell(const aclTensor* input_gates, const aclTensor* hidden_gates, const aclTensor* cx,
               const aclTensor* input_bias, const aclTensor* hidden_bias, const aclTensor* hy,
               const aclTensor* cy, const aclTensor* storage) {
  davinci::LstmCell command;
  command.cx = view(cx, "cx");
  expect_rank(command.cx, 2, 2, "cx");
  const int64_t batch = command.cx.dims[0], width = command.cx.dims[1];
  checked(command.cx, {batch, width}, "cx");
  command.gates = checked(input_gates, {batch, 4 * width}, "inputGates");
  command.more_gates = checked(hidden_gates, {batch, 4 * width}, "hiddenGates");
  command.bias = optional(input_bias, {4 * width}, "inputBiasOptional");
  command.more_bias = optional(hidden_bias, {4 * width}, "hiddenBiasOptional");
  command.hy = checked(hy, {batch, width}, "hyOut");
  command.cy = checked(cy, {batch, width}, "cyOut");
  const TensorView kept = checked(storage, {batch, 4 * width}, "storageOut");
  for (int64_t g = 0; g < 4; ++g) command.activated[g] = gate_of(kept, g, width);
  Plan plan;
  if (command.cx.numel() != 0) plan.then(std::move(command));
  return plan;
}

Plan lstm_cell_backward(const aclTensor* grad_hy, const aclTensor* grad_cy, const aclTensor* cx,
                        const aclTensor* cy, const aclTensor* storage, bool has_bias,
                        const aclTensor* grad_gates, const aclTensor* grad_cx,
                        const aclTensor* grad_bias) {
  davinci::LstmCellBackward command;
  command.cx = view(cx, "cx");
  expect_rank(command.cx, 2, 2, "cx");
  const int64_t batch = command.cx.dims[0], width = command.cx.dims[1];
  checked(command.cx, {batch, width}, "cx");
  command.cy = checked(cy, {batch, width}, "cy");
  command.grad_hy = optional(grad_hy, {batch, width}, "gradHyOptional");
  command.grad_cy = optional(grad_cy, {batch, width}, "gradCOptional");
  const TensorView kept = checked(storage, {batch, 4 * width}, "storage");
  for (int64_t g = 0; g < 4; ++g) command.activated[g] = gate_of(kept, g, width);
  command.grad_gates = checked(grad_gates, {batch, 4 * width}, "gradGatesOut");
  command.grad_cx = checked(grad_cx, {batch, width}, "gradCxOut");
  const TensorView gates = command.grad_gates;
  Plan plan;
  if (command.cx.numel() != 0) plan.then(std::move(command));
  if (has_bias) {
    add_reduce(plan, ReduceOp::kSum, gates, 1, false,
               checked(grad_bias, {4 * width}, "gradBiasOut"));
  }
  return plan;
}

namespace {

/// The two states in hx, or undefined views.
std::array<TensorView, 2> state_pair(const aclTensorList* hx) {
  const std::vector<TensorView> states =
      hx == nullptr ? std::vector<TensorView>() : views(hx, "hx");
  expect(states.empty() || states.size() == 2, "hx has ", states.size(), " tensors; allowed: 0, 2");
  if (states.empty()) return {};
  return {states[0], states[1]};
}

}  // namespace

Plan lstm(const RecurrentArgs& args, const aclTensorList* hx, const LstmOutputs& out) {
  const Network net = network_of(args, 4);
  Plan plan;
  const std::array<TensorView, 2> first = state_pair(hx);
  const TensorView output = time_first(view(out.output, "output"), args.batch_first);
  checked(output, net.outputs(), "output");
  const bool train = args.train;
  // PyTorch's order of gates; CANN calls the candidate j.
  const std::array kept = {
      each_layer(out.i, net, train, "iOut"), each_layer(out.f, net, train, "fOut"),
      each_layer(out.j, net, train, "jOut"), each_layer(out.o, net, train, "oOut")};
  const auto tanh_c = each_layer(out.tanh_c, net, train, "tanhCOut");
  const auto all_h = each_layer(out.h, net, train, "hOut");
  const auto all_c = each_layer(out.c, net, train, "cOut");
  for_each_layer(plan, net, output, [&](const Layer& layer, const TensorView& states) {
    TensorView h = initial(plan, net, layer, first[0], "hx[0]");
    TensorView c = initial(plan, net, layer, first[1], "hx[1]");
    TensorView cells = all_c[layer.index];
    if (!cells.defined()) cells = plan.temporary(net.dtype, net.states().span());
    const TensorView gates = floats(plan, {net.steps, net.batch, 4 * net.hidden});
    product_of_steps(plan, layer.input, transpose(layer.weight_ih, 0, 1), gates);
    for (int64_t step = 0; step < net.steps && net.batch * net.hidden != 0; ++step) {
      const int64_t t = layer.at(step);
      davinci::LstmCell cell;
      cell.gates = at(gates, t);
      product(plan, h, transpose(layer.weight_hh, 0, 1), cell.gates, cell.gates);
      cell.bias = layer.bias_ih;
      cell.more_bias = layer.bias_hh;
      cell.cx = c;
      cell.hy = h = at(states, t);
      cell.cy = c = at(cells, t);
      for (size_t g = 0; g < 4; ++g) cell.activated[g] = at(kept[g][layer.index], t);
      cell.tanh_cy = at(tanh_c[layer.index], t);
      plan.then(std::move(cell));
    }
    copy_state(plan, h, out.hy, net, layer, "hy");
    copy_state(plan, c, out.cy, net, layer, "cy");
    if (all_h[layer.index].defined()) add(plan, make_copy(states, all_h[layer.index]));
  });
  return plan;
}

Plan lstm_backward(const RecurrentArgs& args, const aclTensorList* hx, const aclTensor* dy,
                   const aclTensor* dh, const aclTensor* dc, const LstmSaved& saved,
                   const aclTensor* dx, const aclTensor* dh_prev, const aclTensor* dc_prev,
                   const aclTensorList* dparams) {
  const Network net = network_of(args, 4);
  Plan plan;
  const std::array<TensorView, 2> first = state_pair(hx);
  const std::array kept = {each_layer(saved.i, net, true, "i"), each_layer(saved.f, net, true, "f"),
                           each_layer(saved.g, net, true, "g"),
                           each_layer(saved.o, net, true, "o")};
  const auto cells = each_layer(saved.c, net, true, "c"),
             states = each_layer(saved.h, net, true, "h");
  const TensorView last_h = optional(dh, net.state(), "dh"),
                   last_c = optional(dc, net.state(), "dc");
  const auto backward = [&](const Layer& layer, const TensorView& grad_out,
                            std::span<const TensorView> grad_params) {
    const auto index = static_cast<int64_t>(layer.index);
    const TensorView h0 = initial(plan, net, layer, first[0], "hx[0]");
    const TensorView c0 = initial(plan, net, layer, first[1], "hx[1]");
    TensorView grad_h = at(last_h, index), grad_c = at(last_c, index);
    const TensorView grad_gates = floats(plan, {net.steps, net.batch, 4 * net.hidden});
    const TensorView h_below = floats(plan, {net.batch, net.hidden});
    const TensorView c_below = floats(plan, {net.batch, net.hidden});
    for (int64_t step = net.steps - 1; step >= 0; --step) {
      const int64_t t = layer.at(step);
      davinci::LstmCellBackward cell;
      cell.grad_hy = at(grad_out, t);
      cell.more_grad_hy = grad_h;
      cell.grad_cy = grad_c;
      for (size_t g = 0; g < 4; ++g) cell.activated[g] = at(kept[g][layer.index], t);
      cell.cx = step == 0 ? c0 : at(cells[layer.index], layer.at(step - 1));
      cell.cy = at(cells[layer.index], t);
      cell.grad_gates = at(grad_gates, t);
      cell.grad_cx = grad_c = c_below;
      plan.then(std::move(cell));
      product(plan, at(grad_gates, t), layer.weight_hh, h_below);
      grad_h = h_below;
    }
    copy_state(plan, grad_h, dh_prev, net, layer, "dhPrevOut");
    copy_state(plan, grad_c, dc_prev, net, layer, "dcPrevOut");
    parameter_gradients(plan, layer, grad_gates, grad_gates, h0, states[layer.index], grad_params);
    return grad_gates;
  };
  for_each_layer_down(plan, net, states, dy, dx, dparams, backward);
  return plan;
}

Plan gru(const RecurrentArgs& args, const aclTensor* hx, const aclTensor* output_tensor,
         const aclTensor* hy, const GruGates& out) {
  const Network net = network_of(args, 3);
  Plan plan;
  const TensorView first = optional_view(hx, "hx");
  const TensorView output = time_first(view(output_tensor, "output"), args.batch_first);
  checked(output, net.outputs(), "output");
  const std::array kept = {each_layer(out.r, net, args.train, "rOut"),
                           each_layer(out.z, net, args.train, "zOut"),
                           each_layer(out.n, net, args.train, "nOut")};
  const auto hidden_n = each_layer(out.hn, net, args.train, "hnOut");
  const auto all_h = each_layer(out.h, net, args.train, "hOut");
  for_each_layer(plan, net, output, [&](const Layer& layer, const TensorView& states) {
    TensorView h = initial(plan, net, layer, first, "hx");
    const TensorView gates = floats(plan, {net.steps, net.batch, 3 * net.hidden});
    const TensorView hidden_gates = floats(plan, {net.batch, 3 * net.hidden});
    product_of_steps(plan, layer.input, transpose(layer.weight_ih, 0, 1), gates);
    for (int64_t step = 0; step < net.steps && net.batch * net.hidden != 0; ++step) {
      const int64_t t = layer.at(step);
      product(plan, h, transpose(layer.weight_hh, 0, 1), hidden_gates);
      davinci::GruCell cell;
      cell.gates = at(gates, t);
      cell.hidden_gates = hidden_gates;
      cell.bias = layer.bias_ih;
      cell.hidden_bias = layer.bias_hh;
      cell.hx = h;
      cell.hy = h = at(states, t);
      for (size_t g = 0; g < 3; ++g) cell.activated[g] = at(kept[g][layer.index], t);
      cell.hidden_n = at(hidden_n[layer.index], t);
      plan.then(std::move(cell));
    }
    copy_state(plan, h, hy, net, layer, "hy");
    if (all_h[layer.index].defined()) add(plan, make_copy(states, all_h[layer.index]));
  });
  return plan;
}

Plan gru_backward(const RecurrentArgs& args, const aclTensor* hx, const aclTensor* dy,
                  const aclTensor* dh, const GruGates& saved, const aclTensor* dx,
                  const aclTensor* dh_prev, const aclTensorList* dparams) {
  const Network net = network_of(args, 3);
  Plan plan;
  const TensorView first = optional_view(hx, "hx");
  const std::array kept = {each_layer(saved.r, net, true, "r"), each_layer(saved.z, net, true, "z"),
                           each_layer(saved.n, net, true, "n")};
  const auto hidden_n = each_layer(saved.hn, net, true, "hn");
  const auto states = each_layer(saved.h, net, true, "h");
  const TensorView last_h = optional(dh, net.state(), "dh");
  const auto backward = [&](const Layer& layer, const TensorView& grad_out,
                            std::span<const TensorView> grad_params) {
    const TensorView h0 = initial(plan, net, layer, first, "hx");
    TensorView grad_h = at(last_h, static_cast<int64_t>(layer.index));
    const TensorView grad_gates = floats(plan, {net.steps, net.batch, 3 * net.hidden});
    const TensorView grad_hidden = floats(plan, {net.steps, net.batch, 3 * net.hidden});
    const TensorView below = floats(plan, {net.batch, net.hidden});
    for (int64_t step = net.steps - 1; step >= 0; --step) {
      const int64_t t = layer.at(step);
      davinci::GruCellBackward cell;
      cell.grad_hy = at(grad_out, t);
      cell.more_grad_hy = grad_h;
      for (size_t g = 0; g < 3; ++g) cell.activated[g] = at(kept[g][layer.index], t);
      cell.hidden_n = at(hidden_n[layer.index], t);
      cell.hx = step == 0 ? h0 : at(states[layer.index], layer.at(step - 1));
      cell.grad_gates = at(grad_gates, t);
      cell.grad_hidden_gates = at(grad_hidden, t);
      cell.grad_hx = grad_h = below;
      plan.then(std::move(cell));
      product(plan, at(grad_hidden, t), layer.weight_hh, below, below);
    }
    copy_state(plan, grad_h, dh_prev, net, layer, "dhPrevOut");
    parameter_gradients(plan, layer, grad_gates, grad_hidden, h0, states[layer.index], grad_params);
    return grad_gates;
  };
  for_each_layer_down(plan, net, states, dy, dx, dparams, backward);
  return plan;
}

}  // namespace npu::aol
