// SPDX-License-Identifier: Apache-2.0
#include "app/session/http_target.h"

#include <algorithm>

#include "common/hex_bytes.h"
#include "common/text.h"

namespace tessera::app {

namespace {

/// `form`: '+' is a space.
std::optional<std::string> decoded(std::string_view text, bool form) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && form) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto byte = bytes_of_hex(text.substr(i + 1, 2));
      if (!byte) return std::nullopt;
      out += *byte;
      i += 2;
    }
  }
  return out;
}

}  // namespace

std::optional<HttpTarget> read_target(std::string_view text) {
  HttpTarget target;
  const std::size_t question = text.find('?');
  const auto path = decoded(text.substr(0, question), false);
  if (!path) return std::nullopt;
  target.path = *path;
  std::string_view rest = question == std::string_view::npos ? "" : text.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (one.empty()) continue;
    const std::size_t equals = one.find('=');
    const auto name = decoded(one.substr(0, equals), true);
    const auto value = decoded(
        equals == std::string_view::npos ? std::string_view() : one.substr(equals + 1), true);
    if (!name || !value || !target.query.emplace(*name, *value).second) return std::nullopt;
  }
  return target;
}

bool is_local_host(std::string_view host) {
  const std::size_t colon = host.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view port = host.substr(colon + 1);
    if (!std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      return false;
    }
  }
  const std::string name = lower_case(host.substr(0, colon));
  return name == "localhost" || name == "127.0.0.1";
}

bool is_json_type(std::string_view type) {
  std::string_view name = type.substr(0, type.find(';'));
  while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
  return lower_case(name) == "application/json";
}

}  // namespace tessera::app
