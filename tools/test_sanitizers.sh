#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# softnpu's C++ tests under the sanitizers: all of them for addresses and undefined behaviour, the
# runtime's, where the threads are, for data races. usage: test_sanitizers.sh [jobs]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

build() { # preset [target...]
  mkdir -p "build/$1"
  cmake --preset "$1" >"build/$1/configure.log" 2>&1 || { cat "build/$1/configure.log"; exit 1; }
  cmake --build --preset "$1" -j "$jobs" ${2:+--target "${@:2}"}
}

for preset in asan ubsan; do
  build "$preset"
  ctest --preset "$preset" --no-tests=error -j "$jobs"
done
build tsan test_runtime
ctest --test-dir build/tsan/tests/softnpu/runtime --output-on-failure --no-tests=error -j "$jobs"
