// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/mesh_config.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "common/suggest.h"
#include "modules/kernel/time.h"

namespace tessera {

namespace {

constexpr char kStaggered[] = "staggered";
constexpr std::uint32_t kMostExtent = 64;
constexpr std::uint32_t kMostConcentration = 8;
constexpr std::uint32_t kMostVcs = 4;
constexpr std::uint32_t kMostVcFlits = 1024;
constexpr std::uint32_t kLeastRouterLatency = 3;
constexpr std::uint32_t kMostMeshLatency = 1000;

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

/// Routers of a placement list. `faults`: entries that are no numbers.
std::vector<std::uint32_t> listed(const std::string& placement, std::vector<std::string>& faults) {
  std::vector<std::uint32_t> routers;
  std::istringstream in(placement);
  for (std::string item; std::getline(in, item, ',');) {
    const std::size_t begin = item.find_first_not_of(' ');
    const std::size_t end = item.find_last_not_of(' ');
    item = begin == std::string::npos ? "" : item.substr(begin, end - begin + 1);
    if (is_number(item)) {
      routers.push_back(static_cast<std::uint32_t>(std::stoul(item)));
    } else {
      faults.push_back(item);
    }
  }
  return routers;
}

std::uint32_t rounded_up(std::uint32_t n, std::uint32_t by) { return (n + by - 1) / by; }

/// Position of memory node i of n: evenly along the rows. If the rows' positions coincide, each row
/// is rotated by one column against the row before it.
std::uint32_t staggered(std::uint32_t i, std::uint32_t n, std::uint32_t width,
                        std::uint32_t routers) {
  const std::uint32_t at =
      static_cast<std::uint32_t>((2 * std::uint64_t{i} + 1) * routers / (2 * std::uint64_t{n})) %
      routers;
  const std::uint32_t spacing = routers / n;
  const bool aligned =
      spacing != 0 && routers % n == 0 && (width % spacing == 0 || spacing % width == 0);
  const std::uint32_t row = at / width;
  return row * width + (at % width + (aligned ? row : 0)) % width;
}

}  // namespace

std::uint32_t MeshLayout::hops(std::uint32_t entry, std::uint32_t exit) const {
  const std::uint32_t from = entry_router[entry];
  const std::uint32_t to = exit_router[exit];
  const auto apart = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
  return 1 + apart(from % width, to % width) + apart(from / width, to / width);
}

double MeshLayout::largest_uniform_load() const {
  // Packets of each pair pass their row to the egress' column, then this column.
  std::vector<double> loads(std::size_t{4} * routers(), 0);
  const double share = 1.0 / static_cast<double>(exit_router.size());
  for (const std::uint32_t from : entry_router) {
    for (const std::uint32_t to : exit_router) {
      std::uint32_t at = from;
      while (at % width != to % width) {
        const bool east = to % width > at % width;
        loads[4 * at + (east ? 0 : 1)] += share;
        at = east ? at + 1 : at - 1;
      }
      while (at != to) {
        const bool south = to > at;
        loads[4 * at + (south ? 2 : 3)] += share;
        at = south ? at + width : at - width;
      }
    }
  }
  const double egress = static_cast<double>(entry_router.size()) * share;
  return std::max(egress, *std::max_element(loads.begin(), loads.end()));
}

double MeshConfig::uniform_bandwidth(std::uint32_t entries, std::uint32_t exits) const {
  return bandwidth(entries) / std::max(1.0, layout(entries, exits).largest_uniform_load());
}

std::uint32_t MeshConfig::nodes(std::uint32_t entries, std::uint32_t exits) const {
  return shared_nodes ? std::max(entries, exits) : entries - memory_entries + exits - core_exits;
}

void MeshConfig::extent(std::uint32_t nodes, std::uint32_t& columns, std::uint32_t& rows) const {
  const std::uint32_t routers = rounded_up(nodes, concentration);
  columns = width;
  rows = height;
  if (columns == 0 && rows == 0) {
    for (std::uint32_t h = 1; h * h <= routers; ++h) {
      if (routers % h == 0) rows = h;
    }
  }
  if (columns == 0) columns = rounded_up(routers, rows);
  if (rows == 0) rows = rounded_up(routers, columns);
}

MeshLayout MeshConfig::layout(std::uint32_t entries, std::uint32_t exits) const {
  const std::uint32_t all = nodes(entries, exits);
  entries -= memory_entries;
  exits -= core_exits;
  MeshLayout m;
  extent(all, m.width, m.height);
  std::vector<std::string> faults;
  std::vector<std::uint32_t> routers;
  if (placement == kStaggered) {
    for (std::uint32_t i = 0; i < exits && !shared_nodes; ++i) {
      routers.push_back(staggered(i, exits, m.width, m.routers()));
    }
  } else {
    routers = listed(placement, faults);
  }
  if (routers.size() != all) {
    // The other nodes take the routers with the fewest nodes, in ascending order.
    std::vector<std::uint32_t> held(m.routers(), 0);
    for (const std::uint32_t r : routers) ++held[r];
    std::vector<std::uint32_t> rest;
    const std::size_t missing = all - routers.size();
    for (std::uint32_t level = 0; rest.size() < missing; ++level) {
      for (std::uint32_t r = 0; r < held.size() && rest.size() < missing; ++r) {
        if (held[r] > level) continue;
        ++held[r];
        rest.push_back(r);
      }
    }
    routers.insert(routers.begin(), rest.begin(), rest.end());
  }
  const auto first = routers.begin();
  m.entry_router.assign(first, first + entries);
  m.exit_router.assign(shared_nodes ? first : first + entries,
                       shared_nodes ? first + exits : routers.end());
  m.entry_router.insert(m.entry_router.end(), m.exit_router.begin(),
                        m.exit_router.begin() + memory_entries);
  m.exit_router.insert(m.exit_router.end(), first, first + core_exits);
  return m;
}

std::vector<std::string> MeshConfig::validate() const {
  std::vector<std::string> errors;
  const auto range = [&errors](const char* name, std::uint64_t value, std::uint64_t least,
                               std::uint64_t most) {
    if (value >= least && value <= most) return;
    errors.push_back(std::string(name) + " is " + std::to_string(value) + ": " +
                     std::to_string(least) + " to " + std::to_string(most) + " expected");
  };
  range("clock_hz", clock_hz, 1, kTicksPerSecond);
  range("link_bytes", link_bytes, 1, 4096);
  range("width", width, 0, kMostExtent);
  range("height", height, 0, kMostExtent);
  range("concentration", concentration, 1, kMostConcentration);
  range("vcs", vcs, 1, kMostVcs);
  range("vc_flits", vc_flits, 1, kMostVcFlits);
  range("router_latency", router_latency, kLeastRouterLatency, kMostMeshLatency);
  range("link_latency", link_latency, 1, kMostMeshLatency);
  range("credit_latency", credit_latency, 1, kMostMeshLatency);
  range("header_bytes", header_bytes, 1, 1024);
  if (placement != kStaggered) {
    std::vector<std::string> faults;
    if (listed(placement, faults).empty() && faults.empty()) faults.push_back(placement);
    for (const std::string& f : faults) {
      errors.push_back("placement: '" + f + "' is neither " + kStaggered +
                       " nor a list of routers by number, such as 2,6,11" +
                       did_you_mean(f, {kStaggered}));
    }
  }
  return errors;
}

std::vector<std::string> MeshConfig::validate(std::uint32_t entries, std::uint32_t exits) const {
  std::vector<std::string> errors = validate();
  if (entries == 0 || exits == 0) errors.emplace_back("a mesh has ingress and egress ports");
  if (!errors.empty()) return errors;
  const std::uint32_t all = nodes(entries, exits);
  entries -= memory_entries;
  exits -= core_exits;
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  extent(all, columns, rows);
  const std::string size = std::to_string(columns) + " x " + std::to_string(rows);
  const std::string of = std::to_string(all) + " nodes (" + std::to_string(entries) +
                         " ingress and " + std::to_string(exits) + " egress ports" +
                         (shared_nodes ? " of the same nodes" : "") + ")";
  if (columns > kMostExtent || rows > kMostExtent) {
    errors.push_back(
        "width, height: " + of + " make a mesh of " + size + " routers: at most " +
        std::to_string(kMostExtent) + " x " + std::to_string(kMostExtent) + " expected" +
        (width + height == 0 ? "" : "; width and height of 0 are derived from the nodes"));
    return errors;
  }
  const std::uint32_t routers = columns * rows;
  if (all < routers || all > routers * concentration) {
    errors.push_back("width, height: " + of + " do not fill a mesh of " + size +
                     " routers: " + std::to_string(routers) +
                     (concentration == 1 ? "" : " to " + std::to_string(routers * concentration)) +
                     " nodes expected (concentration is " + std::to_string(concentration) +
                     "); width and height of 0 are derived from the nodes");
    return errors;
  }
  if (placement == kStaggered) return errors;
  std::vector<std::string> faults;
  const std::vector<std::uint32_t> list = listed(placement, faults);
  if (list.size() != all && (shared_nodes || list.size() != exits)) {
    errors.push_back("placement names " + std::to_string(list.size()) + " routers: " +
                     (shared_nodes ? "" : std::to_string(exits) + " (the egress nodes) or ") +
                     std::to_string(all) + " (all nodes) expected");
  }
  std::vector<std::uint32_t> held(routers, 0);
  for (const std::uint32_t r : list) {
    if (r >= routers) {
      errors.push_back("placement: router " + std::to_string(r) + ": 0 to " +
                       std::to_string(routers - 1) + " expected (" + size + ")");
    } else if (++held[r] == concentration + 1) {
      errors.push_back("placement: router " + std::to_string(r) + " has more than " +
                       std::to_string(concentration) + " node" + (concentration == 1 ? "" : "s") +
                       " (concentration is " + std::to_string(concentration) + ")");
    }
  }
  return errors;
}

void describe(ParameterVisitor& v, MeshConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz",
            "Clock of routers and links (remote-core Table II: 700 MHz)", 1, kTicksPerSecond);
  v.integer("link_bytes", c.link_bytes, "byte/cycle",
            "Width of every link = one flit (remote-core Table II: 32 B)", 1, 4096);
  v.integer("width", c.width, "router",
            "Routers of a row (remote-core Table II: 6, section IV-C: 8, 10); 0: derived from the "
            "number of nodes, as nearly square as possible",
            0, kMostExtent);
  v.integer("height", c.height, "router",
            "Rows (remote-core Table II: 6, section IV-C: 8, 10); 0: derived", 0, kMostExtent);
  v.integer("concentration", c.concentration, "node",
            "Largest number of nodes at a router, each with its own port (remote-core: 1)", 1,
            kMostConcentration);
  v.integer("vcs", c.vcs, "VC",
            "Virtual channels of every router input (remote-core Table II: 1; figure 15b: 2)", 1,
            kMostVcs);
  v.integer("vc_flits", c.vc_flits, "flit", "Buffer of a virtual channel (remote-core Table II: 8)",
            1, kMostVcFlits);
  v.integer("router_latency", c.router_latency, "cycle",
            "A flit's way through a router: route computation, VC allocation, switch allocation, "
            "switch traversal (not published; ours)",
            kLeastRouterLatency, kMostMeshLatency);
  v.integer("link_latency", c.link_latency, "cycle",
            "A flit's way over a link (not published; ours)", 1, kMostMeshLatency);
  v.integer("credit_latency", c.credit_latency, "cycle",
            "From the departure of a flit from a buffer to the use of its entry by the upstream "
            "router (not published; ours)",
            1, kMostMeshLatency);
  v.integer("header_bytes", c.header_bytes, "byte",
            "Address and control of every packet (not published; ours: a line of 128 B takes 5 "
            "flits)",
            1, 1024);
  v.text("placement", c.placement,
         "Routers of the nodes: staggered (memory nodes evenly over the rows; ours, because the "
         "paper has only a picture), or a list of routers by number, separated by commas: of the "
         "memory nodes, or of all nodes, SMs first; router = row * width + column");
}

}  // namespace tessera
