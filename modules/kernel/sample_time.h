// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/time.h"

namespace tessera {

/// The time at which statistics are sampled next; kNever: they are not. The sample has what happens
/// before this time. A block that computes the effects of a message before its arrival does so only
/// for an arrival before it: whether it can depends on the order of processes, and so would the
/// sample. Only the sampler writes it, between instants; never while domains run on threads.
inline Tick next_sample_time = kNever;

}  // namespace tessera
