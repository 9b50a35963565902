// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/atomic_unit.h"

#include <cstring>
#include <utility>

#include "modules/bridge/line_target.h"
#include "modules/protocol/atomics.h"

namespace tessera {

AtomicUnit::Action AtomicUnit::offer(LineTarget& port, tlm::tlm_generic_payload& payload,
                                     MemoryRequest& request, std::uint32_t user,
                                     std::uint64_t address) {
  const bool atomic = request.kind == RequestKind::kAtomic;
  const auto found = lines_.find(address);
  if (found == lines_.end()) {
    if (!atomic) {
      if (!payload.is_read()) ++plain_stores_[address];
      return Action::kPass;
    }
    if (plain_stores_.count(address) != 0) return Action::kHold;
    lines_[address].waiting.push_back({&port, &payload, &request, user});
    return Action::kRead;
  }
  Line& line = found->second;
  if (!atomic) {
    if (payload.is_read()) return Action::kPass;
    line.closing = true;
    return Action::kHold;
  }
  if (line.closing) return Action::kHold;
  line.waiting.push_back({&port, &payload, &request, user});
  if (line.loaded && line.stored.empty()) store(address, line);
  return Action::kTaken;
}

void AtomicUnit::store(std::uint64_t address, Line& line) {
  const Waiting& first = line.waiting.front();
  AtomicStore store{address, first.request, first.user, {}, {}};
  for (const Waiting& w : line.waiting) {
    store.mask |= bytes_of(*w.request->atomics);
    perform_atomics(*w.request->atomics, line.bytes.data());
  }
  std::memcpy(store.data.data(), line.bytes.data(), line_bytes_);
  first.port->stores_.push_back(store);
  line.stored = std::exchange(line.waiting, {});
}

void AtomicUnit::acknowledged(std::uint64_t address) {
  const auto stores = plain_stores_.find(address);
  if (--stores->second == 0) plain_stores_.erase(stores);
}

void AtomicUnit::loaded(std::uint64_t address, const unsigned char* bytes) {
  Line& line = lines_.at(address);
  if (bytes == nullptr) {
    for (const Waiting& w : line.waiting) {
      w.port->completed_.push_back({w.payload, w.request, tlm::TLM_GENERIC_ERROR_RESPONSE});
    }
    lines_.erase(address);
    return;
  }
  line.loaded = true;
  std::memcpy(line.bytes.data(), bytes, line_bytes_);
  store(address, line);
}

void AtomicUnit::stored(std::uint64_t address, bool error) {
  const auto found = lines_.find(address);
  Line& line = found->second;
  for (const Waiting& w : line.stored) {
    w.port->completed_.push_back(
        {w.payload, w.request, error ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE});
  }
  line.stored.clear();
  if (line.waiting.empty()) {
    lines_.erase(found);
  } else {
    store(address, line);
  }
}

}  // namespace tessera
