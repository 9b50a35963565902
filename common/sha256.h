// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// Incremental SHA-256 (FIPS 180-4), used for the keys of results.
class Sha256 {
 public:
  void update(std::string_view bytes);
  /// 64 hexadecimal digits. To be called once, after the last update.
  std::string hex();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> buffer_{};
  std::uint64_t bytes_ = 0;
};

std::string sha256(std::string_view bytes);
/// SHA-256 of a file's contents. Throws InputError if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace tessera
