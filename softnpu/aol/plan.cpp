// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/plan.h"

#include <string_view>

namespace npu::aol {
namespace {

constexpr uint64_t kAlignment = 64;
thread_local Call* current_call = nullptr;

}  // namespace

const char* current_operator() {
  return current_call == nullptr ? "no operator" : current_call->name;
}

CallScope::CallScope(const char* name, const char* arguments, std::span<const void* const> pointers)
    : call_{name, arguments, pointers, current_call} {
  current_call = &call_;
}

CallScope::~CallScope() { current_call = call_.outer; }

std::string argument_name(const void* handle, const char* role) {
  if (current_call == nullptr || handle == nullptr) return role;
  std::string_view names = current_call->arguments;
  names = names.substr(1, names.size() - 2);  // without the parentheses
  for (const void* pointer : current_call->pointers) {
    const size_t comma = names.find(',');
    if (pointer == handle) return std::string(names.substr(0, comma));
    if (comma == std::string_view::npos) break;
    names.remove_prefix(comma + 2);
  }
  return role;
}

base::TensorView Plan::temporary(base::DType dtype, std::span<const int64_t> dims) {
  base::TensorView view;
  view.dtype = dtype;
  view.rank = static_cast<int8_t>(dims.size());
  int64_t count = 1;
  for (int i = view.rank - 1; i >= 0; --i) {
    view.dims[i] = dims[i];
    view.strides[i] = count;
    count *= dims[i];
  }
  view.data = ge::workspace_address(reserve(static_cast<uint64_t>(count) * base::size_of(dtype)));
  return view;
}

uint64_t Plan::reserve(uint64_t bytes) {
  const uint64_t offset = workspace_;
  workspace_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return offset;
}

void Plan::append(std::unique_ptr<ge::OperatorNode> node) {
  ge::OperatorNode* added = node.get();
  (last_ == nullptr ? first_ : last_->next) = std::move(node);
  last_ = added;
}

Plan plan_on_aicpu(const NoNativeKernel& reason, std::span<const Argument> arguments) {
  Plan plan;
  if (fallback == nullptr || !fallback(current_operator(), arguments, plan)) throw reason;
  return plan;
}

}  // namespace npu::aol
