// SPDX-License-Identifier: Apache-2.0
#include "modules/plan/block_handle.h"

#include "modules/kernel/block.h"

namespace tessera {

BlockHandle::BlockHandle() = default;
BlockHandle::BlockHandle(BlockHandle&& other) noexcept = default;
BlockHandle& BlockHandle::operator=(BlockHandle&& other) noexcept = default;
BlockHandle::~BlockHandle() = default;

}  // namespace tessera
