// SPDX-License-Identifier: Apache-2.0
#include "iss/riscv_paging.h"

namespace tessera {

namespace {

constexpr unsigned kPageShift = 12;
constexpr unsigned kIndexBits = 9;
constexpr std::uint64_t kIndexMask = (1U << kIndexBits) - 1;
constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << 44) - 1;  ///< of a physical page
constexpr unsigned kModeShift = 60;                                  // of satp
constexpr std::uint64_t kSv39 = 8;
constexpr std::uint64_t kSv48 = 9;
constexpr std::uint64_t kMprv = 1U << 17;  // of mstatus
constexpr unsigned kPreviousModeShift = 11;
constexpr std::uint64_t kValid = 1;  // of an entry
constexpr std::uint64_t kReads = 2;
constexpr std::uint64_t kWrites = 4;
constexpr std::uint64_t kExecutes = 8;
constexpr unsigned kNumberShift = 10;

/// All bits above the highest one of the virtual address equal it.
bool is_canonical(std::uint64_t address, unsigned bits) {
  const std::uint64_t above = address >> (bits - 1);
  return above == 0 || above == ~std::uint64_t{0} >> (bits - 1);
}

}  // namespace

Privilege access_mode(const RiscvPaging& hart, bool fetch) {
  if (fetch || hart.privilege != Privilege::kMachine || (hart.mstatus & kMprv) == 0) {
    return hart.privilege;
  }
  return static_cast<Privilege>(hart.mstatus >> kPreviousModeShift & 3);
}

std::optional<std::uint64_t> riscv_translate(
    const RiscvPaging& hart, std::uint64_t address, bool fetch,
    const std::function<bool(std::uint64_t address, std::uint64_t& word)>& read) {
  const std::uint64_t mode = hart.satp >> kModeShift;
  if (mode == 0 || access_mode(hart, fetch) == Privilege::kMachine) return address;
  if (mode != kSv39 && mode != kSv48) return std::nullopt;
  const unsigned levels = mode == kSv39 ? 3 : 4;
  if (!is_canonical(address, kPageShift + levels * kIndexBits)) return std::nullopt;
  std::uint64_t table = (hart.satp & kNumberMask) << kPageShift;
  for (unsigned level = levels; level-- > 0;) {
    const unsigned shift = kPageShift + level * kIndexBits;
    std::uint64_t entry = 0;
    if (!read(table + (address >> shift & kIndexMask) * 8, entry)) return std::nullopt;
    if ((entry & kValid) == 0) return std::nullopt;
    if ((entry & (kReads | kWrites)) == kWrites) return std::nullopt;
    const std::uint64_t page = (entry >> kNumberShift & kNumberMask) << kPageShift;
    if ((entry & (kReads | kExecutes)) == 0) {
      table = page;
      continue;
    }
    const std::uint64_t offset = (std::uint64_t{1} << shift) - 1;
    if ((page & offset) != 0) return std::nullopt;  // a superpage that is not aligned
    return page | (address & offset);
  }
  return std::nullopt;
}

}  // namespace tessera
