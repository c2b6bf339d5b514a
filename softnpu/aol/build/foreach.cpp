// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/foreach.h"

namespace npu::aol {

ListOperand::ListOperand(const aclTensorList* list, const char* role) : one_each(true) {
  for (const TensorView& tensor : views(list, role)) {
    expect(tensor.defined(), role, "[", values.size(), "] is null");
    values.emplace_back(tensor, role);
  }
}

ListOperand::ListOperand(const aclScalar* scalar) { values.emplace_back(number(scalar, "scalar")); }

ListOperand::ListOperand(const aclScalarList* scalars) : one_each(true) {
  for (const Scalar& scalar : numbers(scalars, "scalars")) values.emplace_back(scalar);
}

ListOperand::ListOperand(const aclTensor* number) {
  TensorView tensor = view(number, "scalar");
  expect(tensor.numel() == 1, "scalar is ", base::to_string(tensor), "; it must have one element");
  tensor.rank = 0;
  values.emplace_back(tensor, "scalar");
}

Plan foreach_op(VectorOp op, std::initializer_list<ListOperand> operands, const aclTensorList* out,
                Rule rule, const Params& params) {
  const std::vector<TensorView> results = views(out, "out");
  for (const ListOperand& operand : operands) {
    expect(!operand.one_each || operand.values.size() == results.size(), "a list has ",
           operand.values.size(), " elements and out ", results.size(), "; they must be equal");
  }
  davinci::Foreach command;
  command.items.reserve(results.size());
  std::vector<Input> inputs;
  for (size_t i = 0; i < results.size(); ++i) {
    expect(results[i].defined(), "out[", i, "] is null");
    inputs.clear();
    for (const ListOperand& operand : operands) inputs.push_back(operand.at(i));
    Elementwise item = make_elementwise(op, inputs, results[i], rule, params);
    if (item.out.numel() != 0) command.items.push_back(std::move(item));
  }
  if (command.items.empty()) return {};
  return command;
}

}  // namespace npu::aol
