// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tessera::app {

/// The outputs of a command that has computed its result. An output that cannot be written does not
/// keep the command from writing the others.
class Delivery {
 public:
  /// Calls `write`, which throws if the output cannot be written. Returns whether it was written.
  bool attempt(const std::function<void()>& write);
  /// Records an output that could not be written.
  void failed(const std::string& message);
  /// Reports every output that could not be written on standard error. Returns the exit status: 1
  /// if there is one, 0 otherwise.
  int report() const;

 private:
  std::vector<std::string> failures_;
};

}  // namespace tessera::app
