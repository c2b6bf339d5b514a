// SPDX-License-Identifier: Apache-2.0
// OperatorNode: a command in a stream's queue. Made by aol's plan builders, owned by the stream
// once enqueued; graph passes look at a node's command and may replace it. Its views may lie in the
// workspace, whose address is only known at launch: see workspace_view and bind_workspace.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "softnpu/ge/command_views.h"
#include "softnpu/runtime/node.h"

namespace npu::ge {

/// Address of byte `offset` of a workspace that is not known yet.
std::byte* workspace_address(uint64_t offset);

class OperatorNode : public runtime::Node {
 public:
  using Visitor = void (*)(void* state, base::TensorView& view, Access access);

  const char* name() const final { return name_; }
  std::string describe() const final;
  runtime::Role role() const final { return runtime::Role::kOperator; }
  std::span<const runtime::Region> regions() const final {
    return overflow_.empty() ? std::span(inline_.data(), count_) : std::span(overflow_);
  }

  /// A node that does the same, for executors that are launched more than once.
  virtual std::unique_ptr<OperatorNode> clone() const = 0;
  virtual void visit_views(Visitor visitor, void* state) = 0;
  /// Puts the views in the workspace, and the command's scratch memory, at their place from `base`.
  void bind_workspace(std::byte* base);
  /// Moves the views that start in the `bytes` bytes at `from` to `to`.
  void move_views(const std::byte* from, size_t bytes, std::byte* to);
  /// Scratch memory of the command itself: `bytes` bytes, `offset` bytes into the workspace.
  void set_scratch(uint64_t offset, uint64_t bytes) {
    scratch_offset_ = offset, scratch_bytes_ = bytes;
  }

  // Nodes come and go with every operator, from different threads: they are pooled.
  static void* operator new(size_t bytes);
  static void operator delete(void* memory, size_t bytes) noexcept;

  std::unique_ptr<OperatorNode> next;  // the following node of the same plan

 protected:
  explicit OperatorNode(const char* name) : name_(name) {}
  void add_region(const base::TensorView& view, Access access);
  std::byte* scratch() const { return scratch_; }
  void copy_scratch(const OperatorNode& other) {
    set_scratch(other.scratch_offset_, other.scratch_bytes_);
  }

 private:
  void add_region(runtime::Region region);
  void refresh_regions();

  const char* name_;
  std::byte* scratch_ = nullptr;
  uint64_t scratch_offset_ = 0, scratch_bytes_ = 0;
  size_t count_ = 0;
  std::array<runtime::Region, 6> inline_;
  std::vector<runtime::Region> overflow_;  // all of them, when they are more than fit
};

namespace detail {
template <class Command>
void execute(Command& command, base::Workers& workers, std::byte* scratch) {
  if constexpr (requires { run(command, workers, scratch); }) {
    run(command, workers, scratch);
  } else {
    run(command, workers);
  }
}
}  // namespace detail

/// A node that runs one command: a value with visit() and run() beside it.
template <class Command>
class CommandNode final : public OperatorNode {
 public:
  template <class Source>
  CommandNode(const char* name, Source&& command)
      : OperatorNode(name), command_(std::forward<Source>(command)) {
    for_each_view(command_,
                  [this](base::TensorView& view, Access access) { add_region(view, access); });
  }
  const Command& command() const { return command_; }
  void run(base::Workers& workers) override { detail::execute(command_, workers, scratch()); }
  std::unique_ptr<OperatorNode> clone() const override {
    auto copy = std::make_unique<CommandNode>(name(), command_);
    copy->copy_scratch(*this);
    return copy;
  }
  void visit_views(Visitor visitor, void* state) override {
    for_each_view(command_,
                  [&](base::TensorView& view, Access access) { visitor(state, view, access); });
  }

 private:
  Command command_;
};
template <class Command>
CommandNode(const char*, Command&&) -> CommandNode<std::remove_cvref_t<Command>>;

}  // namespace npu::ge
