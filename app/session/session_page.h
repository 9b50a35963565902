// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera::app {

/// The web page of a session: one document without external resources, whose script uses the
/// session's own requests.
std::string session_page();

}  // namespace tessera::app
