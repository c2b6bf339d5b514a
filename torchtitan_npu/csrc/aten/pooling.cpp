// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_adaptive_avg_pool2d_backward_ops.h>
#include <ATen/ops/_adaptive_avg_pool2d_ops.h>
#include <ATen/ops/_adaptive_avg_pool3d_backward_ops.h>
#include <ATen/ops/_adaptive_avg_pool3d_ops.h>
#include <ATen/ops/adaptive_avg_pool2d_ops.h>
#include <ATen/ops/adaptive_avg_pool3d_ops.h>
#include <ATen/ops/adaptive_max_pool2d_backward_meta.h>
#include <ATen/ops/adaptive_max_pool2d_backward_ops.h>
#include <ATen/ops/adaptive_max_pool2d_meta.h>
#include <ATen/ops/adaptive_max_pool2d_ops.h>
#include <ATen/ops/adaptive_max_pool3d_backward_meta.h>
#include <ATen/ops/adaptive_max_pool3d_backward_ops.h>
#include <ATen/ops/adaptive_max_pool3d_meta.h>
#include <ATen/ops/adaptive_max_pool3d_ops.h>
#include <ATen/ops/avg_pool2d_backward_meta.h>
#include <ATen/ops/avg_pool2d_backward_ops.h>
#include <ATen/ops/avg_pool2d_meta.h>
#include <ATen/ops/avg_pool2d_ops.h>
#include <ATen/ops/avg_pool3d_backward_meta.h>
#include <ATen/ops/avg_pool3d_backward_ops.h>
#include <ATen/ops/avg_pool3d_meta.h>
#include <ATen/ops/avg_pool3d_ops.h>
#include <ATen/ops/max_pool2d_with_indices_backward_meta.h>
#include <ATen/ops/max_pool2d_with_indices_backward_ops.h>
#include <ATen/ops/max_pool2d_with_indices_meta.h>
#include <ATen/ops/max_pool2d_with_indices_ops.h>
#include <ATen/ops/max_pool3d_with_indices_backward_ops.h>
#include <ATen/ops/max_pool3d_with_indices_ops.h>
#include <ATen/ops/max_unpool2d_ops.h>
#include <ATen/ops/max_unpool3d_ops.h>
// END ROW HEADERS

#include <ATen/native/Pool.h>

#include "aclnnop/pooling.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/pool.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

c10::DimVector adaptive_sizes(const at::Tensor& self, at::IntArrayRef output_size, int64_t rank) {
  TORCH_CHECK(static_cast<int64_t>(output_size.size()) == rank, "adaptive_avg_pool", rank,
              "d: output_size must be ", rank);
  TORCH_CHECK(self.dim() == rank + 1 || self.dim() == rank + 2, "adaptive_avg_pool", rank,
              "d(): Expected ", rank + 1, "D or ", rank + 2, "D tensor, but got ", self.sizes());
  c10::DimVector sizes(self.sizes());
  std::copy(output_size.begin(), output_size.end(), sizes.end() - rank);
  return sizes;
}

c10::DimVector max_pool3d_sizes(const at::Tensor& self, at::IntArrayRef kernel_size,
                                at::IntArrayRef stride_size, at::IntArrayRef padding_size,
                                at::IntArrayRef dilation_size, bool ceil_mode) {
  const c10::DimVector kernel = triple(kernel_size), stride = stride3_of(stride_size, kernel_size);
  const c10::DimVector padding = triple(padding_size), dilation = triple(dilation_size);
  TORCH_CHECK(self.dim() == 4 || self.dim() == 5, "max_pool3d: expected a 4D or 5D input, but got ",
              self.sizes());
  c10::DimVector sizes(self.sizes());
  const size_t first = sizes.size() - 3;
  for (size_t i = 0; i < 3; ++i) {
    TORCH_CHECK(kernel[i] > 0 && stride[i] > 0 && dilation[i] > 0,
                "max_pool3d: kernel size, stride and dilation should be greater than zero");
    sizes[first + i] = at::native::pooling_output_shape<int64_t>(
        self.size(static_cast<int64_t>(first + i)), kernel[i], padding[i], stride[i], dilation[i],
        ceil_mode);
    TORCH_CHECK(sizes[first + i] > 0, "max_pool3d: the output of input ", self.sizes(),
                " would have no elements");
  }
  return sizes;
}

c10::DimVector unpool_sizes(const at::Tensor& self, const at::Tensor& indices,
                            at::IntArrayRef output_size, int64_t rank) {
  TORCH_CHECK(indices.scalar_type() == at::kLong,
              "elements in indices should be type int64 but got: ", indices.scalar_type());
  TORCH_CHECK(static_cast<int64_t>(output_size.size()) == rank, "There should be exactly ", rank,
              " elements in output_size, but got ", output_size.size(), " elements.");
  TORCH_CHECK(self.dim() == rank + 1 || self.dim() == rank + 2, "Input to max_unpooling", rank,
              "d should be a ", rank + 1, "d or ", rank + 2, "d Tensor, but got ", self.sizes());
  TORCH_CHECK(self.sizes() == indices.sizes(),
              "Expected shape of indices to be same as that of the input tensor (", self.sizes(),
              ") but got indices tensor with shape: ", indices.sizes());
  c10::DimVector sizes(self.sizes());
  std::copy(output_size.begin(), output_size.end(), sizes.end() - rank);
  return sizes;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "pooling";
#include "torchtitan_npu/csrc/aten/ops_pooling.inc"
}

}  // namespace torchtitan_npu
