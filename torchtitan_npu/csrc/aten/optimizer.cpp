// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_fused_adam_ops.h>
#include <ATen/ops/_fused_adamw_ops.h>
#include <ATen/ops/_fused_sgd_ops.h>
// END ROW HEADERS

#include <ATen/ops/_foreach_add.h>

#include "aclnnop/optimizer.h"
#include "torchtitan_npu/csrc/aten/op_row.h"

namespace torchtitan_npu {
namespace {

struct AdamLists {
  at::TensorList self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps;
};

double value_of(const at::Tensor& lr) { return lr.item().toDouble(); }

/// Where CANN does not look at it itself.
bool holds_infinity(const std::optional<at::Tensor>& found_inf) {
  return found_inf.has_value() && found_inf->defined() && found_inf->item().toDouble() == 1;
}

void check(const AdamLists& lists, bool amsgrad) {
  for (const at::TensorList* list :
       {&lists.grads, &lists.exp_avgs, &lists.exp_avg_sqs, &lists.steps}) {
    TORCH_CHECK(list->size() == lists.self.size(), "fused Adam: ", lists.self.size(),
                " parameters, but a list beside them has ", list->size(), " tensors");
  }
  TORCH_CHECK(!amsgrad || lists.max_exp_avg_sqs.size() == lists.self.size(),
              "fused Adam: amsgrad needs max_exp_avg_sqs for each parameter");
}

void fused_adam(const AdamLists& lists, double lr, double beta1, double beta2, double weight_decay,
                double eps, bool amsgrad, bool maximize,
                const std::optional<at::Tensor>& grad_scale,
                const std::optional<at::Tensor>& found_inf) {
  check(lists, amsgrad);
  if (lists.self.empty()) return;
  const std::vector<at::Tensor> before = at::_foreach_add(lists.steps, -1);
  constexpr size_t kMostTensors = 512;  // what a card takes in one call
  const auto part = [](at::TensorList list, size_t first, size_t count) {
    return list.empty() ? list : list.slice(first, count);
  };
  for (size_t i = 0; i < lists.self.size(); i += kMostTensors) {
    const size_t n = std::min(kMostTensors, lists.self.size() - i);
    // A card wants the last list even where it does not read it
    const at::TensorList& largest =
        lists.max_exp_avg_sqs.empty() ? lists.exp_avg_sqs : lists.max_exp_avg_sqs;
    ACLNN(FusedAdam)
    (part(lists.self, i, n), part(lists.grads, i, n), part(lists.exp_avgs, i, n),
     part(lists.exp_avg_sqs, i, n), part(largest, i, n), part(before, i, n), grad_scale, found_inf,
     lr, beta1, beta2, weight_decay, eps, amsgrad, maximize);
  }
}

void fused_adamw(const AdamLists& lists, double lr, double beta1, double beta2, double weight_decay,
                 double eps, bool amsgrad, bool maximize,
                 const std::optional<at::Tensor>& grad_scale,
                 const std::optional<at::Tensor>& found_inf) {
  check(lists, amsgrad);
  if (lists.self.empty() || holds_infinity(found_inf)) return;
  const std::vector<at::Tensor> before = at::_foreach_add(lists.steps, -1);
  for (size_t i = 0; i < lists.self.size(); ++i) {
    if (grad_scale.has_value() && grad_scale->defined()) lists.grads[i].div_(*grad_scale);
    ACLNN(ApplyAdamWV2)
    (lists.self[i], lists.exp_avgs[i], lists.exp_avg_sqs[i],
     amsgrad ? lists.max_exp_avg_sqs[i] : at::Tensor(), lists.grads[i], before[i], lr, beta1, beta2,
     weight_decay, eps, amsgrad, maximize);
  }
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "optimizer";
#include "torchtitan_npu/csrc/aten/ops_optimizer.inc"
}

}  // namespace torchtitan_npu
