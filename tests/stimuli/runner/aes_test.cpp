// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>

#include "stimuli/kernels/aes/cipher.h"

namespace tessera::aes_test {

using namespace tessera::kernels;  // NOLINT(google-build-using-namespace)

TEST_CASE("the reference of aes encrypts FIPS 197's example") {
  // Appendix C.3: key 00 01 ... 1f, plain text 00 11 ... ff.
  aes::Key key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  aes::Block plain{};
  for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<std::uint8_t>(0x11 * i);
  const aes::Block cipher = {0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf,
                             0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89};
  CHECK(aes::encrypted(plain, aes::round_keys(key)) == cipher);
}

TEST_CASE("the table of aes holds FIPS 197's substitutes") {
  const auto table = aes::substitutes();
  CHECK(table[0x00] == 0x63);
  CHECK(table[0x01] == 0x7c);
  CHECK(table[0x53] == 0xed);  // the standard's example in 5.1.1
  CHECK(table[0xff] == 0x16);
}

}  // namespace tessera::aes_test
