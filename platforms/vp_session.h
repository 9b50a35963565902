// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "common/json_fwd.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "platforms/session_channel.h"
#include "platforms/vp_session_views.h"

namespace tessera {

/// Answers a session's requests in the thread of the simulation: inspects the machine, pauses the
/// run and continues it.
///
/// A request that comes while simulated time runs pauses SystemC after the present delta cycle, is
/// answered, and the run goes on: requests that change nothing do not change the run's results. A
/// core executes its quantum as one event, so that an answer comes after the quanta that have
/// begun, and that the cores of a paused run can be up to a quantum ahead of simulated time.
class VpSession {
 public:
  VpSession(SessionChannel& channel, VpSessionSite site);
  ~VpSession();
  VpSession(const VpSession&) = delete;
  VpSession& operator=(const VpSession&) = delete;

  /// Answers the requests that wait; while the run is paused, also those to come. To be called
  /// before simulated time begins, and whenever sc_start() has returned.
  void serve();
  /// The run has ended: the session does not pause SystemC any more. From any process.
  void end_run();
  /// After the run's end: answers requests until a client or an interrupt ends the session.
  void serve_ended();
  /// A client or an interrupt ends the run.
  bool ends() const;
  /// Host time of the pauses.
  std::chrono::duration<double> paused_time() const { return paused_time_; }

 private:
  /// Pauses SystemC when a request has come. Rung from any thread.
  class Bell final : public sc_core::sc_prim_channel {
   public:
    Bell() : sc_prim_channel("session_bell") {}
    void ring() { async_request_update(); }

    bool silent = false;

   private:
    void update() override {
      if (!silent) sc_core::sc_pause();
    }
  };
  /// The run pauses once: at a time, or when software has sent a text.
  struct Breakpoint {
    unsigned id = 0;  ///< 0: the end of a step
    Tick at = kNever;
    std::string text;
    std::uint64_t from = 0;  ///< offset of the UART's output from which `text` counts
  };
  struct Route;
  static constexpr std::size_t kMostOutput = std::size_t{1} << 20;  ///< bytes kept for clients
  static constexpr std::chrono::milliseconds kPoll{
      100};  ///< of interrupts, while the run is paused

  void answer_waiting();
  void handle(const SessionChannel::Call& call);
  nlohmann::ordered_json answer_to(const SessionRequest& request);
  nlohmann::ordered_json pause_by_request();
  nlohmann::ordered_json go_on();
  nlohmann::ordered_json quit();
  void begin_step(const SessionRequest& request, SessionChannel::Done done);
  nlohmann::ordered_json set_breakpoint(const SessionRequest& request);
  nlohmann::ordered_json send(const nlohmann::ordered_json& body);
  nlohmann::ordered_json output(const VpSessionViews::Query& query) const;
  nlohmann::ordered_json breakpoints() const;
  nlohmann::ordered_json state() const;
  void require_running() const;
  void pause(const std::string& why);
  void alarm();
  void schedule();
  void sent(char c);

  SessionChannel& channel_;
  const VpSessionSite site_;
  const VpSessionViews views_;
  Bell bell_;
  ProcessTimer alarm_;
  bool paused_ = false;
  bool ended_ = false;
  std::string why_;  ///< the run is paused
  std::string due_;  ///< why it pauses when the present delta cycle ends; empty: it does not
  std::optional<SessionChannel::Done> step_;
  std::vector<Breakpoint> breakpoints_;
  unsigned last_id_ = 0;
  std::string output_;              ///< the last bytes that software has sent
  std::uint64_t output_begin_ = 0;  ///< offset of its first byte
  std::chrono::duration<double> paused_time_{0};
};

}  // namespace tessera
