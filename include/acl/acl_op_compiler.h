// SPDX-License-Identifier: Apache-2.0
// CANN declares compile options and compile-and-execute here; ours are with the rest of aclop.
#pragma once

#include "acl/acl_op.h"
