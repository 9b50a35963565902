// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies by name. The source file of a policy registers it:
//
//   struct LabParameters { double threshold = 0.9; };
//   void describe(ParameterVisitor& v, LabParameters& p) { v.real("threshold", p.threshold, ...); }
//   std::unique_ptr<PagePlacement> make(const PolicyContext& c, const LabParameters& p) { ... }
//   const PolicyRegistration<PagePlacement> kRegistered("lab", "what it does", make);
//
// A policy without parameters has a factory with one argument.
//
// Roles of LLC slices and L1s are registered in the same way. Their family is the block that the
// factory creates (LlcSlice, L1Cache).

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/parameter_visitor.h"
#include "common/suggest.h"
#include "policies/policy.h"

namespace tessera {

/// Values of one policy's own parameters, of any type.
class PolicyParameters {
 public:
  virtual ~PolicyParameters() = default;
  virtual std::unique_ptr<PolicyParameters> clone() const = 0;
  virtual void visit(ParameterVisitor& v) = 0;
};

/// `Values`: a plain struct with describe(ParameterVisitor&, Values&) in its namespace.
template <class Values>
class PolicyParametersOf final : public PolicyParameters {
 public:
  std::unique_ptr<PolicyParameters> clone() const override {
    return std::make_unique<PolicyParametersOf>(*this);
  }
  void visit(ParameterVisitor& v) override { describe(v, values); }

  Values values;
};

/// All policies of one family: a class with kFamily, kNoun and Context (policies/policy.h).
template <class Family>
class PolicyRegistry {
 public:
  using Context = typename Family::Context;

  struct Entry {
    std::string description;  ///< one line
    /// Creates the default values of its parameters; empty if it has no parameters.
    std::function<std::unique_ptr<PolicyParameters>()> parameters;
    /// `parameters`: created by `parameters()`, or nullptr.
    std::function<std::unique_ptr<Family>(const Context&, const PolicyParameters* parameters)> make;
  };

  static PolicyRegistry& instance() {
    static PolicyRegistry all;
    return all;
  }

  /// Registrations run before main(), where an error message cannot reach the user. If two policies
  /// have the same name, the first one stays and every later lookup fails.
  void add(const std::string& name, Entry entry) {
    if (name.empty() || name.find('.') != std::string::npos) {
      fault_ = what() + " must have a name without dots, not '" + name + "'";
    } else if (!entries_.emplace(name, std::move(entry)).second) {
      fault_ = what() + " named '" + name + "' exists already: register yours under another name";
    }
  }

  /// Throws InputError with the nearest name if no policy has this name, or if a registration had
  /// an error.
  const Entry& get(const std::string& name) const {
    const auto it = entries().find(name);
    if (it != entries_.end()) return it->second;
    std::string list;
    for (const std::string& n : names()) list += (list.empty() ? "" : ", ") + n;
    throw InputError("unknown " + what() + " '" + name + "' (known: " + list + ")" +
                     did_you_mean(name, names()));
  }

  bool has(const std::string& name) const { return entries().count(name) != 0; }

  const std::map<std::string, Entry>& entries() const {
    if (!fault_.empty()) throw InputError(fault_);
    return entries_;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, entry] : entries()) all.push_back(name);
    return all;
  }

 private:
  static std::string what() { return std::string(Family::kFamily) + " " + Family::kNoun; }

  std::map<std::string, Entry> entries_;
  std::string fault_;
};

/// Registers a policy of a family when its program (or plugin) is loaded.
template <class Family>
class PolicyRegistration {
 public:
  using Made = std::unique_ptr<Family>;
  using Context = typename Family::Context;

  /// `make` can throw InputError for a context that the policy does not support.
  PolicyRegistration(const std::string& name, const std::string& description,
                     Made (*make)(const Context&)) {
    PolicyRegistry<Family>::instance().add(
        name, {description, nullptr,
               [make](const Context& context, const PolicyParameters*) { return make(context); }});
  }

  /// `make` can throw InputError for parameter values that describe() does not exclude.
  template <class Parameters>
  PolicyRegistration(const std::string& name, const std::string& description,
                     Made (*make)(const Context&, const Parameters&)) {
    using Held = PolicyParametersOf<Parameters>;
    PolicyRegistry<Family>::instance().add(
        name, {description, [] { return std::make_unique<Held>(); },
               [make](const Context& context, const PolicyParameters* parameters) {
                 return make(context, static_cast<const Held*>(parameters)->values);
               }});
  }
};

/// Parameters of all policies of one family: part of a configuration, copied with it. It includes
/// policies that are registered after its construction.
template <class F>
class PolicySettings {
 public:
  using Family = F;

  PolicySettings() = default;
  PolicySettings(const PolicySettings& other) { *this = other; }
  PolicySettings(PolicySettings&&) noexcept = default;
  PolicySettings& operator=(PolicySettings&&) noexcept = default;
  ~PolicySettings() = default;
  PolicySettings& operator=(const PolicySettings& other) {
    if (this == &other) return *this;
    values_.clear();
    for (const auto& [name, values] : other.values_) values_[name] = values->clone();
    return *this;
  }

  /// Visits one group for each policy that has parameters.
  void visit(ParameterVisitor& v) {
    for (const auto& [name, entry] : PolicyRegistry<Family>::instance().entries()) {
      if (!entry.parameters) continue;
      std::unique_ptr<PolicyParameters>& values = values_[name];
      if (!values) values = entry.parameters();
      v.enter(name, entry.description);
      values->visit(v);
      v.leave();
    }
  }

  /// Sets the parameters of one policy. Throws InputError for an unknown name, std::logic_error if
  /// the policy's parameters have another type.
  template <class Parameters>
  void set(const std::string& name, const Parameters& parameters) {
    const auto& entry = PolicyRegistry<Family>::instance().get(name);
    auto values = entry.parameters ? entry.parameters() : nullptr;
    auto* const typed = dynamic_cast<PolicyParametersOf<Parameters>*>(values.get());
    if (typed == nullptr) throw std::logic_error("policy '" + name + "' has other parameters");
    typed->values = parameters;
    values_[name] = std::move(values);
  }

  /// Creates the policy of this name, with its parameters. Returns nullptr if the name means
  /// "none". Throws InputError for an unknown name, and for values that the policy does not
  /// support.
  std::unique_ptr<Family> make(const std::string& name,
                               const typename Family::Context& context) const {
    const auto& entry = PolicyRegistry<Family>::instance().get(name);
    if (!entry.parameters) return entry.make(context, nullptr);
    const auto it = values_.find(name);
    return entry.make(context, it != values_.end() ? it->second.get() : entry.parameters().get());
  }

 private:
  std::map<std::string, std::unique_ptr<PolicyParameters>> values_;
};

/// All parameters of a family's policies, such as "lab.threshold".
template <class Family>
void describe(ParameterVisitor& v, PolicySettings<Family>& settings) {
  settings.visit(v);
}

template <class Family>
const char* family_of(const PolicySettings<Family>&) {
  return Family::kFamily;
}

template <class Family>
const PolicyRegistry<Family>& registry_of(const PolicySettings<Family>&) {
  return PolicyRegistry<Family>::instance();
}

/// A policy selected by name, with the parameters of its family.
template <class Family>
std::unique_ptr<Family> make_policy(
    const std::string& name, const typename Family::Context& context = Family::example_context(),
    const PolicySettings<Family>& settings = {}) {
  return settings.make(name, context);
}

template <class Family>
std::vector<std::string> policy_names() {
  return PolicyRegistry<Family>::instance().names();
}

}  // namespace tessera
