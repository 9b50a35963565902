// SPDX-License-Identifier: Apache-2.0
// CMake makes a precompiled header only for a target with a source that uses it, and catch_main.cpp
// cannot (it defines CATCH_CONFIG_MAIN first).
#include <catch2/catch.hpp>
