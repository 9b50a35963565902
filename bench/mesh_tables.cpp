// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh_tables.h"

#include <algorithm>
#include <string>

#include "bench/fixed.h"
#include "common/json.h"

namespace tessera::bench {
namespace {

/// Below this part of the offered load, a mesh is beyond its saturation.
constexpr double kMeshCarried = 0.98;
/// Offered loads, as parts of the bound.
const double kParts[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

/// k x k routers, each with a node that sends and receives.
MeshLoad square(std::uint32_t k, std::uint32_t vcs, std::uint32_t flits) {
  MeshLoad t;
  t.network.width = t.network.height = k;
  t.network.shared_nodes = true;
  t.network.vcs = vcs;
  t.entries = t.exits = k * k;
  t.flits = flits;
  return t;
}

double saturation(MeshLoad t) {
  t.load = 1;
  return run(t).throughput;
}

void print_mesh_saturation(std::ostream& out) {
  out << "| mesh | flits | `mesh.vcs` | bisection | with the VCs | model | of the bound |\n"
         "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const std::uint32_t k : {4U, 6U, 8U, 10U}) {
    for (const std::uint32_t flits : {1U, 5U}) {
      for (const std::uint32_t vcs : {1U, 2U, 4U}) {
        const MeshLoad t = square(k, vcs, flits);
        const double bound = mesh_bound(t);
        const double model = saturation(t);
        out << "| " << k << " x " << k << " | " << flits << " | " << vcs << " | "
            << fixed(std::min(1.0, 4.0 / k), 3) << " | " << fixed(bound, 3) << " | "
            << fixed(model, 3) << " | " << fixed(model / bound, 2) << " |" << std::endl;
      }
    }
  }
}

void print_mesh_latency(std::ostream& out) {
  out << "\n| mesh | flits | `mesh.vcs` |";
  for (const double part : kParts) out << ' ' << fixed(part, 1) << " |";
  out << "\n| --- | --- | --- |";
  for (std::size_t i = 0; i < std::size(kParts); ++i) out << " --- |";
  out << '\n';
  struct Row {
    std::string name;
    MeshLoad traffic;
  };
  std::vector<Row> rows;
  for (const std::uint32_t flits : {1U, 5U}) {
    for (const std::uint32_t vcs : {1U, 2U}) {
      rows.push_back({"6 x 6, all to all", square(6, vcs, flits)});
    }
  }
  for (const std::uint32_t vcs : {1U, 2U}) {
    MeshLoad requests;
    requests.network.vcs = vcs;
    requests.flits = 1;
    rows.push_back({"6 x 6, 28 SMs to 8 slices", requests});
    MeshLoad replies;
    replies.network.vcs = vcs;
    replies.entries = 8;
    replies.exits = 28;
    replies.network.placement = "2,6,11,15,20,24,29,33";
    // As a placement of all nodes: the slices first.
    std::string all = replies.network.placement;
    const MeshLayout m = requests.network.layout(28, 8);
    for (const std::uint32_t r : m.entry_router) all += "," + std::to_string(r);
    replies.network.placement = all;
    rows.push_back({"6 x 6, 8 slices to 28 SMs", replies});
  }
  for (const Row& row : rows) {
    MeshLoad t = row.traffic;
    const double bound = mesh_bound(t);
    out << "| " << row.name << " | " << t.flits << " | " << t.network.vcs << " |";
    for (const double part : kParts) {
      t.load = part * bound;
      const MeshLoadResult r = run(t);
      out << ' ' << (r.throughput < kMeshCarried * t.load ? std::string() : fixed(r.latency, 0))
          << " |";
    }
    out << std::endl;
  }
}

void print_speed(std::ostream& out) {
  out << "\n| mesh | flits | `mesh.vcs` | load | M flits a second | M flit hops a second | ns a "
         "flit hop |\n| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const std::uint32_t k : {6U, 10U}) {
    for (const std::uint32_t vcs : {1U, 2U}) {
      for (const std::uint32_t flits : {1U, 5U}) {
        for (const double part : {0.2, 1.0}) {
          MeshLoad t = square(k, vcs, flits);
          t.load = part < 1 ? part * mesh_bound(t) : 1;
          t.warm_up = 1'000;
          t.measured = 100'000;
          const MeshLoadResult r = run(t);
          const auto rate = [&r](std::uint64_t n) {
            return static_cast<double>(n) / r.cpu_seconds / 1e6;
          };
          out << "| " << k << " x " << k << " | " << flits << " | " << vcs << " | "
              << (part < 1 ? fixed(part, 1) + " of the bound" : "saturated") << " | "
              << fixed(rate(r.flits), 1) << " | " << fixed(rate(r.flit_hops), 1) << " | "
              << fixed(1e3 / rate(r.flit_hops), 0) << " |" << std::endl;
        }
      }
    }
  }
}

}  // namespace

double mesh_bound(const MeshLoad& t) {
  const double busiest = t.network.layout(t.entries, t.exits).largest_uniform_load();
  const double share = t.network.vcs * static_cast<double>(t.flits) / (t.flits + 1);
  return std::min(1.0, std::min(1.0, share) / busiest);
}

nlohmann::ordered_json mesh_curve(MeshLoad traffic) {
  for (const std::string& e : traffic.network.validate(traffic.entries, traffic.exits)) {
    throw std::invalid_argument("mesh." + e);
  }
  nlohmann::ordered_json d;
  const double bound = mesh_bound(traffic);
  d["bound"] = bound;
  traffic.load = 1;
  const MeshLoadResult full = run(traffic);
  d["saturation"] = full.throughput;
  d["flits_per_second"] = static_cast<double>(full.flits) / full.cpu_seconds;
  d["flit_hops_per_second"] = static_cast<double>(full.flit_hops) / full.cpu_seconds;
  for (const double part : kParts) {
    traffic.load = part * bound;
    const MeshLoadResult r = run(traffic);
    if (r.throughput >= kMeshCarried * traffic.load) {
      d["latency_cycles"][fixed(traffic.load, 3)] = r.latency;
    }
  }
  return d;
}

void print_mesh_tables(std::ostream& out) {
  print_mesh_saturation(out);
  print_mesh_latency(out);
  print_speed(out);
}

}  // namespace tessera::bench
