// SPDX-License-Identifier: Apache-2.0
// Operator nodes: regions and descriptions from the table of views, clones, workspace and moved
// addresses.
#include "softnpu/ge/operator_node.h"

#include <gtest/gtest.h>

#include <array>

namespace npu::ge {
namespace {

using base::DType;
using base::TensorView;

TensorView vector_of(float* data, int64_t count) {
  TensorView view;
  view.data = reinterpret_cast<std::byte*>(data);
  view.dtype = DType::kFloat;
  view.rank = 1;
  view.dims[0] = count;
  view.strides[0] = 1;
  return view;
}

davinci::Elementwise add(const TensorView& a, const TensorView& b, const TensorView& out) {
  davinci::Elementwise command;
  command.op = davinci::VectorOp::kAdd;
  command.compute = DType::kFloat;
  command.num_inputs = 2;
  command.inputs = {a, b, {}};
  command.out = out;
  command.scalars[0] = base::Scalar::of(1);
  return command;
}

class Node : public ::testing::Test {
 protected:
  std::array<float, 4> a{1, 2, 3, 4}, b{10, 20, 30, 40}, out{};
  base::SerialWorkers workers;
};

TEST_F(Node, ReportsWhatItReadsAndWrites) {
  CommandNode node("aclnnAdd",
                   add(vector_of(a.data(), 4), vector_of(b.data(), 4), vector_of(out.data(), 4)));
  ASSERT_EQ(node.regions().size(), 3u);
  const auto begin = reinterpret_cast<uintptr_t>(out.data());
  EXPECT_FALSE(node.regions()[0].write);
  EXPECT_TRUE(node.regions()[2].write);
  EXPECT_EQ(node.regions()[2].begin, begin);
  EXPECT_EQ(node.regions()[2].end, begin + 16);
  EXPECT_EQ(node.describe(), "float32[4], float32[4] -> float32[4]");
  EXPECT_STREQ(node.name(), "aclnnAdd");
}

TEST_F(Node, UpdatedViewsAreReadAndWritten) {
  davinci::Scatter command;
  command.self = vector_of(a.data(), 4);
  command.index = vector_of(b.data(), 2);
  CommandNode node("aclnnInplaceScatterValue", command);
  int reads = 0, writes = 0;
  for (const auto& region : node.regions()) {
    if (region.begin == reinterpret_cast<uintptr_t>(a.data())) ++(region.write ? writes : reads);
  }
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(writes, 1);
}

TEST_F(Node, ManyViewsAreAllReported) {
  davinci::Foreach command;
  for (int i = 0; i < 4; ++i) {
    command.items.push_back(add(vector_of(&a[i], 1), vector_of(&b[i], 1), vector_of(&out[i], 1)));
  }
  CommandNode node("aclnnForeachAddListV2", command);
  EXPECT_EQ(node.regions().size(), 12u);
  node.run(workers);
  EXPECT_EQ(out, (std::array<float, 4>{11, 22, 33, 44}));
}

TEST_F(Node, CloneRunsOnItsOwn) {
  CommandNode node("aclnnAdd",
                   add(vector_of(a.data(), 4), vector_of(b.data(), 4), vector_of(out.data(), 4)));
  std::array<float, 4> other{};
  auto clone = node.clone();
  clone->move_views(reinterpret_cast<std::byte*>(out.data()), sizeof out,
                    reinterpret_cast<std::byte*>(other.data()));
  clone->run(workers);
  EXPECT_EQ(other, (std::array<float, 4>{11, 22, 33, 44}));
  EXPECT_EQ(out, (std::array<float, 4>{}));
  EXPECT_EQ(clone->regions()[2].begin, reinterpret_cast<uintptr_t>(other.data()));
}

TEST_F(Node, WorkspaceViewsAreBoundAtLaunch) {
  TensorView temporary = vector_of(nullptr, 4);
  temporary.data = workspace_address(16);
  CommandNode node("aclnnAdd", add(vector_of(a.data(), 4), vector_of(b.data(), 4), temporary));
  alignas(64) std::array<float, 8> workspace{};
  node.bind_workspace(reinterpret_cast<std::byte*>(workspace.data()));
  EXPECT_EQ(node.regions()[2].begin, reinterpret_cast<uintptr_t>(&workspace[4]));
  node.run(workers);
  EXPECT_EQ(workspace[4], 11);
  EXPECT_EQ(workspace[7], 44);
}

}  // namespace
}  // namespace npu::ge
