// SPDX-License-Identifier: Apache-2.0
#include "python/policies.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"
#include "policies/cta_scheduler.h"
#include "policies/page_placement.h"

namespace py = pybind11;

namespace tessera::python {

using nlohmann::ordered_json;

namespace {

using Classes = std::map<std::string, py::object>;

/// Registered classes of a family by name. Never destroyed, because the interpreter ends first.
template <class Family>
Classes& classes() {
  static auto* const all = new Classes;
  return *all;
}

/// "ValueError: text (file.py:12)", of the innermost line.
std::string text_of(const py::error_already_set& e) {
  std::string text = py::str(e.type().attr("__name__")).cast<std::string>() + ": " +
                     py::str(e.value()).cast<std::string>();
  py::object trace = e.trace();
  if (!trace || trace.is_none()) return text;
  while (!trace.attr("tb_next").is_none()) trace = trace.attr("tb_next");
  return text + " (" +
         trace.attr("tb_frame").attr("f_code").attr("co_filename").cast<std::string>() + ":" +
         py::str(trace.attr("tb_lineno")).cast<std::string>() + ")";
}

/// An instance of a registered class, and calls of its methods.
class Instance {
 public:
  /// Throws InputError with the exception's text if the class cannot be constructed.
  Instance(std::string what, const py::object& type, const PolicyContext& context)
      : what_(std::move(what)) {
    const py::gil_scoped_acquire lock;
    try {
      object_ = type(context);
    } catch (const py::error_already_set& e) {
      throw InputError(what_ + ": " + text_of(e));
    }
  }
  ~Instance() {
    const py::gil_scoped_acquire lock;
    object_ = py::object();
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  py::object method(const char* name) const {
    const py::gil_scoped_acquire lock;
    return object_.attr(name);
  }

  /// Calls a method. An exception, or a result of another type, ends the run with its text.
  template <class Result, class... Arguments>
  Result call(const py::object& method, Arguments&&... arguments) const {
    const py::gil_scoped_acquire lock;
    try {
      const py::object result = method(std::forward<Arguments>(arguments)...);
      if constexpr (!std::is_void_v<Result>) return converted<Result>(method, result);
    } catch (const py::error_already_set& e) {
      fail(what_ + ": " + text_of(e));
    }
  }

 private:
  template <class Result>
  Result converted(const py::object& method, const py::object& result) const {
    try {
      return result.cast<Result>();
    } catch (const py::cast_error&) {
      fail(what_ + ": " + method.attr("__name__").cast<std::string>() + "() returned " +
           py::repr(result).cast<std::string>());
    }
  }
  /// By a report, because SystemC passes no other exception through a process as it is.
  [[noreturn]] static void fail(const std::string& text) {
    SC_REPORT_ERROR("/tessera/python/policy", text.c_str());
    throw RunError(text);  // if a handler ignores errors
  }

  std::string what_;  ///< "page_placement policy 'mine'"
  py::object object_;
};

/// PlacementView for Python: valid during one call.
class View {
 public:
  void show(const PlacementView* view) { view_ = view; }
  std::vector<std::uint64_t> pages_per_channel() const { return view().pages_per_channel; }
  std::size_t channels() const { return view().pages_per_channel.size(); }
  std::uint64_t pages(std::size_t channel) const {
    if (channel >= channels()) throw py::index_error("there is no channel of this number");
    return view().pages_per_channel[channel];
  }
  std::uint32_t least_used_channel() const { return tessera::least_used_channel(view()).value; }
  double balance() const { return normalised_page_balance(view().pages_per_channel); }

 private:
  const PlacementView& view() const {
    if (view_ == nullptr) throw std::runtime_error("a view is valid during one call of place()");
    return *view_;
  }

  const PlacementView* view_ = nullptr;
};

class PythonPlacement final : public PagePlacement {
 public:
  PythonPlacement(const std::string& what, const py::object& type, const PolicyContext& context)
      : instance_(what, type, context), place_(instance_.method("place")) {
    const py::gil_scoped_acquire lock;
    python_view_ = py::cast(&view_, py::return_value_policy::take_ownership);
  }
  ~PythonPlacement() override {
    const py::gil_scoped_acquire lock;
    // The object can outlive the policy, in a list of the user's.
    view_.show(nullptr);
    place_ = py::object();
    python_view_ = py::object();
  }

  ChannelId place(const PlacementRequest& request, const PlacementView& view) override {
    view_.show(&view);
    const auto channel = instance_.call<std::uint32_t>(place_, request, python_view_);
    view_.show(nullptr);
    return ChannelId(channel);
  }

 private:
  Instance instance_;
  py::object place_;
  View& view_ = *new View;  // owned by python_view_
  py::object python_view_;
};

class PythonCtaScheduler final : public CtaScheduler {
 public:
  PythonCtaScheduler(const std::string& what, const py::object& type, const PolicyContext& context)
      : instance_(what, type, context),
        begin_(instance_.method("begin")),
        begin_round_(instance_.method("begin_round")),
        next_(instance_.method("next")),
        has_more_(instance_.method("has_more")) {}
  ~PythonCtaScheduler() override {
    const py::gil_scoped_acquire lock;
    begin_ = begin_round_ = next_ = has_more_ = py::object();
  }

  void begin(const CtaGrid& grid, unsigned sm_count) override {
    instance_.call<void>(begin_, grid, sm_count);
  }
  void begin_round() override { instance_.call<void>(begin_round_); }
  std::optional<CtaId> next(SmId sm) override {
    const auto cta = instance_.call<std::optional<std::uint32_t>>(next_, sm.value);
    return cta ? std::optional(CtaId(*cta)) : std::nullopt;
  }
  bool has_more(SmId sm) const override { return instance_.call<bool>(has_more_, sm.value); }

 private:
  Instance instance_;
  py::object begin_;
  py::object begin_round_;
  py::object next_;
  py::object has_more_;
};

/// Registers a class. A second one of the same name takes the place of the first, so that a cell of
/// a notebook can be executed again.
template <class Family, class Made>
void add(const std::string& name, const py::object& type, const std::string& description) {
  const std::string what = std::string(Family::kFamily) + " " + Family::kNoun + " '" + name + "'";
  if (name.empty() || name.find('.') != std::string::npos) {
    throw InputError(what + ": a name has no dots and is not empty");
  }
  auto& registry = PolicyRegistry<Family>::instance();
  const bool again = classes<Family>().count(name) != 0;
  if (!again && registry.has(name)) {
    throw InputError(what + " exists already: register yours under another name");
  }
  classes<Family>()[name] = type;
  if (again) return;
  registry.add(name, {description, nullptr, [what, name](const auto& context, const auto*) {
                        return std::make_unique<Made>(what, classes<Family>().at(name), context);
                      }});
}

constexpr std::uint64_t kMeasuredCalls = 200'000;

double calls_per_second(std::uint64_t calls, std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(calls) / std::max(passed.count(), 1e-9);
}

double measure_placement(PagePlacement& policy) {
  std::vector<std::uint64_t> pages(PagePlacement::example_context().tree.channels);
  const PlacementView view{pages};
  PlacementRequest request;
  request.allocation_pages = kMeasuredCalls;
  const auto begin = std::chrono::steady_clock::now();
  for (; request.virtual_page < kMeasuredCalls; ++request.virtual_page) {
    request.local_channel = ChannelId(request.virtual_page * 7 % pages.size());
    ++pages[policy.place(request, view).value % pages.size()];
  }
  return calls_per_second(kMeasuredCalls, begin);
}

double measure_scheduling(CtaScheduler& policy) {
  const std::uint32_t sms = CtaScheduler::example_context().tree.sms;
  policy.begin({kMeasuredCalls / 2, 1, 1}, sms);
  std::uint64_t calls = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (bool more = true; more && calls < kMeasuredCalls;) {
    more = false;
    for (std::uint32_t sm = 0; sm < sms; ++sm, calls += 2) {
      if (policy.next(SmId(sm)) && policy.has_more(SmId(sm))) more = true;
    }
  }
  return calls_per_second(calls, begin);
}

/// Of a policy in Python or C++, in the system of example_context().
double calls_per_second_of(const std::string& family, const std::string& name) {
  if (family == PagePlacement::kFamily) {
    return measure_placement(*make_policy<PagePlacement>(name));
  }
  if (family == CtaScheduler::kFamily) {
    return measure_scheduling(*make_policy<CtaScheduler>(name));
  }
  const std::vector<std::string> known = {PagePlacement::kFamily, CtaScheduler::kFamily};
  throw InputError("'" + family + "' is not one of " + joined(known) + did_you_mean(family, known));
}

bool names_one(const ordered_json& value) {
  if (value.is_string()) {
    const auto& name = value.get_ref<const std::string&>();
    return classes<PagePlacement>().count(name) != 0 || classes<CtaScheduler>().count(name) != 0;
  }
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(), names_one);
}

}  // namespace

bool uses_python_policy(const ResolvedConfig& config) { return names_one(config.to_json()); }

void bind_policies(py::module_& module) {
  py::class_<PolicyContext>(module, "System", "The system for which a policy decides.")
      .def_property_readonly("gpus", [](const PolicyContext& c) { return c.tree.gpus; })
      .def_property_readonly("modules", [](const PolicyContext& c) { return c.tree.modules; })
      .def_property_readonly("partitions", [](const PolicyContext& c) { return c.tree.partitions; })
      .def_property_readonly("channels", [](const PolicyContext& c) { return c.tree.channels; })
      .def_property_readonly("sms", [](const PolicyContext& c) { return c.tree.sms; })
      .def_property_readonly("page_bytes",
                             [](const PolicyContext& c) { return c.memory.page_bytes; })
      .def_property_readonly("channel_bytes",
                             [](const PolicyContext& c) { return c.memory.channel_bytes; });
  py::class_<PlacementRequest>(module, "PlacementRequest", "A page that needs a placement.")
      .def_readonly("virtual_page", &PlacementRequest::virtual_page)
      .def_property_readonly("sm",
                             [](const PlacementRequest& r) {
                               return r.toucher.is_sm() ? std::optional(r.toucher.index())
                                                        : std::nullopt;
                             })
      .def_property_readonly("local_channel",
                             [](const PlacementRequest& r) { return r.local_channel.value; })
      .def_readonly("allocation_first_page", &PlacementRequest::allocation_first_page)
      .def_readonly("allocation_pages", &PlacementRequest::allocation_pages);
  py::class_<View>(module, "PlacementView", "The placement so far; valid during one call.")
      .def_property_readonly("pages_per_channel", &View::pages_per_channel)
      .def_property_readonly("channels", &View::channels)
      .def("pages", &View::pages)
      .def("least_used_channel", &View::least_used_channel)
      .def("balance", &View::balance);
  py::class_<CtaGrid>(module, "CtaGrid", "Shape of a launch.")
      .def_readonly("x", &CtaGrid::x)
      .def_readonly("y", &CtaGrid::y)
      .def_readonly("z", &CtaGrid::z)
      .def_property_readonly("count", &CtaGrid::count);
  module.def("register_page_placement", add<PagePlacement, PythonPlacement>);
  module.def("calls_per_second", calls_per_second_of);
  module.def("register_cta_scheduler", add<CtaScheduler, PythonCtaScheduler>);
}

}  // namespace tessera::python
