// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/aten/rules.h"

#include <ATen/WrapDimUtilsMulti.h>

#include <numeric>

namespace torchtitan_npu {

at::Scalar number_of(const at::Tensor& number) {
  switch (number.scalar_type()) {  // what Python's numbers become, without the dispatcher
    case at::kDouble:
      return *static_cast<const double*>(number.const_data_ptr());
    case at::kFloat:
      return *static_cast<const float*>(number.const_data_ptr());
    case at::kLong:
      return *static_cast<const int64_t*>(number.const_data_ptr());
    case at::kBool:
      return *static_cast<const bool*>(number.const_data_ptr());
    default:
      return number.item();
  }
}

c10::DimVector dims_of(const at::Tensor& self, at::OptionalIntArrayRef dims) {
  const int64_t rank = self.dim();
  if (!dims.has_value() || dims->empty()) {
    c10::DimVector all(rank);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  if (rank == 0) return {};
  c10::DimVector wrapped(*dims);
  at::maybe_wrap_dims(wrapped, rank);
  return wrapped;
}

c10::DimVector reduced_sizes(const at::Tensor& self, at::OptionalIntArrayRef dims, bool keepdim) {
  const auto mask = at::dim_list_to_bitset(dims_of(self, dims), self.dim());
  c10::DimVector sizes;
  for (int64_t i = 0; i < self.dim(); ++i) {
    if (!mask[i]) {
      sizes.push_back(self.size(i));
    } else if (keepdim) {
      sizes.push_back(1);
    }
  }
  return sizes;
}

}  // namespace torchtitan_npu
