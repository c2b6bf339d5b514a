// SPDX-License-Identifier: Apache-2.0
// OperatorNode: a davinci command in a stream's queue, with the views it reads and writes. Made by
// aol's plan builders; graph passes look at kind() and as<Command>() and may replace nodes.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "softnpu/base/tensor.h"
#include "softnpu/davinci/commands.h"
#include "softnpu/runtime/node.h"

namespace npu::ge {

class OperatorNode : public runtime::Node {
 public:
  const char* name() const override { return name_; }
  std::string describe() const override;
  runtime::Role role() const override { return runtime::Role::kOperator; }
  std::span<const runtime::Region> regions() const override { return regions_; }

  /// Device scratch memory the client passes at launch (resolved host pointer).
  void set_workspace(std::byte* workspace) { workspace_ = workspace; }
  const std::vector<base::TensorView>& reads() const { return reads_; }
  const std::vector<base::TensorView>& writes() const { return writes_; }

 protected:
  OperatorNode(const char* name, std::vector<base::TensorView> reads,
               std::vector<base::TensorView> writes);

  std::byte* workspace_ = nullptr;

 private:
  const char* name_;
  std::vector<base::TensorView> reads_, writes_;
  std::vector<runtime::Region> regions_;
};

/// A node that runs one davinci command.
template <class Command>
class CommandNode final : public OperatorNode {
 public:
  CommandNode(const char* name, Command command, std::vector<base::TensorView> reads,
              std::vector<base::TensorView> writes)
      : OperatorNode(name, std::move(reads), std::move(writes)), command_(std::move(command)) {}
  const Command& command() const { return command_; }
  void run(base::Workers& workers) override {
    if constexpr (requires { davinci::run(command_, workers, workspace_); }) {
      davinci::run(command_, workers, workspace_);
    } else {
      davinci::run(command_, workers);
    }
  }

 private:
  Command command_;
};

}  // namespace npu::ge
