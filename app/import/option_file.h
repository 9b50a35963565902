// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options in the files of GPGPU-Sim: "-name value", separated by white space.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::import {

/// An option that a file gives.
struct GivenOption {
  std::string name;   ///< with its dash
  std::string value;  ///< without quotes; empty: an option without a value
  unsigned line = 0;  ///< of the name, from 1
};

/// The options of a text in their order, as GPGPU-Sim reads them: '#' begins a comment; white
/// space, which includes line ends, separates names and values; a value in double quotes can have
/// several words and lines. A word with a dash and a letter is a name; "-1" is a value.
///
/// `file`: its name in messages. `is_flag`: whether an option means 1 if no value follows.
/// `is_known`: whether an option is one of GPGPU-Sim's, and so must have a value if it is no flag.
///
/// Throws InputError "FILE:LINE: ..." for a word that is neither a name nor the value of one, for
/// an option without its value, and for a quotation without an end.
std::vector<GivenOption> read_options(std::string_view text, const std::string& file,
                                      const std::function<bool(const std::string&)>& is_flag,
                                      const std::function<bool(const std::string&)>& is_known);

}  // namespace tessera::import
