// SPDX-License-Identifier: Apache-2.0
// Every aclnn operator that is declared, by family.
#pragma once

#include "aclnnop/aclnn_base.h"
#include "aclnnop/activation.h"
#include "aclnnop/arithmetic.h"
#include "aclnnop/convolution.h"
#include "aclnnop/factory.h"
#include "aclnnop/foreach.h"
#include "aclnnop/index.h"
#include "aclnnop/logic.h"
#include "aclnnop/loss.h"
#include "aclnnop/math.h"
#include "aclnnop/matmul.h"
#include "aclnnop/move.h"
#include "aclnnop/normalization.h"
#include "aclnnop/optimizer.h"
#include "aclnnop/pooling.h"
#include "aclnnop/random.h"
#include "aclnnop/recurrent.h"
#include "aclnnop/reduce.h"
#include "aclnnop/softmax.h"
