// SPDX-License-Identifier: Apache-2.0
// Data buffers and element types: the small change of the aclop interface.
#include "acl/acl_base.h"
#include "softnpu/acl/entry.h"
#include "softnpu/base/dtype.h"
#include "softnpu/base/half.h"

struct aclDataBuffer {
  void* data;
  size_t size;
};

using npu::acl::require_pointer;
using npu::base::guard;

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  aclDataBuffer* buffer = nullptr;
  guard("aclCreateDataBuffer", [&] { buffer = new aclDataBuffer{data, size}; }, data, size);
  return buffer;
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return guard(
      "aclDestroyDataBuffer",
      [&] {
        require_pointer(dataBuffer, "dataBuffer");
        delete dataBuffer;
      },
      dataBuffer);
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return guard(
      "aclUpdateDataBuffer",
      [&] {
        require_pointer(dataBuffer, "dataBuffer");
        *dataBuffer = {data, size};
      },
      dataBuffer, data, size);
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return dataBuffer != nullptr ? dataBuffer->data : nullptr;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<uint32_t>(aclGetDataBufferSizeV2(dataBuffer));
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return dataBuffer != nullptr ? dataBuffer->size : 0;
}

size_t aclDataTypeSize(aclDataType dataType) {
  return npu::base::size_of(static_cast<npu::base::DType>(dataType));
}

float aclFloat16ToFloat(aclFloat16 value) { return npu::base::half_to_float(value); }

aclFloat16 aclFloatToFloat16(float value) { return npu::base::float_to_half(value); }
