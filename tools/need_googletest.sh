#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs GoogleTest where that is allowed; where it is not, CMake fetches its source.
set -eu
probe='#include <gtest/gtest.h>'
"${CXX:-c++}" -x c++ -fsyntax-only - <<<"$probe" 2>/dev/null && exit 0
if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  echo "Installing libgtest-dev"
  { apt-get update -qq && apt-get install -y -qq libgtest-dev; } >/dev/null 2>&1 ||
    echo "apt-get could not install libgtest-dev; CMake will fetch GoogleTest's source" >&2
fi
