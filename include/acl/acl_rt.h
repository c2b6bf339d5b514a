// SPDX-License-Identifier: Apache-2.0
// The runtime part of the CANN C interface, by topic.
#pragma once

#include "acl/acl_base.h"
#include "acl/rt/callback.h"
#include "acl/rt/device.h"
#include "acl/rt/event.h"
#include "acl/rt/kernel.h"
#include "acl/rt/memory.h"
#include "acl/rt/stream.h"
#include "acl/rt/virtual_memory.h"
