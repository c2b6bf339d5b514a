// SPDX-License-Identifier: Apache-2.0
// What an aclTensorDesc holds. Owned by the client, who also keeps threads apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl_tensor_desc.h"

struct aclTensorDesc {
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  std::vector<int64_t> dims;
  // How the data lies in memory; the origin's until set.
  aclFormat storage_format = ACL_FORMAT_UNDEFINED;
  std::vector<int64_t> storage_dims;
  std::string name;
  aclMemType placement = ACL_MEMTYPE_DEVICE;
  std::vector<std::byte> constant;
};

namespace npu::acl {

/// Elements of the storage; throws for a dimension that is not known.
int64_t storage_elements(const aclTensorDesc& desc);
/// Bytes of the storage.
size_t storage_bytes(const aclTensorDesc& desc);

}  // namespace npu::acl
