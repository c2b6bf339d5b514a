// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_cummax_helper_ops.h>
#include <ATen/ops/_cummin_helper_ops.h>
#include <ATen/ops/_unique2_ops.h>
#include <ATen/ops/_unique_ops.h>
#include <ATen/ops/aminmax_meta.h>
#include <ATen/ops/aminmax_ops.h>
#include <ATen/ops/bincount_ops.h>
#include <ATen/ops/bucketize_ops.h>
#include <ATen/ops/cumprod_meta.h>
#include <ATen/ops/cumprod_ops.h>
#include <ATen/ops/histc_ops.h>
#include <ATen/ops/isin_meta.h>
#include <ATen/ops/isin_ops.h>
#include <ATen/ops/kthvalue_ops.h>
#include <ATen/ops/median_ops.h>
#include <ATen/ops/nanmedian_ops.h>
#include <ATen/ops/nansum_ops.h>
#include <ATen/ops/renorm_meta.h>
#include <ATen/ops/renorm_ops.h>
#include <ATen/ops/searchsorted_ops.h>
#include <ATen/ops/trace_ops.h>
#include <ATen/ops/unique_consecutive_ops.h>
#include <ATen/ops/unique_dim_consecutive_ops.h>
#include <ATen/ops/unique_dim_ops.h>
// END ROW HEADERS

#include <ATen/WrapDimUtils.h>
#include <ATen/native/BucketizationUtils.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/_unique2.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unique_consecutive.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

constexpr int64_t kFlattened = 1000;  // CANN's word for "no dimension" in unique_consecutive

/// PyTorch's median of no elements: NaN, or what x86 makes of NaN as an integer.
at::Tensor nothing_found(at::Tensor& out) {
  if (at::isFloatingType(out.scalar_type())) {
    return out.fill_(std::numeric_limits<double>::quiet_NaN());
  }
  return out.scalar_type() == at::kInt ? out.fill_(std::numeric_limits<int32_t>::min())
                                       : out.fill_(std::numeric_limits<int64_t>::min());
}

/// Resizes the results of a search along `dim` and gives that dimension, not negative.
int64_t fit_along(const at::Tensor& self, int64_t dim, bool keepdim, const char* name,
                  const at::Tensor& values, const at::Tensor& indices) {
  dim = at::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK_INDEX(self.dim() == 0 || self.size(dim) != 0, name, ": Expected reduction dim ", dim,
                    " to have non-zero size.");
  const c10::DimVector sizes = reduced_sizes(self, at::IntArrayRef(dim), keepdim);
  fit(values, sizes);
  fit(indices, sizes);
  return dim;
}

void check_unique_dim(const at::Tensor& self, int64_t dim) {
  dim = at::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(self.size(dim) != 0 || self.numel() != 0 || self.dim() == 0 ||
                  std::count(self.sizes().begin(), self.sizes().end(), 0) <= 1,
              "There are 0 sized dimensions, and they aren't selected, so unique cannot be "
              "applied");
}

/// Room for the largest result of a unique operator; cut to what it found.
struct Unique {
  Unique(const at::Tensor& self, at::IntArrayRef value_sizes, at::IntArrayRef inverse_sizes)
      : values(new_like(self, value_sizes)),
        inverse(new_like(self, inverse_sizes, at::kLong)),
        counts(new_like(self, product(inverse_sizes), at::kLong)) {}
  void keep(int64_t count, int64_t dim) {
    // CANN packs what it found at the front of the memory.
    c10::DimVector sizes(values.sizes());
    sizes[dim] = count;
    values.resize_(sizes);
    counts.resize_({count});
  }
  std::tuple<at::Tensor, at::Tensor, at::Tensor> results(bool with_inverse, bool with_counts) {
    const auto none = [&] { return new_like(values, {0}, at::kLong); };
    return {values, with_inverse ? inverse : none(), with_counts ? counts : none()};
  }

  at::Tensor values, inverse, counts;
};

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "statistics";
#include "torchtitan_npu/csrc/aten/ops_statistics.inc"
}

}  // namespace torchtitan_npu
