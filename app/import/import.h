// SPDX-License-Identifier: Apache-2.0
#pragma once

// Import of a GPGPU-Sim or Accel-Sim configuration file as a platform.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/import/option_file.h"
#include "app/import/rules.h"
#include "common/json_fwd.h"

namespace tessera::import {

/// The preset on which an imported platform is based.
inline constexpr char kBase[] = "uba-mem";

/// A parameter of the platform.
struct Setting {
  std::string parameter;  ///< "llc.sets"
  ParameterValue value;
};

struct MappedOption {
  GivenOption option;
  std::vector<Setting> settings;  ///< that depend on it
};

/// An option with a reason, or with a remark.
struct RemarkedOption {
  GivenOption option;
  std::string text;
  std::string part{};  ///< the part of the option that it is about; empty: the whole
};

/// A value that the file does not give.
struct DefaultValue {
  enum class Source { kGpgpuSim, kTessera, kImporter };
  Source source;
  std::string option;             ///< that the file lacks; empty: there is no such option
  std::string value;              ///< of the option; empty: none
  std::vector<Setting> settings;  ///< the parameters that take it
  std::string why{};
};

/// An option that the file gives more than once.
struct RepeatedOption {
  GivenOption used;
  std::vector<unsigned> ignored_lines;
};

/// A platform, and what became of each option of the file. Each given option is in exactly one of
/// `mapped`, `built_in`, `none` and `unknown`; these have the file's order.
struct Import {
  std::string file;
  std::vector<Setting> settings;  ///< of the preset, beside those of kBase
  std::vector<MappedOption> mapped;
  std::vector<RemarkedOption> built_in;  ///< Tessera works so without a parameter
  std::vector<RemarkedOption> none;      ///< without counterpart
  std::vector<RemarkedOption> unknown;   ///< text: the nearest option, or empty
  std::vector<RemarkedOption> parts;     ///< parts of mapped options without counterpart
  std::vector<RemarkedOption> adjusted;  ///< values that Tessera does not have
  std::vector<DefaultValue> defaults;
  std::vector<RepeatedOption> repeated;

  /// The platform's file.
  nlohmann::ordered_json preset() const;
};

/// Imports a text; `file` is its name in messages and in the preset. Throws InputError with file,
/// line and option for malformed text, for values of a wrong form, and for those out of the range
/// of a parameter or contradicting each other.
Import import_text(std::string_view text, const std::string& file);
/// Reads and imports a file.
Import import_file(const std::string& path);

}  // namespace tessera::import
