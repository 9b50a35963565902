// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/noc_config.h"

#include <algorithm>

#include "modules/kernel/time.h"
#include "modules/protocol/byte_mask.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMaxRadix = 64;
constexpr std::uint32_t kMaxLatency = 10'000;
constexpr std::uint32_t kMaxBufferFlits = 65'535;
constexpr std::uint32_t kMaxSpeedup = 8;

/// The square root, rounded up.
std::uint32_t ports_per_switch(std::uint32_t ports) {
  std::uint32_t p = 1;
  while (p * p < ports) ++p;
  return p;
}

std::uint32_t line_flits(std::uint32_t header_bytes, std::uint32_t link_bytes) {
  return (header_bytes + kMaxLineBytes + link_bytes - 1) / link_bytes;
}

void common_errors(std::vector<std::string>& errors, std::uint64_t clock_hz,
                   std::uint32_t link_bytes, std::uint32_t latency, const char* latency_name,
                   std::uint32_t buffer_flits, const char* buffer_name,
                   std::uint32_t header_bytes) {
  if (clock_hz == 0 || clock_hz > kTicksPerSecond) {
    errors.push_back("clock_hz is " + std::to_string(clock_hz) + ": 1 to 10^15 expected");
  }
  if (latency == 0 || latency > kMaxLatency) {
    errors.push_back(std::string(latency_name) + " is " + std::to_string(latency) + ": 1 to " +
                     std::to_string(kMaxLatency) + " cycles expected");
  }
  if (header_bytes == 0) errors.push_back("header_bytes is 0: 1 or more expected");
  if (link_bytes == 0) {
    errors.push_back("link_bytes is 0: 1 or more expected");
    return;
  }
  const std::uint64_t line = std::uint64_t{header_bytes} + kMaxLineBytes;
  const std::uint64_t least = line_flits(header_bytes, link_bytes);
  if (buffer_flits == 0) return;
  if (buffer_flits < least || buffer_flits > kMaxBufferFlits) {
    errors.push_back(std::string(buffer_name) + " is " + std::to_string(buffer_flits) + ": " +
                     std::to_string(least) + " (a whole packet of " + std::to_string(line) +
                     " bytes) to " + std::to_string(kMaxBufferFlits) + " expected");
  }
}

}  // namespace

std::vector<SwitchStage> switch_stages(std::uint32_t entries, std::uint32_t exits,
                                       std::uint32_t radix) {
  if (std::max(entries, exits) <= radix) return {{1, entries, exits}};
  const std::uint32_t ins = ports_per_switch(entries);
  const std::uint32_t outs = ports_per_switch(exits);
  const std::uint32_t firsts = (entries + ins - 1) / ins;
  const std::uint32_t seconds = (exits + outs - 1) / outs;
  return {{firsts, ins, seconds}, {seconds, firsts, outs}};
}

std::uint32_t NocConfig::buffer_flits() const {
  return input_buffer_flits != 0 ? input_buffer_flits : 2 * line_flits(header_bytes, link_bytes);
}

std::uint32_t NocConfig::output_flits() const {
  return output_buffer_flits != 0 || internal_speedup == 1 ? output_buffer_flits : buffer_flits();
}

std::vector<std::string> NocConfig::validate() const {
  std::vector<std::string> errors;
  common_errors(errors, clock_hz, link_bytes, stage_latency, "stage_latency", input_buffer_flits,
                "input_buffer_flits", header_bytes);
  if (radix == 0 || radix > kMaxRadix) {
    errors.push_back("radix is " + std::to_string(radix) + ": 1 to " + std::to_string(kMaxRadix) +
                     " expected");
  }
  const auto limit = [&errors](const char* name, std::uint32_t value, std::uint32_t least,
                               std::uint32_t most) {
    if (value >= least && value <= most) return;
    errors.push_back(std::string(name) + " is " + std::to_string(value) + ": " +
                     std::to_string(least) + " to " + std::to_string(most) + " expected");
  };
  limit("internal_speedup", internal_speedup, 1, kMaxSpeedup);
  limit("output_buffer_flits", output_buffer_flits, 0, kMaxBufferFlits);
  limit("arbitration_iterations", arbitration_iterations, 1, kMaxRadix);
  return errors;
}

namespace {

/// The remedy in an error message about too many ports.
std::string radix_for(std::uint64_t ports) {
  std::uint64_t radix = 1;
  while (radix * radix < ports) ++radix;
  return radix > kMaxRadix ? std::string() : "; a radix of " + std::to_string(radix) + " has room";
}

}  // namespace

std::vector<std::string> NocConfig::validate(std::uint32_t entries, std::uint32_t exits,
                                             const std::string& group) const {
  std::vector<std::string> errors = validate();
  const std::uint64_t most = std::uint64_t{radix} * radix;
  for (const auto& [ports, what] : {std::pair{entries, "ingress"}, std::pair{exits, "egress"}}) {
    if (ports == 0 || ports > most) {
      errors.push_back(std::to_string(ports) + " " + what + " ports: 1 to " + std::to_string(most) +
                       " (radix squared) expected" + radix_for(ports) +
                       (group.empty() ? "" : " (" + group + ".radix)"));
    }
  }
  return errors;
}

std::vector<std::string> LinkConfig::validate() const {
  std::vector<std::string> errors;
  common_errors(errors, clock_hz, link_bytes, latency, "latency", buffer_flits, "buffer_flits",
                header_bytes);
  return errors;
}

NocConfig LinkConfig::as_network(std::uint32_t ports) const {
  NocConfig c;
  c.clock_hz = clock_hz;
  c.link_bytes = link_bytes;
  c.stage_latency = latency;
  c.radix = ports;
  c.input_buffer_flits = buffer_flits;
  c.header_bytes = header_bytes;
  return c;
}

void describe(ParameterVisitor& v, NocConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "Clock of switches and links (NUBA Table 1: 1.4 GHz)", 1,
            kTicksPerSecond);
  v.integer("link_bytes", c.link_bytes, "byte/cycle", "Width of every link (NUBA section 6: 16 B)",
            1, 4096);
  v.integer("stage_latency", c.stage_latency, "cycle",
            "A packet head's way through one switch and the link behind it (NUBA section 6: 4)", 1,
            kMaxLatency);
  v.integer("radix", c.radix, "port",
            "Largest switch; more ports than this need two stages (NUBA section 6: 8x8 switches)",
            1, kMaxRadix);
  v.integer(
      "input_buffer_flits", c.input_buffer_flits, "flit",
      "Buffer at every switch input and egress, in link widths; a whole line packet must fit; "
      "0: two line packets (not published)",
      0, kMaxBufferFlits);
  v.integer("header_bytes", c.header_bytes, "byte",
            "Address and control of every packet (NUBA sections 5.2 and 6: 8 B)", 1, 1024);
  v.text("arbitration", c.arbitration.name,
         "which input of a switch's output is served; not published (ours)",
         policy_names<Arbiter>());
  v.integer("internal_speedup", c.internal_speedup, "flit/cycle",
            "Flits per cycle through a switch and over links between stages; ingress and egress "
            "links carry one (not published for NUBA; internal_speedup of BookSim)",
            1, kMaxSpeedup);
  v.integer("output_buffer_flits", c.output_buffer_flits, "flit",
            "Buffer before every egress link, in link widths; 0: with internal_speedup 1 none, "
            "otherwise as large as an input buffer (not published)",
            0, kMaxBufferFlits);
  v.choice("input_queues", c.input_queues,
           "One queue at a switch input, or one for each output (VOQ), which share its buffer and "
           "are matched by iSLIP; not published (ours)",
           {{"fifo", InputQueues::kFifo}, {"virtual-output", InputQueues::kVirtualOutput}});
  v.integer("arbitration_iterations", c.arbitration_iterations, "iteration",
            "Iterations of iSLIP in a switch with virtual output queues (not published; McKeown "
            "1999: log2 of the ports come close to convergence)",
            1, kMaxRadix);
}

void describe(ParameterVisitor& v, LinkConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "Clock of the link (NUBA Table 1: 1.4 GHz)", 1,
            kTicksPerSecond);
  v.integer("link_bytes", c.link_bytes, "byte/cycle",
            "Width of each direction (NUBA section 6: 2.8 TB/s over 64 links = 32 B)", 1, 4096);
  v.integer("latency", c.latency, "cycle", "A packet head's way over the link (not published)", 1,
            kMaxLatency);
  v.integer("buffer_flits", c.buffer_flits, "flit",
            "Buffer at each end, in link widths; a whole line packet must fit; 0: two line packets "
            "(not published)",
            0, kMaxBufferFlits);
  v.integer("header_bytes", c.header_bytes, "byte",
            "Address and control of every packet (NUBA sections 5.2 and 6: 8 B)", 1, 1024);
}

}  // namespace tessera
