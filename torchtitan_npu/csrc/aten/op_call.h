// SPDX-License-Identifier: Apache-2.0
// One aclnn call from ATen arguments: ACLNN(Add)(self, other, alpha, out). The function's own
// declaration types the call, so a wrong argument or a missing one does not compile. Descriptions
// live until the operator is issued on the current stream; errors throw with CANN's text.
#pragma once

#include <ATen/core/IListRef.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/util/DimVector.h>
#include <c10/util/OptionalArrayRef.h>

#include <concepts>
#include <optional>
#include <tuple>
#include <utility>

#include "aclnnop/aclnn_base.h"
#include "torchtitan_npu/csrc/core/library.h"

namespace torchtitan_npu {

/// CANN's element type; throws naming a type that CANN does not have.
aclDataType acl_type(at::ScalarType type);

// Matrix products and convolutions keep float32 as float32 (CANN's KEEP_DTYPE).
constexpr int8_t kCubeMathType = 0;

namespace detail {

aclTensor* describe(const at::Tensor& tensor);  // nullptr when undefined
aclScalar* describe(const at::Scalar& scalar);
aclIntArray* describe(at::IntArrayRef values);
aclBoolArray* describe(at::ArrayRef<bool> values);
aclTensorList* describe(const at::ITensorListRef& tensors);
aclTensorList* describe(const c10::List<std::optional<at::Tensor>>& tensors);
aclScalarList* describe(at::ArrayRef<at::Scalar> scalars);
/// A device copy of a CPU tensor without dimensions; other tensors as they are.
at::Tensor device_number(const at::Tensor& tensor);

void destroy(const aclTensor* handle) noexcept;
void destroy(const aclScalar* handle) noexcept;
void destroy(const aclIntArray* handle) noexcept;
void destroy(const aclBoolArray* handle) noexcept;
void destroy(const aclTensorList* handle) noexcept;
void destroy(const aclScalarList* handle) noexcept;

using Launch = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);
void bind_current_device();
void launch(const char* name, Launch function, uint64_t workspace_size, aclOpExecutor* executor);
[[noreturn]] void throw_plan_error(aclnnStatus status, const char* name);
void synchronize_current_stream();
c10::DimVector view_shape(const aclTensor* tensor);

template <class Handle>
class Handled {
 public:
  explicit Handled(Handle* handle) : handle_(handle) {}
  ~Handled() {
    if (handle_ != nullptr) destroy(handle_);
  }
  Handled(const Handled&) = delete;
  Handled& operator=(const Handled&) = delete;
  operator Handle*() const { return handle_; }

 private:
  Handle* handle_;
};

// Descriptor<P>: from an ATen value to aclnn parameter type P. There is no general case.
template <class Parameter>
class Descriptor;

// A number in a device operator (x * torch.tensor(2.)) becomes a device tensor for the call.
struct DeviceNumber {
  explicit DeviceNumber(const at::Tensor& tensor)
      : number(C10_UNLIKELY(tensor.defined() && tensor.is_cpu()) ? device_number(tensor)
                                                                 : at::Tensor()) {}
  at::Tensor number;
};

template <>
class Descriptor<aclTensor*> : private DeviceNumber, public Handled<aclTensor> {
 public:
  Descriptor(const at::Tensor& tensor)
      : DeviceNumber(tensor), Handled(describe(number.defined() ? number : tensor)) {}
  Descriptor(const std::optional<at::Tensor>& tensor)
      : Descriptor(tensor.has_value() ? *tensor : at::Tensor()) {}
};

template <>
class Descriptor<aclScalar*> : public Handled<aclScalar> {
 public:
  Descriptor(const at::Scalar& scalar) : Handled(describe(scalar)) {}
  Descriptor(const std::optional<at::Scalar>& scalar)
      : Handled(scalar.has_value() ? describe(*scalar) : nullptr) {}
};

template <>
class Descriptor<aclIntArray*> : public Handled<aclIntArray> {
 public:
  Descriptor(at::IntArrayRef values) : Handled(describe(values)) {}
  Descriptor(const c10::DimVector& values) : Descriptor(at::IntArrayRef(values)) {}
  Descriptor(at::OptionalIntArrayRef values)
      : Handled(values.has_value() ? describe(*values) : nullptr) {}
};

template <>
class Descriptor<aclBoolArray*> : public Handled<aclBoolArray> {
 public:
  Descriptor(at::ArrayRef<bool> values) : Handled(describe(values)) {}
};

template <>
class Descriptor<aclTensorList*> : public Handled<aclTensorList> {
 public:
  Descriptor(const at::ITensorListRef& tensors) : Handled(describe(tensors)) {}
  Descriptor(at::TensorList tensors) : Handled(describe(at::ITensorListRef(tensors))) {}
  Descriptor(const c10::List<std::optional<at::Tensor>>& tensors) : Handled(describe(tensors)) {}
};

template <>
class Descriptor<aclScalarList*> : public Handled<aclScalarList> {
 public:
  Descriptor(at::ArrayRef<at::Scalar> scalars) : Handled(describe(scalars)) {}
};

template <class T>
class Descriptor<const T*> : public Descriptor<T*> {
 public:
  using Descriptor<T*>::Descriptor;
};

template <>
class Descriptor<char*> {
 public:
  Descriptor(const char* text) : text_(text) {}
  operator char*() const { return const_cast<char*>(text_); }  // CANN reads it only

 private:
  const char* text_;
};

template <>
class Descriptor<aclDataType> {
 public:
  Descriptor(at::ScalarType type) : type_(acl_type(type)) {}
  operator aclDataType() const { return type_; }

 private:
  aclDataType type_;
};

// Numbers pass through, but never from one kind to another: bool, integers, floating point.
template <class A, class P>
concept SameKind =
    (std::same_as<A, bool> && std::same_as<P, bool>) ||
    (std::floating_point<A> && std::floating_point<P>) ||
    (std::integral<A> && std::integral<P> && !std::same_as<A, bool> && !std::same_as<P, bool>);
template <class Parameter>
  requires std::is_arithmetic_v<Parameter>
class Descriptor<Parameter> {
 public:
  template <class A>
    requires SameKind<A, Parameter>
  Descriptor(A value) : value_(static_cast<Parameter>(value)) {}
  operator Parameter() const { return value_; }

 private:
  Parameter value_;
};

template <size_t N, size_t M>
constexpr FunctionName<N + M - 1> operator+(const FunctionName<N>& name, const char (&suffix)[M]) {
  char text[N + M - 1] = {};
  std::copy_n(name.text, N - 1, text);
  std::copy_n(suffix, M, text + N - 1);
  return FunctionName<N + M - 1>(text);
}

template <FunctionName name, class Plan>
struct AclnnCall;

template <FunctionName name, class... P>
struct AclnnCall<name, aclnnStatus (*)(P...)> {
  static constexpr const char* kName = name.text;
  static constexpr size_t kArguments = sizeof...(P) - 2;  // without workspace size and executor

  template <class... A>
  void operator()(const A&... arguments) const {
    call(std::make_index_sequence<kArguments>{}, [](const auto&...) {}, arguments...);
  }

  /// For an operator that learns its output's size while it runs: waits for it and returns the
  /// shape that CANN left in the last tensor's description.
  template <class... A>
  c10::DimVector sized(const A&... arguments) const {
    c10::DimVector shape;
    call(
        std::make_index_sequence<kArguments>{},
        [&](const auto&... descriptors) {
          synchronize_current_stream();
          shape = view_shape(std::get<kArguments - 1>(std::tie(descriptors...)));
        },
        arguments...);
    return shape;
  }

 private:
  using Plan = aclnnStatus (*)(P...);
  template <size_t I>
  using Parameter = std::tuple_element_t<I, std::tuple<P...>>;

  template <size_t... I, class After, class... A>
  static void call(std::index_sequence<I...>, After after, const A&... arguments) {
    static_assert(sizeof...(A) == kArguments, "not as many arguments as the aclnn function takes");
    bind_current_device();
    [&](const Descriptor<Parameter<I>>&... descriptors) {
      uint64_t workspace_size = 0;
      aclOpExecutor* executor = nullptr;
      const aclnnStatus status = required_function<name + "GetWorkspaceSize", Plan>()(
          descriptors..., &workspace_size, &executor);
      if (C10_UNLIKELY(status != 0)) throw_plan_error(status, kName);
      launch(kName, required_function<name, Launch>(), workspace_size, executor);
      after(descriptors...);
    }(arguments...);
  }
};

}  // namespace detail
}  // namespace torchtitan_npu

/// The aclnn operator `op` as a callable object, typed by its declaration in include/aclnnop.
#define ACLNN(op) \
  (::torchtitan_npu::detail::AclnnCall<"aclnn" #op, decltype(&::aclnn##op##GetWorkspaceSize)>{})
