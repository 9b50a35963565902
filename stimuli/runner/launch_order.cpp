// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/launch_order.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/suggest.h"

namespace tessera::kernels {

namespace {

/// A launch, and the loops around it.
struct Placed {
  const LaunchSpec* launch = nullptr;
  std::vector<const void*> loops;
};

class Order {
 public:
  explicit Order(const Manifest& m) : m_(m) { place(m.steps); }

  void check() const {
    for (const Placed& p : all_) {
      for (const LaunchRef& ref : p.launch->after) check(p, ref);
    }
  }

 private:
  void place(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (const auto* launch = std::get_if<LaunchSpec>(&step.what)) {
        all_.push_back({launch, loops_});
        if (launch->repeat) all_.back().loops.push_back(launch);
      }
      if (const auto* repeat = std::get_if<RepeatSpec>(&step.what)) place_loop(*repeat);
      if (const auto* until = std::get_if<UntilSpec>(&step.what)) place_loop(*until);
    }
  }
  template <class Loop>
  void place_loop(const Loop& loop) {
    loops_.push_back(&loop);
    place(loop.steps);
    loops_.pop_back();
  }

  const Placed* find(const std::string& name) const {
    const auto at = std::find_if(all_.begin(), all_.end(),
                                 [&](const Placed& p) { return p.launch->name == name; });
    return at == all_.end() ? nullptr : &*at;
  }

  void check(const Placed& p, const LaunchRef& ref) const {
    const Placed* const other = find(ref.name);
    if (other == nullptr) {
      std::vector<std::string> known;
      for (const Placed& one : all_) {
        if (!one.launch->name.empty()) known.push_back(one.launch->name);
      }
      m_.fail(ref.pointer, "unknown launch \"" + ref.name + "\"" + did_you_mean(ref.name, known) +
                               (known.empty() ? "; no launch has a \"name\"" : ""));
    }
    if (other < &p || in_one_loop(p, *other)) return;
    if (other == &p) m_.fail(ref.pointer, "\"" + ref.name + "\" waits for itself");
    const std::string me = p.launch->name.empty() ? "this launch" : "\"" + p.launch->name + "\"";
    std::set<const Placed*> seen;
    const std::string chain = path(*other, p, seen);
    if (!chain.empty()) {
      m_.fail(ref.pointer, "launches wait for each other: " + me + " for " + chain);
    }
    m_.fail(ref.pointer, me + " waits for \"" + ref.name +
                             "\", which is launched after it and is in no loop with it");
  }

  static bool in_one_loop(const Placed& a, const Placed& b) {
    return !a.loops.empty() && !b.loops.empty() && a.loops.front() == b.loops.front();
  }

  /// "b", "b" for "c", ...: the launches by which `from` waits for `to`; empty if it does not.
  std::string path(const Placed& from, const Placed& to, std::set<const Placed*>& seen) const {
    if (!seen.insert(&from).second) return "";
    for (const LaunchRef& ref : from.launch->after) {
      const Placed* const next = find(ref.name);
      if (next == nullptr) continue;
      const std::string me = "\"" + from.launch->name + "\" for ";
      if (next == &to) return me + "\"" + to.launch->name + "\"";
      const std::string rest = path(*next, to, seen);
      if (!rest.empty()) return me + rest;
    }
    return "";
  }

  const Manifest& m_;
  std::vector<Placed> all_;  ///< in the order of the text
  std::vector<const void*> loops_;
};

}  // namespace

void check_launch_order(const Manifest& manifest) { Order(manifest).check(); }

}  // namespace tessera::kernels
