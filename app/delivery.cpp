// SPDX-License-Identifier: Apache-2.0
#include "app/delivery.h"

#include <stdexcept>

#include "app/console.h"

namespace tessera::app {

bool Delivery::attempt(const std::function<void()>& write) {
  try {
    write();
    return true;
  } catch (const std::runtime_error& e) {
    failed(e.what());
    return false;
  }
}

void Delivery::failed(const std::string& message) { failures_.push_back(message); }

int Delivery::report() const {
  for (const std::string& message : failures_) complain(message);
  return failures_.empty() ? 0 : 1;
}

}  // namespace tessera::app
