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

/// A layer's sizes, its weights, and its input with time in front.
struct Layer {
  int64_t steps, batch, features, hidden;
  TensorView input, weight_ih, weight_hh, bias_ih, bias_hh;

  Shape states() const { return {steps, batch, hidden}; }
  Shape state() const { return {1, batch, hidden}; }
};

TensorView time_first(const TensorView& view, bool batch_first) {
  return batch_first ? transpose(view, 0, 1) : view;
}

Layer layer_of(const RecurrentArgs& args, int64_t gates) {
  expect(args.batch_sizes == nullptr && args.layers == 1 && !args.bidirectional,
         "one layer in one direction over sequences of one length is supported; compute others "
         "layer by layer, or step by step with aclnnThnnFusedLstmCell");
  const TensorView given = view(args.input, "input");
  expect_rank(given, 3, 3, "input");
  const std::vector<TensorView> params = views(args.params, "params");
  const size_t wanted = args.has_bias ? 4 : 2;
  expect(params.size() == wanted, "params has ", params.size(), " tensors; one layer ",
         args.has_bias ? "with" : "without", " biases has ", wanted);
  Layer layer{};
  layer.input = time_first(given, args.batch_first);
  layer.steps = layer.input.dims[0];
  layer.batch = layer.input.dims[1];
  layer.features = layer.input.dims[2];
  checked(layer.input, {layer.steps, layer.batch, layer.features}, "input");
  expect(params[1].defined() && params[1].rank == 2, "params[1] must be a matrix");
  layer.hidden = params[1].dims[1];
  layer.weight_ih = checked(params[0], {gates * layer.hidden, layer.features}, "params[0]");
  layer.weight_hh = checked(params[1], {gates * layer.hidden, layer.hidden}, "params[1]");
  if (args.has_bias) {
    layer.bias_ih = checked(params[2], {gates * layer.hidden}, "params[2]");
    layer.bias_hh = checked(params[3], {gates * layer.hidden}, "params[3]");
  }
  return layer;
}

/// The one tensor of a list, or an undefined view for an empty or absent list.
TensorView only(const aclTensorList* list, const Shape& shape, bool required, const char* role) {
  const std::vector<TensorView> tensors =
      list == nullptr ? std::vector<TensorView>() : views(list, role);
  if (tensors.empty() || !tensors[0].defined() || (!required && tensors[0].numel() == 0)) {
    expect(!required, role, " must have one tensor");
    return {};
  }
  return checked(tensors[0], shape, role);
}

/// A state before the first step as [batch, hidden]; zeros where none is given.
TensorView initial(Plan& plan, const Layer& layer, const TensorView& given, const char* role) {
  if (given.defined()) return select(checked(given, layer.state(), role), 0, 0);
  const TensorView zeros = plan.temporary(layer.input.dtype, std::array{layer.batch, layer.hidden});
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

/// Gradients of a layer's parameters and input from those of its gates. `first` and `states` are
/// the hidden states before and after each step.
void layer_gradients(Plan& plan, const Layer& layer, const TensorView& grad_gates,
                     const TensorView& grad_hidden_gates, const TensorView& first,
                     const TensorView& states, const aclTensor* dx, bool batch_first,
                     const aclTensorList* dparams) {
  const std::vector<TensorView> to = views(dparams, "dparamsOut");
  const size_t wanted = layer.bias_ih.defined() ? 4 : 2;
  expect(to.size() == wanted, "dparamsOut has ", to.size(), " tensors; params has ", wanted);
  const TensorView* params[] = {&layer.weight_ih, &layer.weight_hh, &layer.bias_ih, &layer.bias_hh};
  for (size_t i = 0; i < wanted; ++i) checked(to[i], Shape::of(*params[i]), "dparamsOut");
  const TensorView gates = transpose(rows_of(plan, grad_gates), 0, 1);
  product(plan, gates, rows_of(plan, layer.input), to[0]);
  // The first step's hidden state is given, the others are the steps' results.
  const TensorView sums = floats(plan, {layer.weight_hh.dims[0], layer.hidden});
  product(plan, transpose(at(grad_hidden_gates, 0), 0, 1), first, sums);
  if (layer.steps > 1) {
    const TensorView later = slice(grad_hidden_gates, 0, 1, layer.steps - 1);
    const TensorView before = slice(states, 0, 0, layer.steps - 1);
    product(plan, transpose(rows_of(plan, later), 0, 1), rows_of(plan, before), sums, sums);
  }
  add(plan, make_copy(sums, to[1]));
  if (wanted == 4) {
    add_reduce(plan, ReduceOp::kSum, grad_gates, 3, false, to[2]);
    add_reduce(plan, ReduceOp::kSum, grad_hidden_gates, 3, false, to[3]);
  }
  const TensorView grad_input = time_first(view(dx, "dxOut"), batch_first);
  checked(grad_input, Shape::of(layer.input), "dxOut");
  product_of_steps(plan, grad_gates, layer.weight_ih, grad_input);
}

void copy_state(Plan& plan, const TensorView& from, const aclTensor* to, const Layer& layer,
                const char* role) {
  add(plan, make_copy(from, select(checked(to, layer.state(), role), 0, 0)));
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

Plan lstm(const RecurrentArgs& args, const aclTensorList* hx, const LstmOutputs& out) {
  const Layer layer = layer_of(args, 4);
  Plan plan;
  std::vector<TensorView> states = hx == nullptr ? std::vector<TensorView>() : views(hx, "hx");
  expect(states.empty() || states.size() == 2, "hx has ", states.size(), " tensors; allowed: 0, 2");
  states.resize(2);
  TensorView h = initial(plan, layer, states[0], "hx[0]");
  TensorView c = initial(plan, layer, states[1], "hx[1]");
  const Shape shape = layer.states();
  const TensorView output = time_first(view(out.output, "output"), args.batch_first);
  checked(output, shape, "output");
  const bool train = args.train;
  // PyTorch's order of gates; CANN calls the candidate j.
  const std::array<TensorView, 4> kept = {
      only(out.i, shape, train, "iOut"), only(out.f, shape, train, "fOut"),
      only(out.j, shape, train, "jOut"), only(out.o, shape, train, "oOut")};
  const TensorView tanh_c = only(out.tanh_c, shape, train, "tanhCOut");
  TensorView cells = only(out.c, shape, train, "cOut");
  if (!cells.defined()) cells = plan.temporary(layer.input.dtype, shape.span());
  const TensorView gates = floats(plan, {layer.steps, layer.batch, 4 * layer.hidden});
  product_of_steps(plan, layer.input, transpose(layer.weight_ih, 0, 1), gates);
  for (int64_t t = 0; t < layer.steps && layer.batch * layer.hidden != 0; ++t) {
    davinci::LstmCell cell;
    cell.gates = at(gates, t);
    product(plan, h, transpose(layer.weight_hh, 0, 1), cell.gates, cell.gates);
    cell.bias = layer.bias_ih;
    cell.more_bias = layer.bias_hh;
    cell.cx = c;
    cell.hy = h = at(output, t);
    cell.cy = c = at(cells, t);
    for (size_t g = 0; g < 4; ++g) cell.activated[g] = at(kept[g], t);
    cell.tanh_cy = at(tanh_c, t);
    plan.then(std::move(cell));
  }
  copy_state(plan, h, out.hy, layer, "hy");
  copy_state(plan, c, out.cy, layer, "cy");
  if (const TensorView all = only(out.h, shape, train, "hOut"); all.defined()) {
    add(plan, make_copy(output, all));
  }
  return plan;
}

Plan lstm_backward(const RecurrentArgs& args, const aclTensorList* hx, const aclTensor* dy,
                   const aclTensor* dh, const aclTensor* dc, const LstmSaved& saved,
                   const aclTensor* dx, const aclTensor* dh_prev, const aclTensor* dc_prev,
                   const aclTensorList* dparams) {
  const Layer layer = layer_of(args, 4);
  Plan plan;
  std::vector<TensorView> first = hx == nullptr ? std::vector<TensorView>() : views(hx, "hx");
  expect(first.empty() || first.size() == 2, "hx has ", first.size(), " tensors; allowed: 0, 2");
  first.resize(2);
  const TensorView h0 = initial(plan, layer, first[0], "hx[0]");
  const TensorView c0 = initial(plan, layer, first[1], "hx[1]");
  const Shape shape = layer.states();
  const std::array<TensorView, 4> kept = {
      only(saved.i, shape, true, "i"), only(saved.f, shape, true, "f"),
      only(saved.g, shape, true, "g"), only(saved.o, shape, true, "o")};
  const TensorView cells = only(saved.c, shape, true, "c"),
                   states = only(saved.h, shape, true, "h");
  TensorView grad_out = optional_view(dy, "dy");
  if (grad_out.defined()) {
    grad_out = checked(time_first(grad_out, args.batch_first), shape, "dy");
  }
  TensorView grad_h = at(optional(dh, layer.state(), "dh"), 0);
  TensorView grad_c = at(optional(dc, layer.state(), "dc"), 0);
  const TensorView grad_gates = floats(plan, {layer.steps, layer.batch, 4 * layer.hidden});
  const TensorView h_below = floats(plan, {layer.batch, layer.hidden});
  const TensorView c_below = floats(plan, {layer.batch, layer.hidden});
  for (int64_t t = layer.steps - 1; t >= 0; --t) {
    davinci::LstmCellBackward cell;
    cell.grad_hy = at(grad_out, t);
    cell.more_grad_hy = grad_h;
    cell.grad_cy = grad_c;
    for (size_t g = 0; g < 4; ++g) cell.activated[g] = at(kept[g], t);
    cell.cx = t == 0 ? c0 : at(cells, t - 1);
    cell.cy = at(cells, t);
    cell.grad_gates = at(grad_gates, t);
    cell.grad_cx = grad_c = c_below;
    plan.then(std::move(cell));
    product(plan, at(grad_gates, t), layer.weight_hh, h_below);
    grad_h = h_below;
  }
  copy_state(plan, grad_h, dh_prev, layer, "dhPrevOut");
  copy_state(plan, grad_c, dc_prev, layer, "dcPrevOut");
  layer_gradients(plan, layer, grad_gates, grad_gates, h0, states, dx, args.batch_first, dparams);
  return plan;
}

Plan gru(const RecurrentArgs& args, const aclTensor* hx, const aclTensor* output_tensor,
         const aclTensor* hy, const GruGates& out) {
  const Layer layer = layer_of(args, 3);
  Plan plan;
  TensorView h = initial(plan, layer, optional_view(hx, "hx"), "hx");
  const Shape shape = layer.states();
  const TensorView output = time_first(view(output_tensor, "output"), args.batch_first);
  checked(output, shape, "output");
  const std::array<TensorView, 3> kept = {only(out.r, shape, args.train, "rOut"),
                                          only(out.z, shape, args.train, "zOut"),
                                          only(out.n, shape, args.train, "nOut")};
  const TensorView hidden_n = only(out.hn, shape, args.train, "hnOut");
  const TensorView gates = floats(plan, {layer.steps, layer.batch, 3 * layer.hidden});
  const TensorView hidden_gates = floats(plan, {layer.batch, 3 * layer.hidden});
  product_of_steps(plan, layer.input, transpose(layer.weight_ih, 0, 1), gates);
  for (int64_t t = 0; t < layer.steps && layer.batch * layer.hidden != 0; ++t) {
    product(plan, h, transpose(layer.weight_hh, 0, 1), hidden_gates);
    davinci::GruCell cell;
    cell.gates = at(gates, t);
    cell.hidden_gates = hidden_gates;
    cell.bias = layer.bias_ih;
    cell.hidden_bias = layer.bias_hh;
    cell.hx = h;
    cell.hy = h = at(output, t);
    for (size_t g = 0; g < 3; ++g) cell.activated[g] = at(kept[g], t);
    cell.hidden_n = at(hidden_n, t);
    plan.then(std::move(cell));
  }
  copy_state(plan, h, hy, layer, "hy");
  if (const TensorView all = only(out.h, shape, args.train, "hOut"); all.defined()) {
    add(plan, make_copy(output, all));
  }
  return plan;
}

Plan gru_backward(const RecurrentArgs& args, const aclTensor* hx, const aclTensor* dy,
                  const aclTensor* dh, const GruGates& saved, const aclTensor* dx,
                  const aclTensor* dh_prev, const aclTensorList* dparams) {
  const Layer layer = layer_of(args, 3);
  Plan plan;
  const TensorView h0 = initial(plan, layer, optional_view(hx, "hx"), "hx");
  const Shape shape = layer.states();
  const std::array<TensorView, 3> kept = {only(saved.r, shape, true, "r"),
                                          only(saved.z, shape, true, "z"),
                                          only(saved.n, shape, true, "n")};
  const TensorView hidden_n = only(saved.hn, shape, true, "hn");
  const TensorView states = only(saved.h, shape, true, "h");
  TensorView grad_out = optional_view(dy, "dy");
  if (grad_out.defined()) {
    grad_out = checked(time_first(grad_out, args.batch_first), shape, "dy");
  }
  TensorView grad_h = at(optional(dh, layer.state(), "dh"), 0);
  const TensorView grad_gates = floats(plan, {layer.steps, layer.batch, 3 * layer.hidden});
  const TensorView grad_hidden = floats(plan, {layer.steps, layer.batch, 3 * layer.hidden});
  const TensorView below = floats(plan, {layer.batch, layer.hidden});
  for (int64_t t = layer.steps - 1; t >= 0; --t) {
    davinci::GruCellBackward cell;
    cell.grad_hy = at(grad_out, t);
    cell.more_grad_hy = grad_h;
    for (size_t g = 0; g < 3; ++g) cell.activated[g] = at(kept[g], t);
    cell.hidden_n = at(hidden_n, t);
    cell.hx = t == 0 ? h0 : at(states, t - 1);
    cell.grad_gates = at(grad_gates, t);
    cell.grad_hidden_gates = at(grad_hidden, t);
    cell.grad_hx = grad_h = below;
    plan.then(std::move(cell));
    product(plan, at(grad_hidden, t), layer.weight_hh, below, below);
  }
  copy_state(plan, grad_h, dh_prev, layer, "dhPrevOut");
  layer_gradients(plan, layer, grad_gates, grad_hidden, h0, states, dx, args.batch_first, dparams);
  return plan;
}

}  // namespace npu::aol
