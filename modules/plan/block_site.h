// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "common/ids.h"

namespace tessera {

class AddressMap;
class TransactionPool;

/// Arguments of every factory. The objects of its pointers live as long as the platform. A family
/// of blocks derives its site from it: `kFamily`, the family's name, and the block's configuration
/// and place as plain data.
struct BlockSite {
  std::string name;         ///< of the sc_module
  std::string path;         ///< "system.gpu0.llc3"
  std::uint32_t index = 0;  ///< among the blocks of its kind
  GpuId gpu;                ///< of the block; 0 if it serves all GPUs
  const AddressMap* map = nullptr;
  TransactionPool* pool = nullptr;
  unsigned inputs = 0;   ///< number of target sockets that will be bound
  unsigned outputs = 0;  ///< number of initiator sockets that will be bound
};

}  // namespace tessera
