// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

class AddressMap;
class L1ProbeIf;
class ProbeTable;
class SharerDirectory;
class TransactionPool;

/// A probe engine's place in its GPU. The pointees outlive it.
struct ProbeSite {
  std::uint32_t core = 0;  ///< among the cores of the GPU
  /// Home slices of the GPU, [first_slice, end_slice). Misses to other lines are not probed.
  std::uint32_t first_slice = 0;
  std::uint32_t end_slice = 0;
  /// Slice number by which the network routes a message to core 0 of the GPU.
  std::uint32_t first_core_exit = 0;
  /// Whether slices forward read hits to other cores (LA-LLC). `map` routes them back.
  bool slices_forward = false;
  const AddressMap* map = nullptr;
  L1ProbeIf* l1 = nullptr;
  SharerDirectory* directory = nullptr;
  ProbeTable* probes = nullptr;
  TransactionPool* pool = nullptr;
};

}  // namespace tessera
