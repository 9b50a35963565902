// SPDX-License-Identifier: Apache-2.0
#include "studies/claim_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/json.h"
#include "studies/effect.h"

namespace tessera::studies {
namespace {

std::vector<Quantity> quantities(const JsonNode& n) {
  std::vector<Quantity> out;
  for (const auto& [key, value] : n.members()) out.push_back({key, value.number()});
  return out;
}

std::vector<Quantity> sweep(const JsonNode& n) {
  std::vector<Quantity> out;
  for (const JsonNode& point : n.elements()) {
    point.object({"x", "value"});
    const JsonNode x = point.required("x");
    Quantity q;
    q.key = x.value().is_number() ? x.value().dump() : x.string();
    const auto value = point.member("value");
    if (value && !value->value().is_null()) q.published = value->number();
    out.push_back(std::move(q));
  }
  return out;
}

/// Reads the kind of a claim's numbers and, for a ratio, the floor of its effect.
void read_kind(const JsonNode& n, Claim& c) {
  if (const auto m = n.member("value_kind")) {
    c.value_kind = m->one_of({"ratio", "fraction", "fraction-loss", "count", "cycles", "s", "bytes",
                              "MB", "pages", "bits", "mm2", "ns", "GB/s"});
  }
  const auto floor = n.member("effect_floor");
  if (!c.is_ratio()) {
    if (floor) floor->fail("only a ratio has an effect: \"value_kind\" must be \"ratio\"");
    if (c.minimum_check && c.minimum_check->name == "ratio") {
      n.required("minimum_check").fail("a ratio needs \"value_kind\": \"ratio\"");
    }
    return;
  }
  bool positive = !c.value || *c.value > 0;
  for (const auto* list : {&c.per_workload, &c.sweep}) {
    for (const Quantity& q : *list) positive = positive && (!q.published || *q.published > 0);
  }
  if (!positive) n.fail("a ratio must be above 0");
  if (c.value && has_effect(*c.value)) c.effect_floor = effect_floor_of(*c.value);
  if (!floor) return;
  if (!c.effect_floor) floor->fail("only a value more than 3 % away from 1 has an effect");
  c.effect_floor = floor->number();
  const double share = effect_of(*c.value, *c.effect_floor).value_or(0);
  if (!(share > 0 && share <= 1)) floor->expected("a ratio between 1 and the value");
}

}  // namespace

Selection read_selection(const JsonNode& n, const Vocabulary& vocabulary) {
  const auto one = [&vocabulary](const JsonNode& name) {
    try {
      return vocabulary.select(name.string());
    } catch (const InputError& e) {
      name.fail(e.what());
    }
  };
  if (!n.value().is_array()) return one(n);
  Selection out;
  for (const JsonNode& name : n.elements()) {
    for (const std::size_t w : one(name)) out.push_back(w);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.empty()) n.expected("at least one workload");
  return out;
}

Claim read_claim(const JsonNode& n, const Vocabulary& vocabulary) {
  n.object({"id", "where", "what", "scope", "value", "half", "value_kind", "accept_range",
            "effect_floor", "tolerance", "minimum_check", "direction", "per_workload", "sweep",
            "workloads"});
  Claim c;
  c.id = n.required("id").string();
  if (const auto m = n.member("where")) c.where = m->string();
  if (const auto m = n.member("what")) c.what = m->string();
  if (const auto m = n.member("scope")) {
    c.scope = m->one_of(
        {"sim", "needs-power-model", "analytic", "parameter", "hardware", "not-modelled"});
  }
  if (const auto m = n.member("value")) c.value = m->number();
  if (const auto m = n.member("half")) {
    c.half = m->one_of({"fitted", "test"});
    if (!c.value || !(*c.value > 0)) m->fail("\"half\" needs a \"value\" above 0");
  }
  if (const auto m = n.member("tolerance")) {
    c.tolerance = m->number();
    if (!(*c.tolerance >= 0)) m->expected("a number from 0");
  }
  if (const auto m = n.member("accept_range")) {
    const auto both = m->elements();
    const auto high = [](const JsonNode& end) {
      return end.value().is_null() ? std::numeric_limits<double>::infinity() : end.number();
    };
    if (both.size() != 2 || !(both[0].number() <= high(both[1]))) {
      m->expected("[low, high] with low <= high; high can be null: no limit");
    }
    c.accept_range.emplace(both[0].number(), high(both[1]));
  }
  if (const auto m = n.member("minimum_check")) {
    c.minimum_check_text = m->string();
    try {
      c.minimum_check = parse_bound(c.minimum_check_text);
    } catch (const InputError& e) {
      m->fail(e.what());
    }
  }
  if (const auto m = n.member("direction")) {
    for (const JsonNode& d : m->elements()) c.direction.push_back(d.string());
  }
  if (const auto m = n.member("per_workload")) c.per_workload = quantities(*m);
  if (const auto m = n.member("sweep")) c.sweep = sweep(*m);
  c.workloads = read_selection(n.required("workloads"), vocabulary);
  if (c.value.has_value() != c.accept_range.has_value()) {
    n.fail("\"value\" and \"accept_range\" come together");
  }
  const bool numbers = !c.per_workload.empty() ||
                       std::any_of(c.sweep.begin(), c.sweep.end(),
                                   [](const Quantity& q) { return q.published.has_value(); });
  if (numbers && !c.tolerance) n.fail("numbers need a \"tolerance\"");
  read_kind(n, c);
  return c;
}

}  // namespace tessera::studies
