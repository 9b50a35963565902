// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// Bad usage or bad input (a parameter, a file, a name): the command exits with status 2.
/// The message is complete: file, line, path, expected value, and the nearest known name.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The run failed (out-of-bounds access, wrong values, deadlock): the command exits with status 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tessera
