// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/executor.h"

#include <array>

#include "softnpu/aol/meta/handles.h"
#include "softnpu/runtime/arena.h"
#include "softnpu/runtime/memory.h"
#include "softnpu/runtime/stream.h"

namespace npu::aol {
namespace {

constexpr uintptr_t kPlaceholderBit = uintptr_t{1} << 61;  // no address of memory has it
constexpr int kPlaceholderShift = 45;                      // 32 TiB for the tensor itself
thread_local bool placeholder_taken = false;

constinit std::atomic<uint64_t> next_serial{1};
// Executors by serial number modulo its size: an entry that comes round again and is still pending
// was abandoned.
constinit std::array<std::atomic<aclOpExecutor*>, kAbandonedAfter> recent{};

void recycle(aclOpExecutor* executor) {
  executor->plan = Plan();
  executor->word.store(0, std::memory_order_release);
  base::ObjectPool<aclOpExecutor>::give(executor);
}

aclOpExecutor* create_executor(const char* name, Plan plan) {
  aclOpExecutor* executor = base::ObjectPool<aclOpExecutor>::take();
  executor->name = name;
  executor->plan = std::move(plan);
  executor->has_placeholders = took_placeholder();
  const uint64_t serial = next_serial.fetch_add(1, std::memory_order_relaxed);
  executor->word.store(executor_word(serial, ExecutorState::kPending), std::memory_order_release);
  aclOpExecutor* old =
      recent[serial % kAbandonedAfter].exchange(executor, std::memory_order_acq_rel);
  if (old != nullptr) {
    uint64_t abandoned = executor_word(serial - kAbandonedAfter, ExecutorState::kPending);
    if (old->word.compare_exchange_strong(
            abandoned, executor_word(serial - kAbandonedAfter, ExecutorState::kTaken))) {
      recycle(old);
    }
  }
  return executor;
}

/// The live word of an executor; throws for null, launched, destroyed and abandoned ones.
uint64_t live_word(const aclOpExecutor* executor) {
  base::require(executor != nullptr, ACLNN_ERR_INNER_NULLPTR, "the executor is null");
  const uint64_t word = executor->word.load(std::memory_order_acquire);
  const ExecutorState state = state_of(word);
  base::require(state == ExecutorState::kPending || state == ExecutorState::kRepeatable,
                ACLNN_ERR_PARAM_INVALID,
                "the executor was launched, destroyed or abandoned; call the GetWorkspaceSize "
                "function again, or make it repeatable with aclSetAclOpExecutorRepeatable");
  return word;
}

/// Moves the executor out of `word`'s state; throws when another thread was first.
void change_state(aclOpExecutor* executor, uint64_t word, ExecutorState to) {
  const bool won = executor->word.compare_exchange_strong(word, executor_word(word >> 2, to),
                                                          std::memory_order_acq_rel);
  base::require(won, ACLNN_ERR_PARAM_INVALID, "the executor is used by two threads at once");
}

std::unique_ptr<ge::OperatorNode> clone_nodes(const ge::OperatorNode* node) {
  std::unique_ptr<ge::OperatorNode> first;
  std::unique_ptr<ge::OperatorNode>* end = &first;
  for (; node != nullptr; node = node->next.get()) {
    *end = node->clone();
    end = &(*end)->next;
  }
  return first;
}

void require_addresses(ge::OperatorNode* node) {
  for (; node != nullptr; node = node->next.get()) {
    node->visit_views(
        [](void*, base::TensorView& view, ge::Access) {
          base::require((reinterpret_cast<uintptr_t>(view.data) & kPlaceholderBit) == 0,
                        ACLNN_ERR_PARAM_NULLPTR, "a tensor ", base::to_string(view),
                        " has no device address; pass one to aclCreateTensor or aclSetTensorAddr");
        },
        nullptr);
  }
}

/// Work planned for one device's memory must not run on another's stream.
void require_same_device(const ge::OperatorNode& node, runtime::Stream& stream) {
  if (node.regions().empty()) return;
  const uintptr_t address = node.regions().front().begin;
  if (stream.device().arena().owns(address)) [[likely]] {
    return;
  }
  const runtime::MemoryInfo memory =
      runtime::memory_at(reinterpret_cast<void*>(address | runtime::kDeviceTag));
  base::require(memory.kind != runtime::MemoryKind::kDevice, ACLNN_ERR_PARAM_INVALID,
                "the tensors are on device ", memory.device, ", the stream is on device ",
                stream.device().id());
}

void launch(const char* name, void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
            aclrtStream stream_handle) {
  const uint64_t word = live_word(executor);
  base::require(executor->name == name, ACLNN_ERR_PARAM_INVALID, "the executor was planned by ",
                executor->name == nullptr ? "nobody" : executor->name, "GetWorkspaceSize");
  const uint64_t needed = executor->plan.workspace();
  base::require(workspace_size >= needed, ACLNN_ERR_PARAM_INVALID, "the workspace has ",
                workspace_size, " bytes; ", needed, " are needed");
  std::byte* scratch = needed == 0 ? nullptr : runtime::resolve(workspace, needed, "workspace");
  runtime::Stream& stream = runtime::stream_of(stream_handle);
  if (executor->plan.empty()) {
    if (state_of(word) == ExecutorState::kPending) {
      change_state(executor, word, ExecutorState::kTaken);
      recycle(executor);
    }
    return;
  }
  if (executor->has_placeholders) require_addresses(executor->plan.first());
  require_same_device(*executor->plan.first(), stream);

  std::unique_ptr<ge::OperatorNode> node;
  if (state_of(word) == ExecutorState::kRepeatable) {
    node = clone_nodes(executor->plan.first());
  } else {
    change_state(executor, word, ExecutorState::kTaken);
    node = executor->plan.take();
    recycle(executor);
  }
  while (node != nullptr) {
    std::unique_ptr<ge::OperatorNode> next = std::move(node->next);
    if (scratch != nullptr) node->bind_workspace(scratch);
    stream.enqueue(std::move(node));
    node = std::move(next);
  }
}

void set_address(aclOpExecutor* executor, const aclTensor* tensor, void* address) {
  base::require(executor != nullptr, ACLNN_ERR_INNER_NULLPTR, "the executor is null");
  base::require(tensor != nullptr, ACLNN_ERR_INNER_NULLPTR, "tensor is null");
  const uint64_t word = live_word(executor);
  base::require(state_of(word) == ExecutorState::kRepeatable, ACLNN_ERR_PARAM_INVALID,
                "the executor is not repeatable; call aclSetAclOpExecutorRepeatable first");
  require_live(tensor, "tensor");
  const auto bytes = static_cast<size_t>(tensor->extent.end);
  const std::byte* from = tensor->storage == nullptr
                              ? placeholder_address(tensor)
                              : runtime::resolve(tensor->storage, bytes, "tensor");
  std::byte* to = runtime::resolve(address, bytes, "addr");
  for (ge::OperatorNode* node = executor->plan.first(); node != nullptr; node = node->next.get()) {
    node->move_views(from, bytes, to);
  }
  const_cast<aclTensor*>(tensor)->storage = address;
}

aclnnStatus set_tensor(const char* name, aclOpExecutor* executor, size_t index, aclTensor* tensor,
                       void* address) {
  return base::guard(
      name, [&] { set_address(executor, tensor, address); }, static_cast<const void*>(executor),
      index, tensor, address);
}

aclnnStatus set_element(const char* name, aclOpExecutor* executor, size_t list_index, size_t index,
                        aclTensorList* list, void* address) {
  return base::guard(
      name,
      [&] {
        base::require(list != nullptr, ACLNN_ERR_INNER_NULLPTR, "tensors is null");
        require_live(list, "tensors");
        base::require(index < list->values.size(), ACLNN_ERR_PARAM_INVALID, "relativeIndex is ",
                      index, "; the list has ", list->values.size(), " tensors");
        set_address(executor, list->values[index], address);
      },
      static_cast<const void*>(executor), list_index, index, list, address);
}

}  // namespace

std::byte* placeholder_address(const aclTensor* tensor) {
  placeholder_taken = true;
  // The generation tells tensors apart: no two with the same number are planned at once in
  // practice, and the object's address decides among those.
  const auto key = reinterpret_cast<uintptr_t>(tensor) / sizeof(aclTensor) + tensor->generation;
  return reinterpret_cast<std::byte*>(kPlaceholderBit | (key & 0xffff) << kPlaceholderShift);
}

bool took_placeholder() { return std::exchange(placeholder_taken, false); }

void publish(Plan plan, const char* name, uint64_t* workspace_size, aclOpExecutor** executor) {
  require_pointer(workspace_size, "workspaceSize");
  require_pointer(executor, "executor");
  *workspace_size = plan.workspace();
  *executor = create_executor(name, std::move(plan));
}

aclnnStatus launch_call(const char* name, void* workspace, uint64_t workspace_size,
                        aclOpExecutor* executor, aclrtStream stream) {
  return base::guard(
      name, [&] { launch(name, workspace, workspace_size, executor, stream); }, workspace,
      workspace_size, static_cast<const void*>(executor), stream);
}

}  // namespace npu::aol

using npu::aol::ExecutorState;

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return npu::base::guard("aclSetAclOpExecutorRepeatable", [&] {
    const uint64_t word = npu::aol::live_word(executor);
    npu::aol::change_state(executor, word, ExecutorState::kRepeatable);
  });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return npu::base::guard("aclDestroyAclOpExecutor", [&] {
    const uint64_t word = npu::aol::live_word(executor);
    npu::aol::change_state(executor, word, ExecutorState::kTaken);
    npu::aol::recycle(executor);
  });
}

// Tensors are told apart by the tensor that is passed; the index is only a hint.
aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
  return npu::aol::set_tensor("aclSetInputTensorAddr", executor, index, tensor, addr);
}
aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
  return npu::aol::set_tensor("aclSetOutputTensorAddr", executor, index, tensor, addr);
}
aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                             void* addr) {
  return npu::aol::set_tensor("aclSetTensorAddr", executor, index, tensor, addr);
}
aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
  return npu::aol::set_element("aclSetDynamicInputTensorAddr", executor, irIndex, relativeIndex,
                               tensors, addr);
}
aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
  return npu::aol::set_element("aclSetDynamicOutputTensorAddr", executor, irIndex, relativeIndex,
                               tensors, addr);
}
aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                    const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
  return npu::aol::set_element("aclSetDynamicTensorAddr", executor, irIndex, relativeIndex, tensors,
                               addr);
}

aclnnStatus aclnnInit(const char* configPath) {
  return npu::base::guard("aclnnInit", [] {}, configPath);
}
aclnnStatus aclnnFinalize() {
  return npu::base::guard("aclnnFinalize", [] {});
}
