// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/configuration_errors.h"

#include <systemc>

#include "modules/kernel/report.h"

namespace tessera {

void require_from_one(std::vector<std::string>& errors, const char* name, std::uint64_t value,
                      std::uint64_t most) {
  if (value >= 1 && value <= most) return;
  errors.push_back(std::string(name) + " is " + std::to_string(value) + ": 1 to " +
                   std::to_string(most) + " expected");
}

void refuse_configuration(const std::string& block, const std::vector<std::string>& errors) {
  if (errors.empty()) return;
  std::string text = block + ":";
  for (const std::string& e : errors) text += "\n  " + e;
  SC_REPORT_FATAL(report::kConfiguration, text.c_str());
}

}  // namespace tessera
