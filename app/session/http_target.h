// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::app {

/// The target of a request: "/memory?address=0x10&bytes=4", decoded.
struct HttpTarget {
  std::string path;
  std::map<std::string, std::string> query;
};

/// None if an escape is not "%" and two hexadecimal digits, or a name comes twice.
std::optional<HttpTarget> read_target(std::string_view text);

/// Whether the value of a Host header, with or without a port, is this host's own name: localhost
/// or 127.0.0.1.
bool is_local_host(std::string_view host);

/// Whether the value of a Content-Type header is application/json, with any parameters.
bool is_json_type(std::string_view type);

}  // namespace tessera::app
