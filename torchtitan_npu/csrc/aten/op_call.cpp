// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/aten/op_call.h"

#include <ATen/ops/empty.h>
#include <c10/core/ScalarType.h>
#include <c10/util/SmallVector.h>

#include "aclnnop/factory.h"
#include "torchtitan_npu/csrc/core/allocator.h"
#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/options.h"
#include "torchtitan_npu/csrc/core/stream.h"

namespace torchtitan_npu {

aclDataType acl_type(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return ACL_FLOAT;
    case at::kHalf:
      return ACL_FLOAT16;
    case at::kBFloat16:
      return ACL_BF16;
    case at::kDouble:
      return ACL_DOUBLE;
    case at::kLong:
      return ACL_INT64;
    case at::kInt:
      return ACL_INT32;
    case at::kShort:
      return ACL_INT16;
    case at::kChar:
      return ACL_INT8;
    case at::kByte:
      return ACL_UINT8;
    case at::kBool:
      return ACL_BOOL;
    case at::kUInt16:
      return ACL_UINT16;
    case at::kUInt32:
      return ACL_UINT32;
    case at::kUInt64:
      return ACL_UINT64;
    case at::kComplexFloat:
      return ACL_COMPLEX64;
    case at::kComplexDouble:
      return ACL_COMPLEX128;
    case at::kComplexHalf:
      return ACL_COMPLEX32;
    default:
      break;
  }
  TORCH_CHECK_TYPE(false, "npu has no tensors of type ", type,
                   error_suffix(ErrorCode::kType, Module::kOperators));
}

namespace detail {
namespace {

// Formats say how many dimensions a convolution or a pool sees; strides stay those of the view.
aclFormat format_of(int64_t rank) {
  switch (rank) {
    case 3:
      return ACL_FORMAT_NCL;
    case 4:
      return ACL_FORMAT_NCHW;
    case 5:
      return ACL_FORMAT_NCDHW;
    default:
      return ACL_FORMAT_ND;
  }
}

template <class Handle>
Handle* made(Handle* handle, const char* function) {
  if (C10_UNLIKELY(handle == nullptr)) throw_plan_error(ACLNN_ERR_INNER_NULLPTR, function);
  return handle;
}

}  // namespace

aclTensor* describe(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  TORCH_CHECK(tensor.device().type() == kNpu, "expected a tensor on npu, but it is on ",
              tensor.device(), error_suffix(ErrorCode::kParameter, Module::kOperators));
  // CANN sees memory only. Nearly always PyTorch carries these out before it calls an operator.
  TORCH_CHECK(!tensor.is_conj() && !tensor.is_neg(),
              "a tensor whose conjugation or negation is still to be done does not go to this "
              "operator; call resolve_conj() or resolve_neg() first",
              error_suffix(ErrorCode::kParameter, Module::kOperators));
  const at::IntArrayRef sizes = tensor.sizes();
  const at::IntArrayRef strides = tensor.strides();
  c10::StorageImpl* storage = tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
  const auto elements = static_cast<int64_t>(storage->nbytes() / tensor.itemsize());
  return made(FN(aclCreateTensor)(sizes.data(), sizes.size(), acl_type(tensor.scalar_type()),
                                  strides.data(), tensor.storage_offset(), format_of(tensor.dim()),
                                  &elements, 1, storage->mutable_data()),
              "aclCreateTensor");
}

aclScalar* describe(const at::Scalar& scalar) {
  const auto create = [](auto value, aclDataType type) {
    return made(FN(aclCreateScalar)(&value, type), "aclCreateScalar");
  };
  if (scalar.isFloatingPoint()) return create(scalar.toDouble(), ACL_DOUBLE);
  if (scalar.isBoolean()) return create(scalar.toBool(), ACL_BOOL);
  if (scalar.isComplex()) return create(scalar.toComplexDouble(), ACL_COMPLEX128);
  // Not isUnsigned(): that is also true of every signed number from zero up.
  if (scalar.type() == at::kUInt64) return create(scalar.toUInt64(), ACL_UINT64);
  return create(scalar.toLong(), ACL_INT64);
}

aclIntArray* describe(at::IntArrayRef values) {
  return made(FN(aclCreateIntArray)(values.data(), values.size()), "aclCreateIntArray");
}

aclBoolArray* describe(at::ArrayRef<bool> values) {
  return made(FN(aclCreateBoolArray)(values.data(), values.size()), "aclCreateBoolArray");
}

aclTensorList* describe(const at::ITensorListRef& tensors) {
  c10::SmallVector<const aclTensor*, 16> handles;
  handles.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) handles.push_back(describe(tensor));
  return made(FN(aclCreateTensorList)(handles.data(), handles.size()), "aclCreateTensorList");
}

// Indices: what is undefined (a full slice) is an empty tensor to CANN.
aclTensorList* describe(const c10::List<std::optional<at::Tensor>>& tensors) {
  static constexpr int64_t kZero = 0, kOne = 1;
  c10::SmallVector<const aclTensor*, 8> handles;
  for (const std::optional<at::Tensor>& tensor : tensors) {
    if (tensor.has_value() && tensor->defined()) {
      handles.push_back(describe(*tensor));
    } else {
      handles.push_back(made(
          FN(aclCreateTensor)(&kZero, 1, ACL_INT64, &kOne, 0, ACL_FORMAT_ND, &kZero, 1, nullptr),
          "aclCreateTensor"));
    }
  }
  return made(FN(aclCreateTensorList)(handles.data(), handles.size()), "aclCreateTensorList");
}

aclScalarList* describe(at::ArrayRef<at::Scalar> scalars) {
  c10::SmallVector<const aclScalar*, 16> handles;
  for (const at::Scalar& scalar : scalars) handles.push_back(describe(scalar));
  return made(FN(aclCreateScalarList)(handles.data(), handles.size()), "aclCreateScalarList");
}

at::Tensor device_number(const at::Tensor& tensor) {
  if (tensor.dim() != 0) return tensor;  // describe() refuses it
  at::Tensor number = at::empty({}, tensor.options().device(at::Device(kNpu, current_device())));
  ACLNN(InplaceFillScalar)(number, tensor.item());
  return number;
}

void destroy(const aclTensor* handle) noexcept { FN(aclDestroyTensor)(handle); }
void destroy(const aclScalar* handle) noexcept { FN(aclDestroyScalar)(handle); }
void destroy(const aclIntArray* handle) noexcept { FN(aclDestroyIntArray)(handle); }
void destroy(const aclBoolArray* handle) noexcept { FN(aclDestroyBoolArray)(handle); }
void destroy(const aclTensorList* handle) noexcept { FN(aclDestroyTensorList)(handle); }
void destroy(const aclScalarList* handle) noexcept { FN(aclDestroyScalarList)(handle); }

void bind_current_device() { bind_device(); }

void throw_plan_error(aclnnStatus status, const char* name) {
  throw_acl_error(status, name, NPU_HERE, Module::kOperators);
}

void launch(const char* name, Launch function, uint64_t workspace_size, aclOpExecutor* executor) {
  aclrtStream stream = current_stream_handle();
  c10::DataPtr workspace;
  if (workspace_size != 0) workspace = allocate_on_stream(workspace_size, current_stream());
  const aclnnStatus status = function(workspace.get(), workspace_size, executor, stream);
  if (C10_UNLIKELY(status != 0)) throw_plan_error(status, name);
  if (C10_UNLIKELY(options().launch_blocking)) synchronize_current_stream();
}

void synchronize_current_stream() { current_stream().synchronize(); }

c10::DimVector view_shape(const aclTensor* tensor) {
  int64_t* dims = nullptr;
  uint64_t rank = 0;
  NPU_CHECK(FN(aclGetViewShape)(tensor, &dims, &rank));
  const c10::DimVector shape(dims, dims + rank);
  delete[] dims;  // CANN hands the array over
  return shape;
}

}  // namespace detail
}  // namespace torchtitan_npu
