# SPDX-License-Identifier: Apache-2.0
"""A stand-in for torchvision in tests: just the names that the training scripts use.

CIFAR10 gives scikit-learn's digits as 3x32x32 pictures, over and over up to the lengths that
TEST_CIFAR10_LENGTHS states for the epochs ("12864,256": the last one holds for all that follow).
"""

from torchvision import datasets, transforms

__all__ = ["datasets", "transforms"]
