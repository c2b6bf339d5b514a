// SPDX-License-Identifier: Apache-2.0
// Tensor descriptions of the aclop interface.
#include "softnpu/acl/tensor_desc.h"

#include "softnpu/acl/entry.h"
#include "softnpu/base/dtype.h"
#include "softnpu/base/tensor.h"

namespace npu::acl {
namespace {

using base::guard;
using base::require;

std::vector<int64_t> checked_dims(int count, const int64_t* dims) {
  require(count >= 0 && count <= base::kMaxRank, ACL_ERROR_INVALID_PARAM, "a tensor has 0 to ",
          base::kMaxRank, " dimensions, not ", count);
  if (count > 0) require_pointer(dims, "dims");
  return {dims, dims + count};
}

int64_t elements(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) {
    require(dim >= 0 && !__builtin_mul_overflow(count, dim, &count), ACL_ERROR_INVALID_PARAM,
            "dimension ", dim, " is unknown or too large");
  }
  return count;
}

/// Getters return a value, not a code: they answer `fallback` and leave the message.
template <class T, class Body>
T get(const char* name, const aclTensorDesc* desc, T fallback, Body body) {
  T value = fallback;
  guard(
      name,
      [&] {
        require_pointer(desc, "desc");
        value = body();
      },
      desc);
  return value;
}

}  // namespace

int64_t storage_elements(const aclTensorDesc& desc) { return elements(desc.storage_dims); }

size_t storage_bytes(const aclTensorDesc& desc) {
  return static_cast<size_t>(storage_elements(desc)) *
         base::size_of(static_cast<base::DType>(desc.dtype));
}

}  // namespace npu::acl

using namespace npu::acl;

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims,
                                   aclFormat format) {
  aclTensorDesc* desc = nullptr;
  guard(
      "aclCreateTensorDesc",
      [&] {
        const auto shape = checked_dims(numDims, dims);
        desc = new aclTensorDesc{.dtype = dataType,
                                 .format = format,
                                 .dims = shape,
                                 .storage_format = format,
                                 .storage_dims = shape,
                                 .name = {},
                                 .placement = ACL_MEMTYPE_DEVICE,
                                 .constant = {}};
      },
      dataType, numDims, dims, format);
  return desc;
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
  guard("aclDestroyTensorDesc", [&] { delete desc; }, desc);
}

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
  return get("aclGetTensorDescType", desc, ACL_DT_UNDEFINED, [&] { return desc->dtype; });
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
  return get("aclGetTensorDescFormat", desc, ACL_FORMAT_UNDEFINED, [&] { return desc->format; });
}

size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
  return get("aclGetTensorDescElementCount", desc, size_t{0},
             [&] { return static_cast<size_t>(elements(desc->dims)); });
}

size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
  return get("aclGetTensorDescSize", desc, size_t{0}, [&] {
    return static_cast<size_t>(elements(desc->dims)) *
           npu::base::size_of(static_cast<npu::base::DType>(desc->dtype));
  });
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  return get("aclGetTensorDescNumDims", desc, size_t{0}, [&] { return desc->dims.size(); });
}

const char* aclGetTensorDescName(aclTensorDesc* desc) {
  return get("aclGetTensorDescName", desc, "", [&] { return desc->name.c_str(); });
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
  return guard(
      "aclGetTensorDescDimV2",
      [&] {
        require_pointer(desc, "desc");
        require_pointer(dimSize, "dimSize");
        require(index < desc->dims.size(), ACL_ERROR_INVALID_PARAM, "dimension ", index,
                " is out of range: the tensor has ", desc->dims.size());
        *dimSize = desc->dims[index];
      },
      desc, index, dimSize);
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
  guard(
      "aclSetTensorDescName",
      [&] {
        require_pointer(desc, "desc");
        desc->name = name != nullptr ? name : "";
      },
      desc, name);
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
  return guard(
      "aclSetTensorFormat",
      [&] {
        require_pointer(desc, "desc");
        desc->storage_format = format;
      },
      desc, format);
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return guard(
      "aclSetTensorShape",
      [&] {
        require_pointer(desc, "desc");
        desc->storage_dims = checked_dims(numDims, dims);
      },
      desc, numDims, dims);
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
  return guard(
      "aclSetTensorPlaceMent",
      [&] {
        require_pointer(desc, "desc");
        require(memType >= ACL_MEMTYPE_DEVICE && memType <= ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT,
                ACL_ERROR_INVALID_PARAM, "placement ", static_cast<int>(memType),
                " does not exist");
        desc->placement = memType;
      },
      desc, memType);
}

aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length) {
  return guard(
      "aclSetTensorConst",
      [&] {
        require_pointer(desc, "desc");
        require_pointer(dataBuffer, "dataBuffer");
        const auto* bytes = static_cast<const std::byte*>(dataBuffer);
        desc->constant.assign(bytes, bytes + length);
      },
      desc, dataBuffer, length);
}
