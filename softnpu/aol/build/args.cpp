// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/args.h"

#include "softnpu/aol/executor.h"
#include "softnpu/runtime/memory.h"

namespace npu::aol {
namespace {

// ND, NCHW, NHWC, HWCN, NDHWC, NCDHW, NC, NCL: layouts whose dimensions are the tensor's own.
constexpr uint64_t kPlainFormats = uint64_t{1} << 0 | uint64_t{1} << 1 | uint64_t{1} << 2 |
                                   uint64_t{1} << 16 | uint64_t{1} << 27 | uint64_t{1} << 30 |
                                   uint64_t{1} << 35 | uint64_t{1} << 47;

bool plain_format(int format) {
  return format == ACL_FORMAT_UNDEFINED ||
         (format >= 0 && format < 64 && (kPlainFormats >> format & 1));
}

template <class Object>
void check(const Object* handle, const char* role) {
  if (live(handle)) [[likely]] {
    return;
  }
  const std::string name = argument_name(handle, role);
  base::require(handle != nullptr, ACLNN_ERR_PARAM_NULLPTR, name, " is null");
  base::fail(ACLNN_ERR_PARAM_INVALID, name, " was destroyed or never created");
}

std::byte* resolve(const aclTensor* tensor, const char* role) {
  const auto bytes = static_cast<size_t>(tensor->extent.end);
  try {
    return runtime::resolve(tensor->storage, bytes, role);
  } catch (const base::Error&) {  // once more, under the parameter's own name
    return runtime::resolve(tensor->storage, bytes, argument_name(tensor, role).c_str());
  }
}

}  // namespace

TensorView view(const aclTensor* tensor, const char* role) {
  check(tensor, role);
  if (!plain_format(tensor->view.format)) [[unlikely]] {
    base::fail(ACLNN_ERR_PARAM_INVALID, argument_name(tensor, role), " has format ",
               tensor->view.format,
               "; only plain formats (ND, NCHW, NHWC, NCDHW, NDHWC, NCL, NC) "
               "are supported");
  }
  TensorView result = tensor->view;
  if (tensor->extent.begin == tensor->extent.end) return result;  // empty: never read
  std::byte* storage =
      tensor->storage == nullptr ? placeholder_address(tensor) : resolve(tensor, role);
  const auto offset = result.dtype == DType::kUInt1
                          ? tensor->offset / 8
                          : tensor->offset * static_cast<int64_t>(base::size_of(result.dtype));
  result.data = storage + offset;
  return result;
}

TensorView optional_view(const aclTensor* tensor, const char* role) {
  return tensor == nullptr ? TensorView{} : view(tensor, role);
}

std::vector<TensorView> views(const aclTensorList* list, const char* role) {
  check(list, role);
  std::vector<TensorView> result;
  result.reserve(list->values.size());
  for (const aclTensor* tensor : list->values) result.push_back(optional_view(tensor, role));
  return result;
}

Scalar number(const aclScalar* scalar, const char* role) {
  check(scalar, role);
  return scalar->value;
}

Scalar number_or(const aclScalar* scalar, Scalar otherwise, const char* role) {
  return scalar == nullptr ? otherwise : number(scalar, role);
}

std::vector<Scalar> numbers(const aclScalarList* list, const char* role) {
  check(list, role);
  std::vector<Scalar> result;
  result.reserve(list->values.size());
  for (const aclScalar* scalar : list->values) result.push_back(number(scalar, role));
  return result;
}

std::span<const int64_t> ints(const aclIntArray* array, const char* role) {
  check(array, role);
  return array->values;
}

std::span<const uint8_t> bools(const aclBoolArray* array, size_t count, const char* role) {
  check(array, role);
  expect(array->values.size() == count, argument_name(array, role), " has ", array->values.size(),
         " elements; ", count, " are needed");
  return array->values;
}

}  // namespace npu::aol
