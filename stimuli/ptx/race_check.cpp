// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/race_check.h"

#include <algorithm>
#include <cstring>

namespace tessera::ptx {

std::uint32_t VectorClock::of(std::uint32_t agent) const {
  const auto it = epochs_.find(agent);
  return it == epochs_.end() ? 0 : it->second;
}

void VectorClock::raise(std::uint32_t agent, std::uint32_t epoch) {
  std::uint32_t& mine = epochs_[agent];
  mine = std::max(mine, epoch);
}

void VectorClock::join(const VectorClock& other) {
  for (const auto& [agent, epoch] : other.epochs_) raise(agent, epoch);
}

void RaceDetector::release(std::uint32_t agent, VectorClock& into) {
  Agent& a = agents_[agent];
  into.join(a.seen);
  into.raise(agent, a.epoch);
  ++a.epoch;
}

void RaceDetector::acquire(std::uint32_t agent, const VectorClock& from) {
  agents_[agent].seen.join(from);
}

RaceDetector::Word& RaceDetector::word(Address address) {
  const Address n = address / 4;
  std::unique_ptr<Page>& page = pages_[n / kPageWords];
  if (!page) page = std::make_unique<Page>();
  return (*page)[n % kPageWords];
}

bool RaceDetector::unordered(const Record& r, const RaceAccess& a) const {
  if (r.epoch == 0 || r.agent == a.agent || (r.strong && a.strong)) return false;
  const auto it = agents_.find(a.agent);
  return it == agents_.end() || it->second.seen.of(r.agent) < r.epoch;
}

/// A strong access acquires the clocks that earlier strong writes of the word have published.
void RaceDetector::synchronise(const RaceAccess& a) {
  const Address at = a.address / 4;
  const auto published = published_.find(at);
  if (a.kind != AccessKind::kStore && published != published_.end()) {
    acquire(a.agent, published->second);
  }
  if (a.kind != AccessKind::kLoad && a.releases) release(a.agent, published_[at]);
}

std::optional<RaceConflict> RaceDetector::access(const RaceAccess& a) {
  std::optional<RaceConflict> found;
  for (unsigned done = 0; done < a.bytes;) {
    const Address at = a.address + done;
    const unsigned first = at % 4;
    const unsigned count = std::min(4 - first, a.bytes - done);
    const auto bytes = static_cast<std::uint8_t>(((1u << count) - 1) << first);
    Word& w = word(at);
    const auto conflict =
        a.kind == AccessKind::kLoad ? read(w, a, bytes) : write(w, a, bytes, done);
    if (!found) found = conflict;
    done += count;
  }
  if (a.strong) synchronise(a);
  return found;
}

std::optional<RaceConflict> RaceDetector::read(Word& w, const RaceAccess& a, std::uint8_t bytes) {
  const std::uint32_t epoch = agents_[a.agent].epoch;
  Record& mine = w.reads[0].epoch == 0 || w.reads[0].agent == a.agent ? w.reads[0] : w.reads[1];
  const bool same = mine.agent == a.agent && mine.epoch == epoch && mine.strong == a.strong;
  mine = Record{a.agent, epoch, a.pc, static_cast<std::uint8_t>(bytes | (same ? mine.bytes : 0)),
                a.strong};
  if ((w.changed & bytes) != 0 && unordered(w.write, a)) {
    return RaceConflict{w.write.agent, w.write.pc, true};
  }
  return std::nullopt;
}

std::optional<RaceConflict> RaceDetector::write(Word& w, const RaceAccess& a, std::uint8_t bytes,
                                                unsigned at) {
  std::optional<RaceConflict> found;
  const unsigned first = static_cast<unsigned>(__builtin_ctz(bytes));
  std::uint8_t changed = 0;  // bytes that differ from the contents of memory
  std::uint8_t differs = 0;  // bytes that differ from the value of the last write
  for (unsigned i = first; (bytes >> i & 1u) != 0; ++i) {
    const unsigned k = at + i - first;
    const auto bit = static_cast<std::uint8_t>(1u << i);
    const bool is_known = a.after != nullptr;
    if (!is_known || (w.known & bit) == 0 || w.value[i] != a.after[k]) differs |= bit;
    if (a.before != nullptr ? a.before[k] != a.after[k] : (differs & bit) != 0) changed |= bit;
    if (is_known) w.value[i] = a.after[k];
  }
  if ((w.write.bytes & differs) != 0 && unordered(w.write, a)) {
    found = RaceConflict{w.write.agent, w.write.pc, true};
  }
  for (const Record& r : w.reads) {
    if (!found && (r.bytes & changed) != 0 && unordered(r, a)) {
      found = RaceConflict{r.agent, r.pc, false};
    }
  }
  // A write of the present value does not replace the recorded write.
  if (changed == 0 && differs == 0 && w.write.epoch != 0) return found;
  const std::uint32_t epoch = agents_[a.agent].epoch;
  const bool same = w.write.agent == a.agent && w.write.epoch == epoch;
  w.write = Record{a.agent, epoch, a.pc,
                   static_cast<std::uint8_t>(bytes | (same ? w.write.bytes : 0)), a.strong};
  w.changed = static_cast<std::uint8_t>(changed | (same ? w.changed : 0));
  w.known = static_cast<std::uint8_t>(a.after != nullptr ? w.known | bytes : w.known & ~bytes);
  return found;
}

}  // namespace tessera::ptx
