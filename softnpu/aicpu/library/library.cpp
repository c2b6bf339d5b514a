// SPDX-License-Identifier: Apache-2.0
// libsoftnpu_aicpu.so: runs operators by ATen's CPU kernels on memory of the device. One thread of
// the process does it, below autograd and autocast and unseen by the profiler, so that a program's
// own use of PyTorch on the CPU never notices.
#include "softnpu/aicpu/library/library.h"

#include <ATen/Version.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/headeronly/version.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "softnpu/aicpu/library/values.h"
#include "softnpu/aicpu/library/worker.h"

namespace npu::aicpu {
namespace {

void write_message(char* message, std::string_view text) {
  std::snprintf(message, kMessageBytes, "%.*s", static_cast<int>(text.size()), text.data());
}

/// Runs `body`; an exception becomes a message and false.
template <class Body>
bool guard(char* message, Body&& body) noexcept {
  try {
    body();
    return true;
  } catch (const c10::Error& e) {
    write_message(message, e.what_without_backtrace());
  } catch (const std::exception& e) {
    write_message(message, e.what());
  }
  return false;
}

const c10::OperatorHandle& handle_of(const void* operation) {
  return *static_cast<const c10::OperatorHandle*>(operation);
}

/// Handles that were given out. Lives as long as the process.
struct Handles {
  std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<c10::OperatorHandle>> by_name;  // guarded
};
Handles& handles() {
  static auto* const shared = new Handles;
  return *shared;
}

bool find(const char* overload, const void** operation, char* message) {
  return guard(message, [&] {
    const std::string_view full = overload;
    const size_t dot = full.find('.');
    const std::string name(full.substr(0, dot));
    const std::string suffix(dot == std::string_view::npos ? "" : full.substr(dot + 1));
    const auto found = c10::Dispatcher::singleton().findSchema({name, suffix});
    TORCH_CHECK(found.has_value(), "PyTorch has no operator ", overload);
    std::lock_guard lock(handles().mutex);
    auto& handle = handles().by_name[std::string(full)];
    if (handle == nullptr) handle = std::make_unique<c10::OperatorHandle>(*found);
    *operation = handle.get();
  });
}

bool writes(const void* operation, size_t count, bool* flags, char* message) {
  return guard(message, [&] {
    const auto& schema = handle_of(operation).schema();
    const auto& arguments = schema.arguments();
    TORCH_CHECK(count <= arguments.size() + schema.returns().size(), schema.name(), " takes ",
                arguments.size(), " arguments and has ", schema.returns().size(), " results; ",
                count, " were passed");
    for (size_t i = 0; i < count; ++i) {
      const bool result = i >= arguments.size();
      flags[i] = result || (arguments[i].alias_info() && arguments[i].alias_info()->isWrite());
    }
  });
}

/// A tensor that the operator writes, and what it writes instead.
struct Widened {
  at::Tensor tensor, wide;
};

/// Replaces a tensor of half precision by its float32 copy, int32 by int64. All become contiguous:
/// not every CPU kernel looks at strides, and some expect the same layout of input and output.
void widen(c10::IValue& value, const c10::Argument& argument, std::vector<Widened>& written) {
  if (!value.isTensor()) return;
  const at::Tensor tensor = value.toTensor();
  if (!tensor.defined()) return;
  const bool half = at::isReducedFloatingType(tensor.scalar_type());
  const bool written_to = argument.alias_info() && argument.alias_info()->isWrite();
  if (!half && tensor.scalar_type() != at::kInt) {
    at::Tensor dense = tensor.contiguous();
    if (written_to && !dense.is_same(tensor)) written.push_back({tensor, dense});
    value = std::move(dense);
    return;
  }
  at::Tensor wide = tensor.to(half ? at::kFloat : at::kLong).contiguous();
  if (written_to) written.push_back({tensor, wide});
  value = std::move(wide);
}

void call(const c10::OperatorHandle& operation, AtenValue* values, size_t count, bool wide) {
  const auto& arguments = operation.schema().arguments();
  torch::jit::Stack stack;
  std::vector<Widened> written;
  for (size_t i = 0; i < arguments.size(); ++i) {
    stack.push_back(as_ivalue(i < count ? values[i] : AtenValue{}, arguments[i]));
    if (wide) widen(stack.back(), arguments[i], written);
  }
  operation.callBoxed(&stack);
  for (const Widened& pair : written) pair.tensor.copy_(pair.wide);
  for (size_t i = arguments.size(); i < count; ++i) {
    if (values[i].kind != AtenValue::Kind::kTensor) continue;  // the client does not want it
    const at::Tensor result = stack.at(i - arguments.size()).toTensor();
    store_result(result, values[i]);
  }
}

bool run(const void* operation, AtenValue* values, size_t count, bool wide, char* message) {
  return guard(message,
               [&] { run_on_worker([&] { call(handle_of(operation), values, count, wide); }); });
}

constexpr Library kLibrary = {find, writes, run};

}  // namespace
}  // namespace npu::aicpu

const npu::aicpu::Library* softnpu_aicpu_library(char* message) {
  using namespace npu::aicpu;
  const Library* library = nullptr;
  guard(message, [&] {
    const std::string wanted = std::string("TORCH_VERSION=") + TORCH_VERSION + ",";
    const std::string config = at::show_config();
    const size_t found = config.find("TORCH_VERSION=");
    TORCH_CHECK(config.find(wanted) != std::string::npos, "this softnpu was built for PyTorch ",
                TORCH_VERSION, "; the process has ",
                found == std::string::npos ? "another" : config.substr(found + 14, 12));
    library = &kLibrary;
  });
  return library;
}
