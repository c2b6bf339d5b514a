// SPDX-License-Identifier: Apache-2.0
// How synchronous calls order themselves with queued nodes; not for other rooms.
#pragma once

#include <initializer_list>

#include "softnpu/runtime/node.h"

namespace npu::runtime {

/// Waits for every pending node of the process that conflicts with these host bytes.
void complete_pending(std::initializer_list<Region> touched);
/// Voids what threads remember about addresses (see resolve).
void forget_addresses();

}  // namespace npu::runtime
