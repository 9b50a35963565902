// SPDX-License-Identifier: Apache-2.0
// System calls of device code: vprintf and __assertfail.

#include <algorithm>
#include <iostream>

#include "stimuli/ptx/device_printf.h"
#include "stimuli/ptx/lane_access.h"
#include "stimuli/ptx/warp.h"

namespace tessera::ptx {

namespace {

/// Limit for strings, because a missing terminator is an error of the program.
constexpr std::size_t kLongestString = 1 << 16;

}  // namespace

/// An argument of the call: a variable of the thread, or a kernel parameter.
std::uint64_t Warp::argument(Slot s, unsigned lane, unsigned bytes) const {
  const std::byte* at = frame_.at(s);
  if (s.bank == BankId::kLocal) at += std::size_t{lane} * frame_.local_stride;
  std::uint64_t value = 0;
  __builtin_memcpy(&value, at, bytes);
  return value;
}

/// Reads at most `bytes` bytes at a generic address. Returns the number of bytes up to the end of
/// the memory object.
std::uint64_t Warp::peek(unsigned lane, Address from, std::uint64_t bytes, void* to) const {
  const auto copy = [&](const std::byte* base, std::uint64_t offset, std::uint64_t size) {
    const std::uint64_t n = offset < size ? std::min(bytes, size - offset) : 0;
    if (n != 0) __builtin_memcpy(to, base + offset, n);
    return n;
  };
  if (from >= kSharedWindow && from < kSharedWindowEnd) {
    return copy(cta_.shared(), from - kSharedWindow, launch_.shared_bytes());
  }
  if (from >= kParamWindow && from < kParamWindowEnd) {
    return copy(launch_.parameters(), from - kParamWindow, launch_.kernel().parameter_bytes);
  }
  if (from >= kLocalWindow && from < kLocalWindowEnd) {
    const std::byte* mine = frame_.bank[static_cast<std::size_t>(BankId::kLocal)] +
                            std::size_t{lane} * frame_.local_stride;
    return copy(mine, from - kLocalWindow, frame_.local_stride);
  }
  const MemoryView& memory = launch_.memory();
  const Allocation* held = memory.allocations->find(from, 1);
  if (held == nullptr) return 0;
  const std::uint64_t n = std::min(bytes, held->end() - from);
  if (memory.flat != nullptr) {
    __builtin_memcpy(to, memory.flat->at(from), n);
  } else if (memory.read) {
    memory.read(to, from, n);
  } else {
    return 0;
  }
  return n;
}

std::string Warp::string_at(unsigned lane, Address from) const {
  std::string text;
  char part[64];
  while (text.size() < kLongestString) {
    const std::uint64_t n = peek(lane, from + text.size(), sizeof part, part);
    if (n == 0) fail(lane, "the string at " + hex(from) + " has no end in memory that can be read");
    char* const end = std::find(part, part + n, '\0');
    text.append(part, end);
    if (end != part + n) return text;
  }
  fail(lane, "the string at " + hex(from) + " has more than " + std::to_string(kLongestString) +
                 " characters");
}

std::uint64_t Warp::word_at(unsigned lane, Address from, unsigned bytes) const {
  std::uint64_t value = 0;
  if (peek(lane, from, bytes, &value) != bytes) {
    fail(lane, "printf has an argument at " + hex(from) + ", which cannot be read");
  }
  return value;
}

/// Formats the text of the lanes in ascending order and writes it in one operation.
void Warp::print(const Decoded& d, std::uint32_t mask) {
  std::string text;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    const Address format = argument(d.slot[1], lane, 8);
    const Address buffer = argument(d.slot[2], lane, 8);
    PrintfArguments arguments;
    arguments.word = [&](std::uint64_t offset, unsigned bytes) {
      return word_at(lane, buffer + offset, bytes);
    };
    arguments.string = [&](Address a) { return string_at(lane, a); };
    PrintfText one;
    try {
      one = format_printf(string_at(lane, format), arguments);
    } catch (const UnknownConversion& e) {
      fail(lane, e.what());
    }
    text += one.text;
    if (d.slot[0].bank == BankId::kLocal) {
      __builtin_memcpy(frame_.at(d.slot[0]) + std::size_t{lane} * frame_.local_stride,
                       &one.arguments, 4);
    }
  }
  std::cerr << text << std::flush;
}

void Warp::assertion_failed(const Decoded& d, std::uint32_t mask) const {
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  const auto text = [&](unsigned i) { return string_at(lane, argument(d.slot[i], lane, 8)); };
  fail(lane, "assertion failed: " + text(1) + " (" + text(2) + ":" +
                 std::to_string(argument(d.slot[3], lane, 4)) + ", in " + text(4) + ")");
}

}  // namespace tessera::ptx
