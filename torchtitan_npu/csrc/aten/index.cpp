// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_index_put_impl_ops.h>
#include <ATen/ops/embedding_dense_backward_ops.h>
#include <ATen/ops/embedding_ops.h>
#include <ATen/ops/gather_meta.h>
#include <ATen/ops/gather_ops.h>
#include <ATen/ops/index_add_meta.h>
#include <ATen/ops/index_add_ops.h>
#include <ATen/ops/index_copy_meta.h>
#include <ATen/ops/index_copy_ops.h>
#include <ATen/ops/index_fill_ops.h>
#include <ATen/ops/index_ops.h>
#include <ATen/ops/index_select_ops.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/masked_scatter_ops.h>
#include <ATen/ops/masked_select_ops.h>
#include <ATen/ops/nonzero_ops.h>
#include <ATen/ops/put_ops.h>
#include <ATen/ops/repeat_interleave_ops.h>
#include <ATen/ops/scatter_add_meta.h>
#include <ATen/ops/scatter_add_ops.h>
#include <ATen/ops/scatter_meta.h>
#include <ATen/ops/scatter_ops.h>
#include <ATen/ops/scatter_reduce_meta.h>
#include <ATen/ops/scatter_reduce_ops.h>
#include <ATen/ops/sort_meta.h>
#include <ATen/ops/sort_ops.h>
#include <ATen/ops/take_ops.h>
#include <ATen/ops/topk_meta.h>
#include <ATen/ops/topk_ops.h>
#include <ATen/ops/unfold_backward_ops.h>
// END ROW HEADERS

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/IndexingUtils.h>
#include <ATen/ops/sum.h>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/copy.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

using IndexList = c10::List<std::optional<at::Tensor>>;

// x[indices]: the tensor with its indexed dimensions together, long indices of one shape, and the
// sizes of what they select.
struct Indexed {
  at::Tensor self;
  IndexList indices;
  c10::DimVector sizes;
};

Indexed indexed(const at::Tensor& self, const IndexList& given) {
  at::native::checkIndexTensorTypes(given, /*allow_int=*/true);
  std::vector<at::Tensor> indices =
      at::native::expandTensors(self, given, /*ensure_same_device=*/true);
  TORCH_CHECK_INDEX(static_cast<int64_t>(indices.size()) <= self.dim(),
                    "too many indices for tensor of dimension ", self.dim(), " (got ",
                    indices.size(), ")");
  indices = at::expand_outplace(indices);
  indices.resize(self.dim());
  at::Tensor source = self;
  if (!at::native::hasContiguousSubspace(indices)) {
    std::tie(source, indices) = at::native::transposeToFront(self, indices);
  }
  Indexed result{source, IndexList(), {}};
  bool placed = false;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].defined()) {
      result.sizes.push_back(source.size(static_cast<int64_t>(i)));
    } else if (!placed) {
      const at::IntArrayRef shape = indices[i].sizes();
      result.sizes.insert(result.sizes.end(), shape.begin(), shape.end());
      placed = true;
    }
  }
  while (!indices.empty() && !indices.back().defined()) indices.pop_back();
  for (const at::Tensor& index : indices) {
    result.indices.push_back(index.defined() ? std::optional<at::Tensor>(index) : std::nullopt);
  }
  return result;
}

void check_index_put(const at::Tensor& self, const at::Tensor& values) {
  at::assert_no_internal_overlap(self);
  TORCH_CHECK_INDEX(self.scalar_type() == values.scalar_type(),
                    "Index put requires the source and destination dtypes match, got ",
                    self.scalar_type(), " for the destination and ", values.scalar_type(),
                    " for the source.");
}

// The mask, shaped to broadcast over self, when indexing is one boolean mask and one number.
at::Tensor mask_of(const at::Tensor& self, const IndexList& indices, const at::Tensor& values,
                   bool accumulate) {
  if (accumulate || values.numel() != 1) return {};
  at::Tensor mask;
  int64_t before = 0;
  for (const std::optional<at::Tensor>& index : indices) {
    if (!index.has_value() || !index->defined()) {
      if (!mask.defined()) ++before;
    } else if (mask.defined() || index->scalar_type() != at::kBool) {
      return {};
    } else {
      mask = *index;
    }
  }
  if (!mask.defined() || before + mask.dim() > self.dim() ||
      self.sizes().slice(before, mask.dim()) != mask.sizes()) {
    return {};  // a wrong shape gets its message from the general way
  }
  mask = to_device(mask, self.device());
  for (int64_t i = before + mask.dim(); i < self.dim(); ++i) mask = mask.unsqueeze(-1);
  return mask;
}

c10::DimVector index_select_sizes(const at::Tensor& self, int64_t dim, const at::Tensor& index) {
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  TORCH_CHECK(index.scalar_type() == at::kLong || index.scalar_type() == at::kInt,
              "index_select(): Expected dtype int32 or int64 for index");
  c10::DimVector sizes(self.sizes());
  if (!sizes.empty()) sizes[dim] = index.numel();
  return sizes;
}

void check_real_into(const at::Tensor& self, at::ScalarType value) {
  TORCH_CHECK(!at::isComplexType(value) || self.is_complex(), "value cannot be converted to type ",
              self.scalar_type(), " without overflow");
}

// Any number is a truth to a mask of booleans.
at::Scalar in_type(const at::Tensor& self, const at::Scalar& value) {
  if (value.isComplex() && !self.is_complex()) {
    const c10::complex<double> number = value.toComplexDouble();
    if (number.imag() != 0) check_real_into(self, value.type());
    return in_type(self, number.real());
  }
  return self.scalar_type() == at::kBool ? at::Scalar(value.toDouble() != 0) : value;
}

// CANN's numbers for PyTorch's words.
int64_t reduction_code(c10::string_view reduce) {
  constexpr std::array<c10::string_view, 6> kCodes = {"", "sum", "prod", "amax", "amin", "mean"};
  const auto* code = std::find(kCodes.begin() + 1, kCodes.end(), reduce);
  TORCH_CHECK(code != kCodes.end(),
              "reduce argument must be either sum, prod, mean, amax or amin, got ", reduce, ".");
  return code - kCodes.begin();
}

void check_mask(const at::Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == at::kBool,
              "masked operators expect a mask of booleans, but got ", mask.scalar_type());
}

void check_indices(const at::Tensor& indices, const char* name) {
  TORCH_CHECK(indices.scalar_type() == at::kLong || indices.scalar_type() == at::kInt, name,
              ": Expected tensor for argument 'indices' to have one of the following scalar types: "
              "Long, Int; but got ",
              indices.scalar_type(), " instead");
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "index";
#include "torchtitan_npu/csrc/aten/ops_index.inc"
}

}  // namespace torchtitan_npu
