// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "softnpu/aol/meta/handles.h"
#include "softnpu/aol/meta/trace.h"

namespace npu::aol {
namespace {

void copy_dims(const int64_t* dims, uint64_t count, const char* what,
               std::array<int64_t, base::kMaxRank>& to) {
  base::require(count <= base::kMaxRank, ACLNN_ERR_PARAM_INVALID, what, " has ", count,
                " dimensions; at most ", base::kMaxRank, " are supported");
  base::require(count == 0 || dims != nullptr, ACLNN_ERR_PARAM_NULLPTR, what, " is null");
  for (uint64_t i = 0; i < count; ++i) {
    base::require(dims[i] >= 0, ACLNN_ERR_PARAM_INVALID, what, "[", i, "] is ", dims[i],
                  "; it must not be negative");
    to[i] = dims[i];
  }
}

/// Refuses views with more elements, or with elements further away, than 64-bit numbers count, even
/// if a dimension of zero leaves none: products of the others must not overflow either. In double,
/// which does not overflow and is exact enough for a limit.
void require_addressable(const base::TensorView& view, int64_t offset, size_t element_bytes) {
  constexpr double kLimit = 0x1p62;
  double reach = static_cast<double>(offset) + 1, count = 1;
  for (int i = 0; i < view.rank; ++i) {
    const auto size = static_cast<double>(std::max<int64_t>(view.dims[i], 1));
    reach += (size - 1) * std::abs(static_cast<double>(view.strides[i]));
    count *= size;
  }
  base::require(std::max(reach, count) * static_cast<double>(element_bytes) < kLimit,
                ACLNN_ERR_PARAM_INVALID,
                "dimensions, strides and offset reach further than 64 bits can address");
}

struct Description {
  const int64_t* dims;
  uint64_t rank;
  aclDataType dtype;
  const int64_t* strides;
  int64_t offset;
  aclFormat format;
  const int64_t* storage_dims;
  uint64_t storage_rank;
  void* data;
};

void describe(TensorObject& tensor, const Description& d) {
  copy_dims(d.dims, d.rank, "viewDims", tensor.view.dims);
  copy_dims(d.storage_dims, d.storage_rank, "storageDims", tensor.storage_dims);
  base::TensorView& view = tensor.view;
  view.dtype = static_cast<base::DType>(d.dtype);
  view.rank = static_cast<int8_t>(d.rank);
  view.format = static_cast<int16_t>(d.format);
  const size_t bytes = base::size_of(view.dtype);
  base::require(bytes != 0, ACLNN_ERR_PARAM_INVALID, "dataType ", static_cast<int>(d.dtype),
                " is not an element type that softnpu has");
  base::require(d.offset >= 0, ACLNN_ERR_PARAM_INVALID, "offset is ", d.offset,
                "; it must not be negative");
  if (d.strides != nullptr) {
    std::memcpy(view.strides.data(), d.strides, d.rank * sizeof(int64_t));
  } else {
    int64_t stride = 1;
    for (int i = view.rank - 1; i >= 0; --i) {
      view.strides[i] = stride;
      if (__builtin_mul_overflow(stride, view.dims[i], &stride)) stride = INT64_MAX;
    }
  }
  require_addressable(view, d.offset, bytes);
  tensor.storage_rank = static_cast<uint8_t>(d.storage_rank);
  tensor.offset = d.offset;
  tensor.selected = nullptr;
  tensor.storage = d.data;
  const base::ByteExtent extent = base::extent_of(view);
  const int64_t shift =
      view.dtype == base::DType::kUInt1 ? d.offset / 8 : d.offset * static_cast<int64_t>(bytes);
  base::require(extent.begin + shift >= 0, ACLNN_ERR_PARAM_INVALID,
                "the strides reach before the start of the storage");
  tensor.extent = {extent.begin + shift, extent.end + shift};
}

/// The caller frees it with delete[], as CANN's documentation says.
void give_array(const int64_t* values, uint64_t count, int64_t** array, uint64_t* array_size) {
  require_pointer(array, "the array");
  require_pointer(array_size, "its size");
  *array = new int64_t[count == 0 ? 1 : count];
  std::copy(values, values + count, *array);
  *array_size = count;
}

template <class Body>
aclnnStatus getter(const char* name, const aclTensor* tensor, Body&& body) {
  return base::guard(
      name,
      [&] {
        require_live(tensor, "tensor");
        body();
      },
      tensor);
}

}  // namespace
}  // namespace npu::aol

using npu::aol::getter;
using npu::aol::require_live;
using npu::aol::require_pointer;
using npu::base::guard;

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  aclTensor* tensor = nullptr;
  guard("aclCreateTensor", [&] {
    tensor = npu::aol::create<aclTensor>();
    ++tensor->generation;
    try {
      npu::aol::describe(*tensor, {viewDims, viewDimsNum, dataType, stride, offset, format,
                                   storageDims, storageDimsNum, tensorData});
    } catch (...) {
      npu::aol::destroy(std::exchange(tensor, nullptr));
      throw;
    }
  });
  return tensor;
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t* stride, int64_t offset,
                          aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                          void* tensorDataAddr) {
  return getter("aclInitTensor", tensor, [&] {
    npu::aol::describe(*tensor, {viewDims, viewDimsNum, dataType, stride, offset, format,
                                 storageDims, storageDimsNum, tensorDataAddr});
  });
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return npu::aol::destroy_handle("aclDestroyTensor", tensor);
}

namespace {
/// The view's dimensions with the size that an operator found while it ran.
std::array<int64_t, npu::base::kMaxRank> found_dims(const aclTensor* tensor, bool* found) {
  auto dims = tensor->view.dims;
  const int64_t selected =
      tensor->selected ? tensor->selected->load(std::memory_order_acquire) : -1;
  *found = selected >= 0;
  if (*found) dims[static_cast<size_t>(tensor->selected_dim)] = selected;
  return dims;
}
}  // namespace

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  return getter("aclGetViewShape", tensor, [&] {
    bool found = false;
    const auto dims = found_dims(tensor, &found);
    npu::aol::give_array(dims.data(), tensor->view.rank, viewDims, viewDimsNum);
  });
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
  return getter("aclGetStorageShape", tensor, [&] {
    npu::aol::give_array(tensor->storage_dims.data(), tensor->storage_rank, storageDims,
                         storageDimsNum);
  });
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
  return getter("aclGetViewStrides", tensor, [&] {
    auto strides = tensor->view.strides;
    bool found = false;
    const auto dims = found_dims(tensor, &found);
    int64_t stride = 1;
    for (int i = tensor->view.rank - 1; found && tensor->view.rank > 1 && i >= 0; --i) {
      strides[static_cast<size_t>(i)] = stride;  // what was found is packed
      stride *= dims[static_cast<size_t>(i)];
    }
    npu::aol::give_array(strides.data(), tensor->view.rank, stridesValue, stridesNum);
  });
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return getter("aclGetViewOffset", tensor, [&] {
    require_pointer(offset, "offset");
    *offset = tensor->offset;
  });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return getter("aclGetFormat", tensor, [&] {
    require_pointer(format, "format");
    *format = static_cast<aclFormat>(tensor->view.format);
  });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return getter("aclGetDataType", tensor, [&] {
    require_pointer(dataType, "dataType");
    *dataType = static_cast<aclDataType>(tensor->view.dtype);
  });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return getter("aclSetRawTensorAddr", tensor, [&] { tensor->storage = addr; });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return getter("aclGetRawTensorAddr", tensor, [&] {
    require_pointer(addr, "addr");
    *addr = tensor->storage;
  });
}
