// SPDX-License-Identifier: Apache-2.0
// Operators whose native kernels refuse some element types (complex numbers above all), and the
// ATen overload that computes them then.
#include <algorithm>
#include <string_view>

#include "softnpu/aicpu/aten_call.h"

namespace npu::aicpu {
namespace {

constexpr int kNone = -1;       // the schema's argument is left out
constexpr int kReduction = -2;  // the word for the number in the argument before includeSelf

struct Row {
  std::string_view name;
  const char* overload;
  // Positions of the operator's arguments in the schema's order; empty: the first ones as they are.
  std::initializer_list<int> order = {};
};

constexpr Row kRows[] = {
    {"aclnnAbs", "aten::abs.out"},
    {"aclnnAcos", "aten::acos.out"},
    {"aclnnAcosh", "aten::acosh.out"},
    {"aclnnAdd", "aten::add.out"},
    {"aclnnAddbmm", "aten::addbmm.out", {0, 1, 2, 3, 4, 5}},
    {"aclnnAddcdiv", "aten::addcdiv.out"},
    {"aclnnAddcmul", "aten::addcmul.out"},
    {"aclnnAddmm", "aten::addmm.out", {0, 1, 2, 3, 4, 5}},
    {"aclnnAddmv", "aten::addmv.out", {0, 1, 2, 4, 3, 5}},
    {"aclnnAdds", "aten::add.Scalar_out"},
    {"aclnnAll", "aten::all.dims_out"},
    {"aclnnAny", "aten::any.dims_out"},
    {"aclnnAsin", "aten::asin.out"},
    {"aclnnAsinh", "aten::asinh.out"},
    {"aclnnAtan", "aten::atan.out"},
    {"aclnnAtanh", "aten::atanh.out"},
    {"aclnnBaddbmm", "aten::baddbmm.out", {0, 1, 2, 3, 4, 5}},
    {"aclnnBatchMatMul", "aten::bmm.out", {0, 1, 2}},
    {"aclnnCos", "aten::cos.out"},
    {"aclnnCosh", "aten::cosh.out"},
    {"aclnnCumprod", "aten::cumprod.out"},
    {"aclnnCumsum", "aten::cumsum.out"},
    {"aclnnDiv", "aten::div.out"},
    {"aclnnDivs", "aten::div.Scalar_out"},
    {"aclnnDot", "aten::dot.out"},
    {"aclnnEqScalar", "aten::eq.Scalar_out"},
    {"aclnnEqTensor", "aten::eq.Tensor_out"},
    {"aclnnExp", "aten::exp.out"},
    {"aclnnExp2", "aten::exp2.out"},
    {"aclnnExpm1", "aten::expm1.out"},
    {"aclnnIndex", "aten::index.Tensor_out"},
    {"aclnnIndexAdd", "aten::index_add.out"},
    {"aclnnIndexPutImpl", "aten::index_put_", {0, 1, 2, 3}},
    {"aclnnInplaceAdd", "aten::add_.Tensor"},
    {"aclnnInplaceAdds", "aten::add_.Scalar"},
    {"aclnnInplaceDiv", "aten::div_.Tensor"},
    {"aclnnInplaceIndexCopy", "aten::index_copy_"},
    {"aclnnInplaceIndexFill", "aten::index_fill_.int_Scalar"},
    {"aclnnInplaceMaskedFillScalar", "aten::masked_fill_.Scalar"},
    {"aclnnInplaceMaskedFillTensor", "aten::masked_fill_.Tensor"},
    {"aclnnInplaceMul", "aten::mul_.Tensor"},
    {"aclnnInplaceMuls", "aten::mul_.Scalar"},
    {"aclnnInplacePut", "aten::put_"},
    {"aclnnInplaceRenorm", "aten::renorm_"},
    {"aclnnInplaceScatterReduce", "aten::scatter_reduce_.two", {0, 1, 2, 3, kReduction, 5}},
    {"aclnnInplaceSub", "aten::sub_.Tensor"},
    {"aclnnIsFinite", "aten::isfinite"},
    {"aclnnLerp", "aten::lerp.Tensor_out"},
    {"aclnnLerps", "aten::lerp.Scalar_out"},
    {"aclnnLinalgVectorNorm", "aten::linalg_vector_norm.out", {0, 1, 2, 3, kNone, 5}},
    {"aclnnLinspace", "aten::linspace.out"},
    {"aclnnLog", "aten::log.out"},
    {"aclnnLog10", "aten::log10.out"},
    {"aclnnLog1p", "aten::log1p.out"},
    {"aclnnLog2", "aten::log2.out"},
    {"aclnnLogAddExp", "aten::logaddexp.out"},
    {"aclnnLogSpace", "aten::logspace.out"},
    {"aclnnLogicalAnd", "aten::logical_and.out"},
    {"aclnnLogicalNot", "aten::logical_not.out"},
    {"aclnnLogicalOr", "aten::logical_or.out"},
    {"aclnnLogicalXor", "aten::logical_xor.out"},
    {"aclnnMatmul", "aten::matmul.out", {0, 1, 2}},
    {"aclnnMean", "aten::mean.out"},
    {"aclnnMm", "aten::mm.out", {0, 1, 2}},
    {"aclnnMul", "aten::mul.out"},
    {"aclnnMuls", "aten::mul.Scalar_out"},
    {"aclnnNeScalar", "aten::ne.Scalar_out"},
    {"aclnnNeTensor", "aten::ne.Tensor_out"},
    {"aclnnNeg", "aten::neg.out"},
    {"aclnnNorm", "aten::norm.out"},
    {"aclnnPowTensorScalar", "aten::pow.Tensor_Scalar_out"},
    {"aclnnPowTensorTensor", "aten::pow.Tensor_Tensor_out"},
    {"aclnnProd", "aten::prod", {0, 1, 2}},
    {"aclnnProdDim", "aten::prod.int_out"},
    {"aclnnReciprocal", "aten::reciprocal.out"},
    {"aclnnReduceSum", "aten::sum.IntList_out"},
    {"aclnnRenorm", "aten::renorm.out"},
    {"aclnnRsqrt", "aten::rsqrt.out"},
    {"aclnnSWhere", "aten::where.self_out"},
    {"aclnnScatterAdd", "aten::scatter_add.out"},
    {"aclnnScatterReduce", "aten::scatter_reduce.two_out", {0, 1, 2, 3, kReduction, 5, 6}},
    {"aclnnSigmoid", "aten::sigmoid.out"},
    {"aclnnSign", "aten::sgn.out"},
    {"aclnnSilu", "aten::silu.out"},
    {"aclnnSin", "aten::sin.out"},
    {"aclnnSinc", "aten::sinc.out"},
    {"aclnnSinh", "aten::sinh.out"},
    {"aclnnSqrt", "aten::sqrt.out"},
    {"aclnnStd", "aten::std.correction_out"},
    {"aclnnStdMeanCorrection", "aten::std_mean.correction_out"},
    {"aclnnSub", "aten::sub.out"},
    {"aclnnSubs", "aten::sub.Scalar_out"},
    {"aclnnTan", "aten::tan.out"},
    {"aclnnTanh", "aten::tanh.out"},
    {"aclnnTrace", "aten::trace.out"},
    {"aclnnTril", "aten::tril.out"},
    {"aclnnTriu", "aten::triu.out"},
    {"aclnnVarCorrection", "aten::var.correction_out"},
    {"aclnnVarMean", "aten::var_mean.correction_out"},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));

/// PyTorch's word for CANN's number of a scatter_reduce.
const char* reduction_word(const aol::Argument& number) {
  constexpr const char* kWords[] = {"", "sum", "prod", "amax", "amin", "mean"};
  return kWords[std::get<int64_t>(number.value)];
}

AtenArgument argument_at(std::span<const aol::Argument> arguments, int position) {
  if (position == kNone) return {};
  if (position == kReduction) return make_argument(aol::Argument(reduction_word(arguments[4])));
  return make_argument(arguments[static_cast<size_t>(position)]);
}

bool plan_fallback(const char* name, std::span<const aol::Argument> arguments, aol::Plan& plan) {
  const auto* row = std::ranges::lower_bound(kRows, std::string_view(name), {}, &Row::name);
  if (row == std::end(kRows) || row->name != name) return false;
  std::vector<AtenArgument> ordered;
  if (row->order.size() == 0) {
    for (const aol::Argument& argument : arguments) ordered.push_back(make_argument(argument));
  }
  for (const int position : row->order) {
    ordered.push_back(argument_at(arguments, position));
  }
  plan = make_plan(row->overload, std::move(ordered));
  return true;
}

// aol does not know this room; it finds the function here if the room is linked in.
[[gnu::constructor]] void install() { aol::fallback = plan_fallback; }

}  // namespace
}  // namespace npu::aicpu
