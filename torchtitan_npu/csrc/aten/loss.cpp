// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_ctc_loss_backward_ops.h>
#include <ATen/ops/_ctc_loss_ops.h>
#include <ATen/ops/binary_cross_entropy_backward_ops.h>
#include <ATen/ops/binary_cross_entropy_ops.h>
#include <ATen/ops/huber_loss_backward_ops.h>
#include <ATen/ops/huber_loss_ops.h>
#include <ATen/ops/mse_loss_backward_ops.h>
#include <ATen/ops/mse_loss_meta.h>
#include <ATen/ops/mse_loss_ops.h>
#include <ATen/ops/multilabel_margin_loss_forward_ops.h>
#include <ATen/ops/nll_loss2d_backward_ops.h>
#include <ATen/ops/nll_loss2d_forward_ops.h>
#include <ATen/ops/nll_loss_backward_meta.h>
#include <ATen/ops/nll_loss_backward_ops.h>
#include <ATen/ops/nll_loss_forward_meta.h>
#include <ATen/ops/nll_loss_forward_ops.h>
#include <ATen/ops/smooth_l1_loss_backward_ops.h>
#include <ATen/ops/smooth_l1_loss_meta.h>
#include <ATen/ops/smooth_l1_loss_ops.h>
// END ROW HEADERS

#include <ATen/ExpandUtils.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/smooth_l1_loss.h>

#include <algorithm>

#include "aclnnop/loss.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

void check_nll2d(const at::Tensor& self, const at::Tensor& target) {
  TORCH_CHECK(target.dim() == 3,
              "only batches of spatial targets supported (3D tensors) but got targets of "
              "dimension: ",
              target.dim());
  TORCH_CHECK(self.dim() == 4,
              "only batches of spatial inputs supported (4D tensors), but got input of "
              "dimension: ",
              self.dim());
  TORCH_CHECK(self.size(0) == target.size(0) && self.size(2) == target.size(1) &&
                  self.size(3) == target.size(2),
              "size mismatch (got input: ", self.sizes(), " , target: ", target.sizes());
}

void check_multilabel(const at::Tensor& self, const at::Tensor& target) {
  TORCH_CHECK(self.dim() <= 2 && self.numel() > 0, "multilabel_margin_loss: input is ",
              self.sizes(), "; expected 1 or 2 dimensions and elements");
  TORCH_CHECK(self.sizes() == target.sizes() || (self.dim() == 0 && target.numel() == 1),
              "inconsistent target size: ", target.sizes(), " for input of size: ", self.sizes());
}

void check_ctc(const at::Tensor& log_probs, const at::Tensor& targets,
               at::IntArrayRef input_lengths, at::IntArrayRef target_lengths, int64_t blank) {
  TORCH_CHECK(log_probs.dim() == 3 && log_probs.numel() > 0, "ctc_loss: log_probs is ",
              log_probs.sizes(), "; expected [T, N, C] with elements");
  const int64_t batch = log_probs.size(1);
  TORCH_CHECK(0 <= blank && blank < log_probs.size(2), "blank must be in label range");
  TORCH_CHECK(static_cast<int64_t>(input_lengths.size()) == batch,
              "input_lengths must be of size batch_size");
  TORCH_CHECK(static_cast<int64_t>(target_lengths.size()) == batch,
              "target_lengths must be of size batch_size");
  int64_t longest = 0, total = 0;
  for (int64_t i = 0; i < batch; ++i) {
    TORCH_CHECK(target_lengths[i] >= 0,
                "Expected target_lengths to have value at least 0, but got "
                "value ",
                target_lengths[i]);
    TORCH_CHECK(input_lengths[i] >= 0 && input_lengths[i] <= log_probs.size(0),
                "Expected input_lengths to have value at most ", log_probs.size(0),
                ", but got value ", input_lengths[i]);
    longest = std::max(longest, target_lengths[i]);
    total += target_lengths[i];
  }
  TORCH_CHECK(targets.dim() == 1
                  ? targets.size(0) == total
                  : targets.dim() == 2 && targets.size(0) == batch && targets.size(1) >= longest,
              "ctc_loss: targets are ", targets.sizes(), ", target lengths ", target_lengths);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "loss";
#include "torchtitan_npu/csrc/aten/ops_loss.inc"
}

}  // namespace torchtitan_npu
