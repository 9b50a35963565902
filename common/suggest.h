// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A suggestion for an unknown name: the nearest known name by edit distance (insert, delete,
/// replace, swap neighbours; upper and lower case are equal), if the distance is at most a third of
/// its length (at least 2) and less than its length. Otherwise the shortest known name with `name`
/// as its prefix, if `name` has three letters or more and the rest has no dot. Otherwise an empty
/// string.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// "; did you mean 'X'?" or an empty string.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace tessera
