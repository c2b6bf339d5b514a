// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/channel_shuffle_ops.h>
#include <ATen/ops/col2im_ops.h>
#include <ATen/ops/im2col_ops.h>
#include <ATen/ops/reflection_pad1d_backward_meta.h>
#include <ATen/ops/reflection_pad1d_backward_ops.h>
#include <ATen/ops/reflection_pad1d_meta.h>
#include <ATen/ops/reflection_pad1d_ops.h>
#include <ATen/ops/reflection_pad2d_backward_ops.h>
#include <ATen/ops/reflection_pad2d_ops.h>
#include <ATen/ops/reflection_pad3d_backward_meta.h>
#include <ATen/ops/reflection_pad3d_backward_ops.h>
#include <ATen/ops/reflection_pad3d_meta.h>
#include <ATen/ops/reflection_pad3d_ops.h>
#include <ATen/ops/replication_pad1d_backward_meta.h>
#include <ATen/ops/replication_pad1d_backward_ops.h>
#include <ATen/ops/replication_pad1d_meta.h>
#include <ATen/ops/replication_pad1d_ops.h>
#include <ATen/ops/replication_pad2d_backward_ops.h>
#include <ATen/ops/replication_pad2d_meta.h>
#include <ATen/ops/replication_pad2d_ops.h>
#include <ATen/ops/replication_pad3d_backward_ops.h>
#include <ATen/ops/replication_pad3d_meta.h>
#include <ATen/ops/replication_pad3d_ops.h>
// END ROW HEADERS

#include <ATen/native/Pool.h>
#include <ATen/native/im2col_shape_check.h>

#include "aclnnop/convolution.h"
#include "aclnnop/move.h"
#include "aclnnop/pooling.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

c10::DimVector padded_sizes(const at::Tensor& self, at::IntArrayRef padding) {
  c10::DimVector sizes(self.sizes());
  for (size_t i = 0; i < padding.size() / 2; ++i) {
    sizes[sizes.size() - 1 - i] += padding[2 * i] + padding[2 * i + 1];
  }
  return sizes;
}

c10::DimVector reflection_pad2d_sizes(const at::Tensor& self, at::IntArrayRef padding) {
  TORCH_CHECK(padding.size() == 4, "padding size is expected to be 4");
  TORCH_CHECK(self.dim() == 3 || self.dim() == 4,
              "reflection_pad2d: expected a 3D or 4D tensor, but got ", self.sizes());
  for (const int64_t i : {0, 1}) {
    const int64_t size = self.size(-1 - i);
    TORCH_CHECK(padding[2 * i] < size && padding[2 * i + 1] < size,
                "Argument #4: Padding size should be less than the corresponding input dimension, "
                "but got: padding (",
                padding[2 * i], ", ", padding[2 * i + 1], ") at dimension ", self.dim() - 1 - i,
                " of input ", self.sizes());
  }
  const c10::DimVector sizes = padded_sizes(self, padding);
  TORCH_CHECK(sizes.back() >= 1 && sizes[sizes.size() - 2] >= 1, "input (H: ", self.size(-2),
              ", W: ", self.size(-1),
              ") is too small. Calculated output H: ", sizes[sizes.size() - 2],
              " W: ", sizes.back());
  return sizes;
}

void check_padded(const at::Tensor& grad, const at::Tensor& self, at::IntArrayRef padding) {
  const c10::DimVector sizes = padded_sizes(self, padding);
  TORCH_CHECK(grad.sizes() == at::IntArrayRef(sizes), "grad_output is ", grad.sizes(),
              ", expected ", at::IntArrayRef(sizes));
}

// [N] C H W -> [N] C*kH*kW L
c10::DimVector im2col_sizes(const at::Tensor& self, at::IntArrayRef kernel,
                            at::IntArrayRef dilation, at::IntArrayRef padding,
                            at::IntArrayRef stride) {
  for (const at::IntArrayRef values : {kernel, dilation, padding, stride}) {
    TORCH_CHECK(values.size() == 2, "im2col: expected 2 numbers for each parameter");
  }
  at::native::im2col_shape_check(self, at::Tensor(), kernel[0], kernel[1], dilation[0], dilation[1],
                                 padding[0], padding[1], stride[0], stride[1]);
  int64_t windows = 1;
  for (const int64_t i : {0, 1}) {
    const int64_t covered = dilation[i] * (kernel[i] - 1) + 1;
    windows *= (self.size(i - 2) + 2 * padding[i] - covered) / stride[i] + 1;
  }
  c10::DimVector sizes{self.size(-3) * kernel[0] * kernel[1], windows};
  if (self.dim() == 4) sizes.insert(sizes.begin(), self.size(0));
  return sizes;
}

c10::DimVector col2im_sizes(const at::Tensor& self, at::IntArrayRef output_size,
                            at::IntArrayRef kernel, at::IntArrayRef dilation,
                            at::IntArrayRef padding, at::IntArrayRef stride) {
  for (const at::IntArrayRef values : {output_size, kernel, dilation, padding, stride}) {
    TORCH_CHECK(values.size() == 2, "col2im: expected 2 numbers for each parameter");
  }
  at::native::col2im_shape_check(self, at::Tensor(), output_size[0], output_size[1], kernel[0],
                                 kernel[1], dilation[0], dilation[1], padding[0], padding[1],
                                 stride[0], stride[1]);
  c10::DimVector sizes{self.size(-2) / (kernel[0] * kernel[1]), output_size[0], output_size[1]};
  if (self.dim() == 3) sizes.insert(sizes.begin(), self.size(0));
  return sizes;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "padding";
#include "torchtitan_npu/csrc/aten/ops_padding.inc"
}

}  // namespace torchtitan_npu
