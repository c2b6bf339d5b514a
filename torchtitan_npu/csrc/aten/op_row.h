// SPDX-License-Identifier: Apache-2.0
// Rows of the operator table. Inside a function that has `m` (a torch::Library for aten) and
// `family`:
//
//   OP(exp, exp_out, kFloats, Exp)                  structured: functional, in-place and out forms
//   OP(mm, mm_out, kFloats, Mm, [](auto& self, auto& mat2, auto& out) {…})    its own call
//   KERNEL(embedding, kFloats, Embedding, [](auto& weight, …) {… return out;})     unstructured
//
// Signatures come from at::_ops. A structured row runs PyTorch's own meta function (shapes,
// promotion, broadcasting, error text), then passes the operator's arguments and its outputs, in
// this order, to the aclnn function or to the row's lambda. Every row switches to the tensors'
// device and refuses tensors on different ones.
#pragma once

#include <ATen/TensorIterator.h>
#include <ATen/TensorMeta.h>
#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <array>
#include <string>
#include <tuple>
#include <type_traits>

#include "torchtitan_npu/csrc/aten/op_call.h"
#include "torchtitan_npu/csrc/aten/op_table.h"

namespace torchtitan_npu {

/// Which tensors of a call may be elsewhere than on its device: kIterator leaves the comparison to
/// the row or to TensorIterator, kCpuNumbers lets CPU tensors without dimensions pass.
enum class DeviceRule : uint8_t { kSame, kCpuNumbers, kIterator };

/// Finds the device of a call's tensors, in argument order; throws where the rule is broken.
class DeviceCheck {
 public:
  DeviceCheck(const char* op, const char* overload, DeviceRule rule)
      : op_(op), overload_(overload), rule_(rule) {}
  void see(const at::Tensor& tensor) {
    if (tensor.defined() && (!device_.has_value() || tensor.device() != *device_)) other(tensor);
    ++argument_;
  }
  void see(const std::optional<at::Tensor>& tensor) {
    if (tensor.has_value()) return see(*tensor);
    ++argument_;
  }
  void see(const at::ITensorListRef& tensors);
  template <class T>
  void see(const T&) {  // lists of indices too: they may be on the CPU, their rows move them
    ++argument_;
  }
  std::optional<c10::Device> device() const { return device_; }

 private:
  void other(const at::Tensor& tensor);

  const char* op_;
  const char* overload_;
  DeviceRule rule_;
  bool is_number_ = false;
  int argument_ = 0;
  std::optional<c10::Device> device_;
};

/// What a structured operator's output is: to be made, given by out=, or the input itself.
enum class OutputKind : uint8_t { kNew, kGiven, kInplace };
/// `exact`: the kernel needs these strides, so a given output of other strides gets a `proxy`.
void prepare_output(OutputKind kind, at::Tensor& output, at::Tensor& proxy, bool exact,
                    at::IntArrayRef sizes, at::IntArrayRef strides,
                    const at::TensorOptions& options);

namespace detail {

template <class Meta, size_t N>
class Structured final : public Meta {
 public:
  Structured() = default;
  Structured(OutputKind kind, std::array<at::Tensor, N> outputs)
      : kind_(kind), outputs_(std::move(outputs)) {}

  const at::Tensor& maybe_get_output(int64_t i) override {
    return proxies_[i].defined() ? proxies_[i] : outputs_[i];
  }
  void set_output_strided(int64_t i, at::IntArrayRef sizes, at::IntArrayRef strides,
                          at::TensorOptions options) override {
    set(i, true, sizes, strides, options);
  }
  void set_output_raw_strided(int64_t i, at::IntArrayRef sizes, at::IntArrayRef strides,
                              at::TensorOptions options) override {
    set(i, false, sizes, strides, options);
  }
  const at::Tensor& output(size_t i) { return maybe_get_output(static_cast<int64_t>(i)); }
  at::Tensor take(size_t i) { return std::move(outputs_[i]); }
  void copy_proxies() {
    for (size_t i = 0; i < N; ++i) {
      if (C10_UNLIKELY(proxies_[i].defined())) outputs_[i].copy_(proxies_[i]);
    }
  }

 private:
  void set(int64_t i, bool exact, at::IntArrayRef sizes, at::IntArrayRef strides,
           const at::TensorOptions& options) {
    prepare_output(kind_, outputs_[i], proxies_[i], exact, sizes, strides, options);
    if constexpr (std::is_base_of_v<at::TensorIteratorBase, Meta>) {
      Meta::set_output_raw_strided(i, sizes, strides, options);  // the iterator keeps its own view
    }
  }

  OutputKind kind_ = OutputKind::kNew;
  std::array<at::Tensor, N> outputs_;
  std::array<at::Tensor, N> proxies_;
};

// Arguments as meta functions take them.
template <class T>
const T& meta_argument(const T& argument) {
  return argument;
}
inline at::OptionalTensorRef meta_argument(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() && tensor->defined() ? at::OptionalTensorRef(*tensor)
                                                 : at::OptionalTensorRef();
}
inline at::OptionalScalarRef meta_argument(const std::optional<at::Scalar>& scalar) {
  return scalar.has_value() ? at::OptionalScalarRef(&*scalar) : at::OptionalScalarRef();
}

template <class T>
using Plain = typename c10::remove_symint<T>::type;

template <class Op, class Meta, class Body, class Schema>
struct StructuredRow;

template <class Op, class Meta, class Body, class R, class... A>
struct StructuredRow<Op, Meta, Body, R(A...)> {
  static constexpr size_t kOutputs = [] {
    if constexpr (std::is_same_v<R, at::Tensor>) {
      return size_t{1};
    } else {
      return std::tuple_size_v<R>;
    }
  }();
  using Call = Structured<Meta, kOutputs>;
  using Outputs = std::make_index_sequence<kOutputs>;

  static void run(Call& call, const Plain<A>&... arguments) {
    constexpr bool kIterates = std::is_base_of_v<at::TensorIteratorBase, Meta>;
    DeviceCheck check(Op::name, Op::overload_name,
                      kIterates ? DeviceRule::kIterator : DeviceRule::kSame);
    (check.see(arguments), ...);
    const c10::OptionalDeviceGuard guard(check.device());
    call.meta(meta_argument(arguments)...);
    [&]<size_t... I>(std::index_sequence<I...>) {
      Body{}(arguments..., call.output(I)...);
    }(Outputs{});
  }

  static R functional(Plain<A>... arguments) {
    Call call;
    run(call, arguments...);
    return [&]<size_t... I>(std::index_sequence<I...>) { return R(call.take(I)...); }(Outputs{});
  }

  template <size_t>
  using OutputRef = at::Tensor&;
  template <class>
  struct Out;
  template <size_t... I>
  struct Out<std::index_sequence<I...>> {
    using Result = std::conditional_t<kOutputs == 1, at::Tensor&, std::tuple<OutputRef<I>...>>;
    static Result call(Plain<A>... arguments, OutputRef<I>... outputs) {
      Call call(OutputKind::kGiven, {outputs...});
      run(call, arguments...);
      call.copy_proxies();
      return Result(outputs...);
    }
  };

  template <class Self, class... Rest>
  static at::Tensor& inplace(at::Tensor& self, Plain<Rest>... rest) {
    Call call(OutputKind::kInplace, {self});
    run(call, self, rest...);
    call.copy_proxies();
    return self;
  }
  static constexpr bool kMayBeInplace =
      kOutputs == 1 &&
      std::is_same_v<std::tuple_element_t<0, std::tuple<A..., void>>, const at::Tensor&>;
};

template <class Op, class Body, DeviceRule rule, class Schema>
struct KernelRow;

template <class Op, class Body, DeviceRule rule, class R, class... A>
struct KernelRow<Op, Body, rule, R(A...)> {
  static R call(Plain<A>... arguments) {
    DeviceCheck check(Op::name, Op::overload_name, rule);
    (check.see(arguments), ...);
    const c10::OptionalDeviceGuard guard(check.device());
    return Body{}(arguments...);
  }
};

template <class Op>
std::string full_name() {
  std::string name = Op::name;
  if (*Op::overload_name != '\0') name.append(".").append(Op::overload_name);
  return name;
}

template <class F>
void implement(torch::Library& m, const std::string& name, F* function) {
  m.impl(name.c_str(), function);
}

template <class Row, class A0, class... A, class R>
void bind_inplace(torch::Library& m, const char* name, const char* overload, R (*)(A0, A...)) {
  const std::string inplace = std::string(name) + "_";
  if (!c10::Dispatcher::singleton().findSchema({inplace, overload}).has_value()) return;
  implement(m, *overload == '\0' ? inplace : inplace + "." + overload,
            &Row::template inplace<A0, A...>);
}

template <class Op, class Out, class Meta, class Body>
void structured_row(torch::Library& m, const char* family, DTypes dtypes, const char* aclnn, Body) {
  using Row = StructuredRow<Op, Meta, Body, typename Op::schema>;
  implement(m, full_name<Op>(), &Row::functional);
  implement(m, full_name<Out>(), &Row::template Out<typename Row::Outputs>::call);
  if constexpr (Row::kMayBeInplace) {
    bind_inplace<Row>(m, Op::name, Op::overload_name, static_cast<typename Op::schema*>(nullptr));
  }
  add_operator_row({Op::name, Op::overload_name, aclnn, family, dtypes});
}

template <class Op, DTypes dtypes, class Body>
void kernel_row(torch::Library& m, const char* family, const char* aclnn, Body) {
  constexpr DeviceRule kRule = (dtypes & kCpuNumbers) != 0  ? DeviceRule::kCpuNumbers
                               : (dtypes & kAnyDevice) != 0 ? DeviceRule::kIterator
                                                            : DeviceRule::kSame;
  implement(m, full_name<Op>(), &KernelRow<Op, Body, kRule, typename Op::schema>::call);
  add_operator_row(
      {Op::name, Op::overload_name, aclnn, family, dtypes & ~(kCpuNumbers | kAnyDevice)});
}

// The row's own lambda, or else the aclnn function itself.
template <class Call>
Call body_of(Call call) {
  return call;
}
template <class Call, class Body>
Body body_of(Call, Body body) {
  return body;
}

}  // namespace detail
}  // namespace torchtitan_npu

#define OP(aten, out, dtypes, aclnn, ...)                                 \
  ::torchtitan_npu::detail::structured_row<at::_ops::aten, at::_ops::out, \
                                           at::meta::structured_##aten>(  \
      m, family, dtypes, "aclnn" #aclnn,                                  \
      ::torchtitan_npu::detail::body_of(ACLNN(aclnn) __VA_OPT__(, __VA_ARGS__)));
#define KERNEL(aten, dtypes, aclnn, ...)                          \
  ::torchtitan_npu::detail::kernel_row<at::_ops::aten, (dtypes)>( \
      m, family, "aclnn" #aclnn, ::torchtitan_npu::detail::body_of(ACLNN(aclnn), __VA_ARGS__));
