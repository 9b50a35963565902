// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/json_fwd.h"
#include "modules/kernel/stats.h"
#include "modules/vp/board.h"
#include "modules/vp/elf_file.h"
#include "platforms/virtual_platform.h"

namespace tessera {

class GpuDevice;

/// A request that is refused, with its status of HTTP.
struct SessionError {
  unsigned status = 400;
  std::string what;
};

/// What a session acts on. The pointees must outlive it.
struct VpSessionSite {
  Board& board;
  const std::vector<Program>& programs;
  const VirtualPlatformOptions& options;
  const VirtualPlatformResult& result;  ///< complete when the run has ended
  GpuDevice* gpus = nullptr;            ///< null without GPUs
  std::function<bool()> ended;
  std::function<bool()> script_runs;  ///< the UART's script has steps left
  std::function<void()> end_script;
};

/// The machine as documents: reads statistics, parameters, memory and symbols, and changes
/// parameters and memory. To be called between SystemC's steps. Functions throw SessionError.
class VpSessionViews {
 public:
  using Query = std::map<std::string, std::string>;

  explicit VpSessionViews(const VpSessionSite& site);

  nlohmann::ordered_json cores() const;
  nlohmann::ordered_json queues() const;  ///< of the command processor, those that are set
  nlohmann::ordered_json devices() const;
  nlohmann::ordered_json symbols(const Query& query) const;
  nlohmann::ordered_json statistics(const Query& query) const;
  nlohmann::ordered_json parameters(const Query& query) const;
  nlohmann::ordered_json memory(const Query& query) const;
  /// All settings are checked before the first takes effect.
  nlohmann::ordered_json set_parameters(const nlohmann::ordered_json& body) const;
  nlohmann::ordered_json write_memory(const nlohmann::ordered_json& body) const;

  /// A whole number of a query, in `unit`; throws SessionError if it is not there or out of range.
  static std::uint64_t number_of(const Query& query, const std::string& name,
                                 const std::string& unit, std::uint64_t least, std::uint64_t most);
  /// "0x80000000" or decimal.
  static std::uint64_t address_of(const std::string& text);
  /// `pattern`: "*" stands for any characters; without one, the path itself and all beneath it.
  /// Empty: all paths.
  static bool matches(std::string_view pattern, std::string_view path);

 private:
  struct Parameter;

  std::vector<Parameter> all_parameters() const;
  /// Accesses memory by the debug transport. Returns the bytes done.
  std::uint64_t debug(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                      std::uint64_t bytes) const;

  const VpSessionSite& site_;
  StatisticsRegistry board_statistics_;
};

}  // namespace tessera
