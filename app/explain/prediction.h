// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/explain/explanation.h"

namespace tessera::app {

/// The time that each resource costs. The method, with its reasons in docs/guide/explain.md:
///
/// 1. The critical time of each stage less its exposed latency (exposed_latency()) is contention.
/// 2. Contention on a network, in a channel and in translation belongs to that resource. Of several
///    networks, it is the one with the largest product of use and excess latency, or one behind it
///    that is in use for about as long.
/// 3. A slice waits for what follows it: its contention belongs to the response networks or to the
///    channels if these have a quarter of its own, else to its atomics units or lookups. Of slices
///    that lacked MSHRs, only the time without one is theirs.
/// 4. L1s without a free MSHR or line take no load. For that time, waits in and before the L1s
///    belong to the resources in which the misses' latency is excess; as far as it is not, more
///    MSHRs let misses and their exposed latencies overlap, down to the loads of a warp one after
///    the other.
/// 5. Other waits in the L1, for units and in merged requests, and the idle time of the critical SM
///    are consequences for the part that contention has of the waits behind the L1s, and are
///    divided in proportion. The part of the stalls in which the load/store unit was in use is
///    none. Stalls longer than all waits of loads are those of stores and atomics: they belong to
///    the resource that is in use for longest.
/// 6. In a coherent hierarchy, contention behind the L2s is divided between the links to the host,
///    the directories and DRAM in proportion to their queues. Contention before and in the L2s
///    belongs to their lookups, if these are busy, and else is a consequence. If the links are in
///    use for half of the time, they bound flushes.
/// 7. Migration, flushes and launches stop the SMs for a time that is counted.
/// 8. If the critical SM has more CTAs than its share, a better balance shortens its time without
///    contention.
/// 9. The run cannot be shorter than the busy time of another resource. A network or slice does not
///    bound it for more than six times its busy time, and no resource does if another one is in use
///    for twice the time.
std::vector<Bottleneck> predict(const CriticalTime& time, const Resources& resources);

}  // namespace tessera::app
