// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/bernoulli_ops.h>
#include <ATen/ops/cauchy_ops.h>
#include <ATen/ops/exponential_ops.h>
#include <ATen/ops/geometric_ops.h>
#include <ATen/ops/log_normal_ops.h>
#include <ATen/ops/multinomial_ops.h>
#include <ATen/ops/native_dropout_backward_ops.h>
#include <ATen/ops/native_dropout_ops.h>
#include <ATen/ops/normal_ops.h>
#include <ATen/ops/random_ops.h>
#include <ATen/ops/randperm_ops.h>
#include <ATen/ops/uniform_ops.h>
// END ROW HEADERS

#include <ATen/ExpandUtils.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_dropout_backward.h>
#include <ATen/ops/result_type.h>

#include <cmath>
#include <limits>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/philox.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

// random_()'s bound: every integer that the type holds exactly.
int64_t random_limit(at::ScalarType type) {
  switch (type) {
    case at::kBool:
      return 2;
    case at::kByte:
      return 1 << 8;
    case at::kChar:
      return 1 << 7;
    case at::kShort:
      return 1 << 15;
    case at::kInt:
      return int64_t{1} << 31;
    case at::kHalf:
      return (1 << 11) + 1;
    case at::kBFloat16:
      return (1 << 8) + 1;
    case at::kFloat:
      return (1 << 24) + 1;
    case at::kDouble:
      return (int64_t{1} << 53) + 1;
    default:
      return std::numeric_limits<int64_t>::max();
  }
}

void check_multinomial(const at::Tensor& self, int64_t samples, bool replacement) {
  TORCH_CHECK(self.dim() > 0 && self.dim() <= 2, "prob_dist must be 1 or 2 dim");
  TORCH_CHECK(
      at::isFloatingType(self.scalar_type()),
      "multinomial only supports floating-point dtypes for input, got: ", self.scalar_type());
  TORCH_CHECK(samples > 0, "cannot sample n_sample <= 0 samples");
  TORCH_CHECK(replacement || samples <= self.size(-1),
              "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
}

void random_between(at::Tensor& self, int64_t from, int64_t to,
                    const std::optional<at::Generator>& generator) {
  TORCH_CHECK(from < to, "random_ expects 'from' to be less than 'to', but got from=", from,
              " >= to=", to);
  const Philox draw(self, generator);
  ACLNN(InplaceRandom)(self, from, to, draw.seed, draw.offset);
}

void check_randperm(int64_t n, const at::Tensor& out) {
  TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
  TORCH_CHECK(out.scalar_type() == at::kLong || n <= random_limit(out.scalar_type()),
              "n is too large for result tensor type: '", out.toString(), "'");
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "random";
#include "torchtitan_npu/csrc/aten/ops_random.inc"
}

}  // namespace torchtitan_npu
