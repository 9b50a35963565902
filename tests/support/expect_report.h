// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <systemc>

namespace tessera::test {

/// Expects `times` SystemC warnings or errors with this id while it lives; any other number fails
/// the test.
///
///   ExpectReport guard("/tessera/core/protocol", 1);
///   sc_core::sc_start(...);
///
/// An expected warning or error is swallowed: an error does not throw, so that the simulation goes
/// on. Outside such a guard a warning fails the test, and SC_ERROR throws sc_report (so that
/// CHECK_THROWS works). SC_FATAL, also that of a failed sc_assert, always throws.
class ExpectReport {
 public:
  explicit ExpectReport(std::string id, std::size_t times = 1);
  ~ExpectReport();
  ExpectReport(const ExpectReport&) = delete;
  ExpectReport& operator=(const ExpectReport&) = delete;

  std::size_t seen() const { return seen_; }
  /// Text of the last report taken.
  const std::string& message() const { return message_; }

 private:
  friend bool take_expected_report(const std::string& id, const std::string& message);

  std::string id_;
  std::size_t times_;
  std::size_t seen_ = 0;
  std::string message_;
};

/// Whether sc_assert is compiled in (it is not in release builds).
#if defined(NDEBUG) && !defined(SC_ENABLE_ASSERTIONS)
inline constexpr bool kAssertions = false;
#else
inline constexpr bool kAssertions = true;
#endif

/// CHECKs that `action` fails an sc_assert; does nothing where these are compiled out.
template <class F>
void check_asserts(F action) {
  if (kAssertions) CHECK_THROWS_AS(action(), sc_core::sc_report);
}

}  // namespace tessera::test
