// SPDX-License-Identifier: Apache-2.0
// The objects behind aclTensor*, aclScalar* and the array and list handles. Clients create and
// destroy them around every call, so they are pooled; a mark tells a live object from a destroyed
// one. Each is used by one thread at a time, as CANN asks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "aclnnop/aclnn_base.h"
#include "softnpu/base/tensor.h"

namespace npu::aol {

constexpr uint32_t kLive = 0x4c495645;

/// A view that plans copy, and the storage it lies in.
struct TensorObject {
  uint32_t mark = 0;
  uint32_t generation = 0;       // counts the lives of this object
  npu::base::TensorView view;    // data is not set
  int64_t offset = 0;            // of the view in the storage, in elements
  void* storage = nullptr;       // device address, or null until a repeatable executor sets it
  npu::base::ByteExtent extent;  // of the view's bytes relative to storage
  uint8_t storage_rank = 0;
  std::array<int64_t, npu::base::kMaxRank> storage_dims{};
  // Set by an operator that learns the size of its result while it runs: dimension selected_dim of
  // the result has this size, once it is not negative.
  std::shared_ptr<std::atomic<int64_t>> selected;
  int8_t selected_dim = 0;
};

template <class T>
struct ArrayObject {
  uint32_t mark = 0;
  std::vector<T> values;  // keeps its memory while the object waits in the pool
};

}  // namespace npu::aol

struct aclTensor : npu::aol::TensorObject {};
struct aclScalar {
  uint32_t mark = 0;
  npu::base::Scalar value;
};
struct aclIntArray : npu::aol::ArrayObject<int64_t> {};
struct aclFloatArray : npu::aol::ArrayObject<float> {};
struct aclBoolArray : npu::aol::ArrayObject<uint8_t> {};
struct aclTensorList : npu::aol::ArrayObject<const aclTensor*> {};
struct aclScalarList : npu::aol::ArrayObject<const aclScalar*> {};

namespace npu::aol {
/// Whether a handle points to an object that was created and not destroyed.
template <class Object>
bool live(const Object* object) {
  return object != nullptr && object->mark == kLive;
}
}  // namespace npu::aol
