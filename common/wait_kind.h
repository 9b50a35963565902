// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// Why an item waits: the one classification of the watchdog's message, of the statistics of waits
/// (the dictionary of stats.json) and of the report. docs/guide/kernel-statistics.md has the table.
enum class WaitKind : std::uint8_t {
  kResourceBusy,     ///< a unit, an entry or a bank is in use
  kQueueFull,        ///< the next queue has no free entry, or the receiver gives no credit
  kNetworkTransfer,  ///< a message is on its way, or waits for its turn at a port
  kBandwidth,        ///< a link or a bus moves other bytes
  kOrdering,         ///< another item must complete first
  kDataDependence,   ///< data or a response has not arrived
  kTranslation,      ///< the physical address is not known
  kCoherence,        ///< other caches hold copies, or have not acknowledged
};

inline constexpr std::size_t kWaitKinds = static_cast<std::size_t>(WaitKind::kCoherence) + 1;

/// All kinds, in the order of the enumeration.
inline constexpr std::array<WaitKind, kWaitKinds> kAllWaitKinds = {
    WaitKind::kResourceBusy, WaitKind::kQueueFull, WaitKind::kNetworkTransfer,
    WaitKind::kBandwidth,    WaitKind::kOrdering,  WaitKind::kDataDependence,
    WaitKind::kTranslation,  WaitKind::kCoherence};

/// "resource busy".
const char* name_of(WaitKind kind);
/// One sentence.
const char* meaning_of(WaitKind kind);

}  // namespace tessera
