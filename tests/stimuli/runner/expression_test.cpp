// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/expression.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/error.h"

namespace tessera::expression_test {

namespace {

using tessera::kernels::evaluate;
using tessera::kernels::Sizes;

const Sizes kSizes = {{"n", 1000}, {"rows", 7}};

std::string error_of(const std::string& text) {
  try {
    return "no error: " + std::to_string(evaluate(text, kSizes));
  } catch (const InputError& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("expressions follow the usual precedence") {
  CHECK(evaluate("1 + 2 * 3", kSizes) == 7);
  CHECK(evaluate("(1 + 2) * 3", kSizes) == 9);
  CHECK(evaluate("10 - 4 - 3", kSizes) == 3);
  CHECK(evaluate("100 / 7 % 4", kSizes) == 2);
  CHECK(evaluate("-rows + 1", kSizes) == -6);
  CHECK(evaluate("2 * -3", kSizes) == -6);
  CHECK(evaluate("--2", kSizes) == 2);
  CHECK(evaluate("n*rows", kSizes) == 7000);
}

TEST_CASE("expressions have ceil_div, min and max") {
  CHECK(evaluate("ceil_div(n, 128)", kSizes) == 8);
  CHECK(evaluate("ceil_div(1024, 128)", kSizes) == 8);
  CHECK(evaluate("ceil_div(-7, 2)", kSizes) == -3);
  CHECK(evaluate("ceil_div(7, -2)", kSizes) == -3);
  CHECK(evaluate("ceil_div(-7, -2)", kSizes) == 4);
  CHECK(evaluate("min(n, rows + 1) + max(1, 2)", kSizes) == 10);
}

TEST_CASE("an unknown name in an expression brings the nearest known one") {
  CHECK(error_of("row * 2") == "in \"row * 2\": unknown name 'row'; did you mean 'rows'?");
  CHECK(error_of("cell_div(1, 2)") ==
        "in \"cell_div(1, 2)\": unknown function 'cell_div'; did you mean 'ceil_div'?");
}

TEST_CASE("expressions that cannot be computed are refused") {
  CHECK(error_of("n / (rows - 7)") == "in \"n / (rows - 7)\": division by zero");
  CHECK(error_of("n % 0") == "in \"n % 0\": division by zero");
  CHECK(error_of("ceil_div(1, 0)") == "in \"ceil_div(1, 0)\": division by zero");
  CHECK_THAT(error_of("9223372036854775807 + 1"), Catch::EndsWith(": overflow"));
  CHECK_THAT(error_of("n * 9223372036854775807"), Catch::EndsWith(": overflow"));
  CHECK_THAT(error_of("(-9223372036854775807 - 1) / -1"), Catch::EndsWith(": overflow"));
  CHECK(evaluate("(-9223372036854775807 - 1) % -1", kSizes) == 0);
  CHECK_THAT(error_of("99999999999999999999"), Catch::EndsWith("does not fit 64 bits"));
}

TEST_CASE("garbled expressions are refused with their column") {
  CHECK(error_of("") == "in \"\", column 1: expected a number, a name or '(', found the end");
  CHECK(error_of("1 +") == "in \"1 +\", column 4: expected a number, a name or '(', found the end");
  CHECK(error_of("1 2") == "in \"1 2\", column 3: expected an operator, found '2'");
  CHECK(error_of("(1") == "in \"(1\", column 3: expected ')', found the end");
  CHECK(error_of("min(1)") == "in \"min(1)\", column 6: expected ',', found ')'");
  CHECK(error_of("2 ^ 3") == "in \"2 ^ 3\", column 3: expected an operator, found '^'");
  CHECK_THAT(error_of(std::string(100000, '(')), Catch::EndsWith("nested too deeply"));
  CHECK_THAT(error_of(std::string(100000, '-')), Catch::EndsWith("nested too deeply"));
}

}  // namespace tessera::expression_test
