// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "bench/noc_traffic.h"
#include "common/json_fwd.h"

namespace tessera::bench {

/// Upper bound of a mesh's throughput under uniform random traffic, in flits per cycle and ingress
/// port. The busiest link limits it (Dally and Towles, Principles and Practices of Interconnection
/// Networks, 2004, section 3.3.1: 4 / k for a k x k mesh, k even). A link carries n flits of n + 1
/// cycles per VC, because VC and switch allocation take a cycle each (MeshFabric).
double mesh_bound(const MeshLoad& traffic);

/// Bound, saturation, latency against load, and speed of one mesh under uniform random traffic.
/// `traffic`: its load is not used.
nlohmann::ordered_json mesh_curve(MeshLoad traffic);

/// The tables of docs/blocks/mesh.md.
void print_mesh_tables(std::ostream& out);

}  // namespace tessera::bench
