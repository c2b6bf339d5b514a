// SPDX-License-Identifier: Apache-2.0
// Which views each davinci command reads, writes and updates: one row a command. Nodes derive their
// memory regions from it, and whatever rewrites addresses walks it.
#pragma once

#include <array>
#include <vector>

#include "softnpu/davinci/commands.h"

namespace npu::ge {

enum class Access : uint8_t { kRead, kWrite, kUpdate };  // kUpdate reads and writes

/// Passes every defined view to `f(TensorView&, Access)`; what a row's read/write/update may list.
template <class F>
class ViewWalk {
 public:
  explicit ViewWalk(F& f) : f_(f) {}
  void read(auto&... views) { (walk(views, Access::kRead), ...); }
  void write(auto&... views) { (walk(views, Access::kWrite), ...); }
  void update(auto&... views) { (walk(views, Access::kUpdate), ...); }

 private:
  void walk(base::TensorView& view, Access access) {
    if (view.defined()) f_(view, access);
  }
  template <size_t kCount>
  void walk(std::array<base::TensorView, kCount>& views, Access access) {
    for (auto& view : views) walk(view, access);
  }
  void walk(std::vector<base::TensorView>& views, Access access) {
    for (auto& view : views) walk(view, access);
  }

  F& f_;
};

// clang-format off
void visit(davinci::Elementwise& c, auto v) { v.read(c.inputs); v.write(c.out); }
void visit(davinci::Foreach& c, auto v) { for (auto& item : c.items) visit(item, v); }
void visit(davinci::Reduce& c, auto v) { v.read(c.in); v.write(c.out, c.indices); }
void visit(davinci::Cumsum& c, auto v) { v.read(c.in); v.write(c.out); }
void visit(davinci::Matmul& c, auto v) { v.read(c.a, c.b, c.c); v.write(c.out); }
void visit(davinci::Convolution& c, auto v) { v.read(c.in, c.weight, c.bias); v.write(c.out); }
void visit(davinci::ConvolutionBackward& c, auto v) { v.read(c.grad_out, c.in, c.weight); v.write(c.grad_in, c.grad_weight, c.grad_bias); }
void visit(davinci::BatchNorm& c, auto v) { v.read(c.in, c.weight, c.bias); v.update(c.running_mean, c.running_var); v.write(c.out, c.save_mean, c.save_invstd); }
void visit(davinci::BatchNormBackward& c, auto v) { v.read(c.grad_out, c.in, c.weight, c.running_mean, c.running_var, c.save_mean, c.save_invstd); v.write(c.grad_in, c.grad_weight, c.grad_bias); }
void visit(davinci::LayerNorm& c, auto v) { v.read(c.in, c.weight, c.bias); v.write(c.out, c.mean, c.rstd); }
void visit(davinci::LayerNormBackward& c, auto v) { v.read(c.grad_out, c.in, c.mean, c.rstd, c.weight); v.write(c.grad_in, c.grad_weight, c.grad_bias); }
void visit(davinci::MaxPool2d& c, auto v) { v.read(c.in); v.write(c.out, c.positions); }
void visit(davinci::MaxPool2dBackward& c, auto v) { v.read(c.grad_out, c.positions); v.write(c.grad_in); }
void visit(davinci::AvgPool2d& c, auto v) { v.read(c.in); v.write(c.out); }
void visit(davinci::AvgPool2dBackward& c, auto v) { v.read(c.grad_out); v.write(c.grad_in); }
void visit(davinci::AdaptiveAvgPool2d& c, auto v) { v.read(c.in); v.write(c.out); }
void visit(davinci::AdaptiveAvgPool2dBackward& c, auto v) { v.read(c.grad_out); v.write(c.grad_in); }
void visit(davinci::Softmax& c, auto v) { v.read(c.in); v.write(c.out); }
void visit(davinci::SoftmaxBackward& c, auto v) { v.read(c.grad_out, c.out); v.write(c.grad_in); }
void visit(davinci::NllLoss& c, auto v) { v.read(c.in, c.target, c.weight); v.write(c.out, c.total_weight); }
void visit(davinci::NllLossBackward& c, auto v) { v.read(c.grad_out, c.target, c.weight, c.total_weight); v.write(c.grad_in); }
void visit(davinci::Cat& c, auto v) { v.read(c.parts); v.write(c.out); }
void visit(davinci::IndexSelect& c, auto v) { v.read(c.in, c.index); v.write(c.out); }
void visit(davinci::Index& c, auto v) { v.read(c.in, c.indices); v.write(c.out); }
void visit(davinci::IndexPut& c, auto v) { v.read(c.indices, c.values); v.update(c.self); }
void visit(davinci::Gather& c, auto v) { v.read(c.in, c.index); v.write(c.out); }
void visit(davinci::Scatter& c, auto v) { v.read(c.index, c.src); v.update(c.self); }
void visit(davinci::EmbeddingBackward& c, auto v) { v.read(c.grad_out, c.index); v.write(c.grad_weight); }
void visit(davinci::Arange& c, auto v) { v.write(c.out); }
void visit(davinci::Triangle& c, auto v) { v.read(c.in); v.write(c.out); }
void visit(davinci::Sort& c, auto v) { v.read(c.in); v.write(c.values, c.indices); }
void visit(davinci::TopK& c, auto v) { v.read(c.in); v.write(c.values, c.indices); }
void visit(davinci::Random& c, auto v) { v.read(c.probability); v.write(c.out); }
void visit(davinci::RandomPermutation& c, auto v) { v.write(c.out); }
void visit(davinci::DropoutApply& c, auto v) { v.read(c.in, c.mask); v.write(c.out); }
// clang-format on

/// A command of davinci's or of another room's: visit() is found beside it.
template <class T>
concept IsCommand =
    requires(std::remove_cvref_t<T>& command, ViewWalk<void (*)(base::TensorView&, Access)> walk) {
      visit(command, walk);
    };

/// f(TensorView&, Access) for every defined view of a command.
template <class Command, class F>
void for_each_view(Command& command, F&& f) {
  visit(command, ViewWalk<std::remove_reference_t<F>>(f));
}

}  // namespace npu::ge
