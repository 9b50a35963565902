// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The known name nearest to `name` by edit distance (insert, delete, replace, swap neighbours),
/// when one is within a third of its length (at least 2); else the shortest that goes on
/// where it stops (after three letters or more, and without another dot); else an empty string.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// "; did you mean 'X'?" or an empty string.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace tessera
