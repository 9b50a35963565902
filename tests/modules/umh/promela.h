// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "modules/umh/nmoesi.h"

namespace tessera::umh::test {

enum class ModelLines {
  kOne,
  kTwo,
  /// One of two lines: the other takes and leaves a cache's frame at any time, if the frame is free
  /// or its own. This model does all that one line of `kTwo` can do, because the lines share
  /// nothing but the frames. What holds in all its states holds for both lines.
  kOneOfTwo
};

/// A model of the protocol in Promela, for the model checker Spin: `gpus` GPUs (1 or 2), one CPU
/// and a directory. Throws std::invalid_argument for another number of GPUs. Its transitions are
/// those of the table.
///
/// Each device is one cache with one frame, so that a miss of one line needs the eviction of the
/// other. Messages between a cache and the directory can overtake each other, and processes run in
/// any order. The directory serves one transaction of a line at a time, with the rules of Hmd:
/// merged bytes leave no older copy, and a write-back whose bytes a snoop has taken is dropped.
/// Devices store to one of two bytes of a line.
///
/// Asserted after each step of a cache: a block in M or E has no other copy; each copy and each
/// owner is in the directory; a byte of a completed non-coherent store is in its cache, in a
/// message or merged; a cache in M has synchronised the line; a frame has one line. Spin also
/// reports a deadlock, but not with `kOneOfTwo`, where the other line can always move.
///
/// Not modelled: levels of caches, peer transfers, values.
std::string promela_model(const TransitionTable& table, ModelLines lines, unsigned gpus = 2);

}  // namespace tessera::umh::test
