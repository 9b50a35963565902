// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stimuli/source_places.h"

namespace tessera {

/// Lines of source files. Each file is read once.
class SourceTexts {
 public:
  /// A line, without the blanks around it. The file is searched as its name says and, if the name
  /// is relative, first beside `program`, the file of the PTX. Empty: there is no such file, or it
  /// has no such line.
  std::string line(const std::string& program, const SourcePlace& place);

 private:
  const std::vector<std::string>& lines_of(const std::string& path);

  std::map<std::string, std::vector<std::string>> files_;  ///< by path
};

}  // namespace tessera
