// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/aten/op_row.h"

#include <ATen/native/Resize.h>

#include "torchtitan_npu/csrc/aten/factory.h"

namespace torchtitan_npu {
namespace {

std::vector<OperatorRow>& rows() {
  static std::vector<OperatorRow>* table = new std::vector<OperatorRow>;  // outlives static objects
  return *table;
}

std::string argument_name(const char* op, const char* overload, int argument) {
  const auto schema = c10::Dispatcher::singleton().findSchema({op, overload});
  if (!schema.has_value() || argument >= static_cast<int>(schema->schema().arguments().size())) {
    return std::to_string(argument);
  }
  return schema->schema().arguments()[argument].name();
}

}  // namespace

void add_operator_row(const OperatorRow& row) { rows().push_back(row); }
const std::vector<OperatorRow>& operator_table() { return rows(); }

std::vector<at::ScalarType> row_dtypes(const OperatorRow& row) {
  std::vector<at::ScalarType> types;
  for (int i = 0; i < static_cast<int>(at::ScalarType::NumOptions); ++i) {
    const auto type = static_cast<at::ScalarType>(i);
    if (i < 30 && (row.dtypes & dtype_bit(type)) != 0) types.push_back(type);
  }
  return types;
}

void DeviceCheck::see(const at::ITensorListRef& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (tensor.defined() && (!device_.has_value() || tensor.device() != *device_)) other(tensor);
  }
  ++argument_;
}

void DeviceCheck::other(const at::Tensor& tensor) {
  const bool number = tensor.is_cpu() && tensor.dim() == 0;
  if (rule_ == DeviceRule::kIterator) {
    if (!tensor.is_cpu() && !device_.has_value()) device_ = tensor.device();
    return;
  }
  if (!device_.has_value() || (rule_ == DeviceRule::kCpuNumbers && is_number_)) {
    device_ = tensor.device();
    is_number_ = number;
    return;
  }
  if (rule_ == DeviceRule::kCpuNumbers && number) return;
  TORCH_CHECK(false,
              "Expected all tensors to be on the same device, but found at least two devices, ",
              *device_, " and ", tensor.device(), "! (when checking argument for argument ",
              argument_name(op_, overload_, argument_), " in method wrapper_NPU_", op_ + 6, ")");
}

void prepare_output(OutputKind kind, at::Tensor& output, at::Tensor& proxy, bool exact,
                    at::IntArrayRef sizes, at::IntArrayRef strides,
                    const at::TensorOptions& options) {
  const at::ScalarType dtype = c10::typeMetaToScalarType(options.dtype());
  if (kind == OutputKind::kNew) {
    output = new_tensor(sizes, strides, dtype, options.memory_format_opt());
    return;
  }
  TORCH_CHECK(output.scalar_type() == dtype, "Expected out tensor to have dtype ", options.dtype(),
              ", but got ", output.dtype(), " instead");
  TORCH_CHECK(output.device() == options.device(), "Expected out tensor to have device ",
              options.device(), ", but got ", output.device(), " instead");
  if (kind == OutputKind::kInplace) {
    TORCH_CHECK(output.sizes() == sizes, "Bad in-place call: input tensor size ", output.sizes(),
                " and output tensor size ", sizes, " should match");
  } else if (at::native::resize_output(output, sizes)) {
    if (!strides.empty()) {
      output.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
    } else if (options.memory_format_opt().has_value()) {
      output.unsafeGetTensorImpl()->empty_tensor_restride(*options.memory_format_opt());
    }
  }
  if (exact && !strides.empty() && output.strides() != strides) {
    proxy = new_tensor(sizes, strides, dtype, std::nullopt);
  }
}

}  // namespace torchtitan_npu
