// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/explain/explanation.h"

namespace tessera::app {

/// The time that each resource costs. The method:
///
/// 1. The critical time of each stage less its exposed latency (exposed_latency()) is contention.
/// 2. Contention on a network, in a channel and in translation belongs to that resource; of several
///    networks, to the one with the largest product of use and excess latency.
/// 3. A slice waits for what follows it: its contention belongs to the response networks or to the
///    channels if these have a quarter of its own, else to its atomics units or, for the part of
///    its waits that are for them, to its lookups.
/// 4. MSHRs bound the run if at least 5 % of the L1s' lookups waited for one and the wait in the L1
///    is 5 % of the time and not below the contention behind it. With more of them, the latencies
///    of misses overlap.
/// 5. Contention in the L1, stalls of units and the idle time of the critical SM are consequences,
///    and are divided in proportion. The part of the stalls in which the load/store unit was in use
///    is none.
/// 6. In a coherent hierarchy, contention behind the L2s is divided between the links to the host
///    and DRAM in proportion to their use. Contention before and in the L2s is a consequence. If
///    the links are in use for half of the time, they bound flushes.
/// 7. Migration, flushes and launches stop the SMs for a time that is counted.
/// 8. If the critical SM has more instructions than its share of the CTAs, a better balance
///    shortens its time without contention.
/// 9. The run cannot be shorter than the busy time of another resource, and a resource does not
///    bound it if another one is in use for twice the time.
std::vector<Bottleneck> predict(const CriticalTime& time, const Resources& resources);

}  // namespace tessera::app
