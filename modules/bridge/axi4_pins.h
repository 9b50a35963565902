// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/protocol/byte_mask.h"

namespace tessera {

/// AxBURST (AMBA AXI4, IHI 0022, A3.4.1).
enum class Axi4BurstType : std::uint8_t { kFixed = 0, kIncr = 1, kWrap = 2, kReserved = 3 };

/// RRESP and BRESP (A3.4.4).
enum class Axi4Response : std::uint8_t { kOkay = 0, kExOkay = 1, kSlvErr = 2, kDecErr = 3 };

/// Largest data bus: 1024 bits.
inline constexpr unsigned kAxi4MaxDataBytes = 128;
/// No burst crosses a boundary of this many bytes.
inline constexpr std::uint64_t kAxi4PageBytes = 4096;

/// Payload of an AW or AR transfer.
struct Axi4Address {
  std::uint32_t id = 0;
  std::uint64_t addr = 0;  ///< byte address of the first beat
  std::uint8_t len = 0;    ///< beats minus 1
  std::uint8_t size = 0;   ///< log2 of the bytes of a beat, 0 to 7
  Axi4BurstType burst = Axi4BurstType::kIncr;
  bool lock = false;        ///< exclusive access
  std::uint8_t cache = 0;   ///< 4 bits
  std::uint8_t prot = 0;    ///< 3 bits
  std::uint8_t qos = 0;     ///< 4 bits
  std::uint8_t region = 0;  ///< 4 bits
  std::uint32_t user = 0;

  unsigned beats() const { return unsigned{len} + 1; }
  unsigned beat_bytes() const { return 1U << size; }
  std::uint64_t total_bytes() const { return std::uint64_t{beats()} << size; }
  /// Address of the first byte of `beat` (A3.4.2). Beats after the first are aligned, except of a
  /// FIXED burst.
  std::uint64_t beat_address(unsigned beat) const {
    if (beat == 0 || burst == Axi4BurstType::kFixed) return addr;
    const std::uint64_t next = aligned(addr) + (std::uint64_t{beat} << size);
    if (burst != Axi4BurstType::kWrap) return next;
    return next < wrap_begin() + total_bytes() ? next : next - total_bytes();
  }
  /// First address after the bytes of `beat`.
  std::uint64_t beat_end(unsigned beat) const { return aligned(beat_address(beat)) + beat_bytes(); }
  /// Byte lanes of `beat` on a bus of `data_bytes`; none if a beat is wider than the bus.
  ByteMask lanes(unsigned beat, unsigned data_bytes) const {
    if (beat_bytes() > data_bytes) return {};
    const std::uint64_t first = beat_address(beat);
    return ByteMask::range(static_cast<unsigned>(first & (data_bytes - 1)),
                           static_cast<unsigned>(beat_end(beat) - first));
  }
  /// Lowest address of a WRAP burst.
  std::uint64_t wrap_begin() const { return addr & ~(total_bytes() - 1); }

  friend bool operator==(const Axi4Address& a, const Axi4Address& b) {
    return a.id == b.id && a.addr == b.addr && a.len == b.len && a.size == b.size &&
           a.burst == b.burst && a.lock == b.lock && a.cache == b.cache && a.prot == b.prot &&
           a.qos == b.qos && a.region == b.region && a.user == b.user;
  }
  friend bool operator!=(const Axi4Address& a, const Axi4Address& b) { return !(a == b); }

 private:
  std::uint64_t aligned(std::uint64_t a) const { return a & ~(std::uint64_t{beat_bytes()} - 1); }
};

/// The AW or AR channel.
struct Axi4AddressPins : Axi4Address {
  bool valid = false;
  bool ready = false;
};

/// The W channel. Byte lane i is data[i].
struct Axi4WritePins {
  bool valid = false;
  bool ready = false;
  bool last = false;
  ByteMask strobe;  ///< bit i: WSTRB[i]
  std::uint32_t user = 0;
  std::array<unsigned char, kAxi4MaxDataBytes> data{};
};

/// The B channel.
struct Axi4ResponsePins {
  bool valid = false;
  bool ready = false;
  Axi4Response resp = Axi4Response::kOkay;
  std::uint32_t id = 0;
  std::uint32_t user = 0;
};

/// The R channel.
struct Axi4ReadPins {
  bool valid = false;
  bool ready = false;
  bool last = false;
  Axi4Response resp = Axi4Response::kOkay;
  std::uint32_t id = 0;
  std::uint32_t user = 0;
  std::array<unsigned char, kAxi4MaxDataBytes> data{};
};

/// The pins of one AXI4 interface. The manager drives VALID and payload of AW, W, AR and READY of
/// B, R; the subordinate drives the others.
struct Axi4Pins {
  Axi4AddressPins aw;
  Axi4WritePins w;
  Axi4ResponsePins b;
  Axi4AddressPins ar;
  Axi4ReadPins r;
};

/// The widths of an interface.
struct Axi4Shape {
  unsigned data_bytes = 32;  ///< bytes of the data bus; a power of two, 1 to 128
  unsigned id_bits = 4;      ///< 0 to 32; 0: the only ID is 0
  unsigned addr_bits = 48;   ///< 1 to 64

  /// Largest ID.
  std::uint32_t max_id() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << id_bits) - 1);
  }
  /// Largest address.
  std::uint64_t max_address() const { return ~std::uint64_t{0} >> (64 - addr_bits); }
  /// log2(data_bytes).
  std::uint8_t max_size() const { return static_cast<std::uint8_t>(__builtin_ctz(data_bytes)); }
  std::vector<std::string> validate() const {
    std::vector<std::string> errors;
    if (data_bytes == 0 || data_bytes > kAxi4MaxDataBytes || (data_bytes & (data_bytes - 1)) != 0) {
      errors.emplace_back("data_bytes: must be a power of two, 1 to 128");
    }
    if (id_bits > 32) errors.emplace_back("id_bits: must be 0 to 32");
    if (addr_bits == 0 || addr_bits > 64) errors.emplace_back("addr_bits: must be 1 to 64");
    return errors;
  }
};

}  // namespace tessera
