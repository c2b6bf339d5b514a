// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aicpu/aten_call.h"

#include <array>

#include "acl/acl_error.h"
#include "softnpu/aicpu/loader.h"
#include "softnpu/aol/build/args.h"
#include "softnpu/base/trace.h"

namespace npu::aicpu {
namespace {

using Kind = AtenValue::Kind;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

void set_tensor(AtenArgument& to, const aclTensor* tensor) {
  if (tensor == nullptr) return;
  to.kind = Kind::kTensor;
  to.tensors.push_back(aol::view(tensor, "a tensor"));
  to.handle = tensor;
  to.generation = tensor->generation;
  to.capacity_bytes = tensor->extent.end - tensor->extent.begin;
}

AtenValue value_of(AtenArgument& argument) {
  AtenValue value;
  value.kind = argument.kind;
  value.dtype = argument.dtype;
  value.scalar = argument.scalar;
  value.tensors = argument.tensors.data();
  value.integers = argument.integers.data();
  value.floats = argument.floats.data();
  value.bools = argument.bools.data();
  value.text = argument.text.c_str();
  value.count = argument.tensors.size() + argument.integers.size() + argument.floats.size() +
                argument.bools.size();
  value.capacity_bytes = argument.capacity_bytes;
  return value;
}

/// Tells the client's handle the shape that a result turned out to have. The client waits for the
/// stream before it asks, and keeps the handle until then.
void publish_shape(const AtenArgument& argument) {
  const base::TensorView& result = argument.tensors.front();
  auto* tensor = const_cast<aclTensor*>(argument.handle);
  if (!aol::live(tensor) || tensor->generation != argument.generation) return;
  if (tensor->view.rank == result.rank && tensor->view.dims == result.dims) return;
  tensor->view.rank = result.rank;
  tensor->view.dims = result.dims;
  tensor->view.strides = result.strides;
}

}  // namespace

AtenArgument make_argument(const aol::Argument& argument) {
  AtenArgument to;
  const auto scalar = [&](const base::Scalar& value) {
    to.kind = Kind::kScalar;
    to.scalar = value;
  };
  const auto list = [&](Kind kind, auto& values, const auto* array) {
    if (array == nullptr) return;
    aol::expect(aol::live(array), "an array was destroyed or never created");
    to.kind = kind;
    values.assign(array->values.begin(), array->values.end());
  };
  std::visit(Overloaded{
                 [](std::monostate) {},
                 [&](const aclTensor* tensor) { set_tensor(to, tensor); },
                 [&](const aclScalar* number) {
                   if (number != nullptr) scalar(aol::number(number, "a scalar"));
                 },
                 [&](const aclIntArray* array) { list(Kind::kInts, to.integers, array); },
                 [&](const aclFloatArray* array) { list(Kind::kFloats, to.floats, array); },
                 [&](const aclBoolArray* array) { list(Kind::kBools, to.bools, array); },
                 [&](const aclTensorList* tensors) {
                   to.kind = Kind::kTensors;
                   to.tensors = aol::views(tensors, "a list");
                 },
                 [&](const aclScalarList*) {
                   base::fail(ACLNN_ERR_PARAM_INVALID,
                              "lists of scalars are not supported on the AI CPU");
                 },
                 [&](const char* text) {
                   if (text == nullptr) return;
                   to.kind = Kind::kText;
                   to.text = text;
                 },
                 [&](bool value) {
                   scalar(base::Scalar::of_int(value));
                   to.scalar.dtype = base::DType::kBool;
                 },
                 [&](int64_t value) { scalar(base::Scalar::of_int(value)); },
                 [&](double value) { scalar(base::Scalar::of(value)); },
                 [&](base::DType dtype) {
                   if (dtype == base::DType::kUndefined) return;
                   to.kind = Kind::kDtype;
                   to.dtype = dtype;
                 },
             },
             argument.value);
  return to;
}

aol::Plan make_plan(const char* overload, std::vector<AtenArgument> arguments, bool wide) {
  const Library& lib = library();
  std::array<char, kMessageBytes> message{};
  AtenCall call;
  call.overload = overload;
  call.wide = wide;
  if (!lib.find(overload, &call.operation, message.data())) {
    base::fail(ACLNN_ERR_INNER, message.data());
  }
  const auto writes = std::make_unique<bool[]>(arguments.size());
  if (!lib.writes(call.operation, arguments.size(), writes.get(), message.data())) {
    base::fail(ACLNN_ERR_INNER, message.data());
  }
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i].written = writes[i];
  call.arguments = std::move(arguments);
  return call;
}

void run(AtenCall& call, base::Workers&) {
  if (base::trace_enabled()) {
    base::trace_line(std::string(R"({"run":")") + call.overload + R"(","unit":"AI CPU"})");
  }
  std::vector<AtenValue> values;
  values.reserve(call.arguments.size());
  for (AtenArgument& argument : call.arguments) values.push_back(value_of(argument));
  std::array<char, kMessageBytes> message{};
  if (!library().run(call.operation, values.data(), values.size(), call.wide, message.data())) {
    base::fail(ACL_ERROR_RT_AICPU_EXCEPTION, "AI CPU: ", message.data());
  }
  for (const AtenArgument& argument : call.arguments) {
    if (argument.written && argument.handle != nullptr) publish_shape(argument);
  }
}

}  // namespace npu::aicpu
