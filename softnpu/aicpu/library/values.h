// SPDX-License-Identifier: Apache-2.0
// Between softnpu's plain values and ATen's: views as tensors on the same memory, arguments as
// IValues of the types that a schema asks for.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include "softnpu/aicpu/library_interface.h"

namespace npu::aicpu {

c10::ScalarType scalar_type(base::DType dtype);
/// A CPU tensor on the view's memory; nobody owns it.
at::Tensor as_tensor(const base::TensorView& view);
/// Throws c10::Error naming the argument when the value does not fit its type.
c10::IValue as_ivalue(const AtenValue& value, const c10::Argument& argument);
/// Copies a result to where the client wants it, and the shape it has into the view.
void store_result(const at::Tensor& result, AtenValue& value);

}  // namespace npu::aicpu
