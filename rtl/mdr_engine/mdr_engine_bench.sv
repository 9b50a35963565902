// SPDX-License-Identifier: Apache-2.0
//
// Bench of mdr_engine and mdr_estimator, at the same time:
//   engine     Random traffic in segments that begin with a reset. A reference with LRU lists
//              counts the same accesses, computes both estimates with 64-bit integers and the cycle
//              of each decision. All outputs are compared in each cycle.
//   estimator  10 000 random epochs: counts of up to 20 000 accesses, bandwidths from 16 to 8192
//              bytes a cycle. Compared with the integers, and with the equations of
//              policies/mdr_model.h in double precision, which gives the largest error.
module mdr_engine_bench;

  `include "bench_random.svh"

  localparam int unsigned Ways = 16;
  localparam int unsigned Evaluation = 116;
  localparam int unsigned EngineCycles = 120_000;
  localparam int unsigned Epochs = 10_000;
  localparam int unsigned EstimatorCycles = 87;
  localparam real ErrorLimit = 4.0e-5;

  typedef longint unsigned wide_t;

  logic drive = 0;
  logic clk = 0;

  initial forever begin
    #1 drive = 1;
    #1 drive = 0;
    #1 clk = 1;
    #1 clk = 0;
  end

  // ---- The equations, in integers and in double precision

  /// NUBA section 5.1 in the formats of mdr_estimator. {no replication, full replication}
  class Estimate;
    static function wide_t smaller(input wide_t a, input wide_t b);
      return a < b ? a : b;
    endfunction

    static function wide_t fixed_no(input wide_t local_n, input wide_t own, input wide_t hits,
                                    input wide_t lookups, input wide_t llc, input wide_t memory,
                                    input wide_t noc);
      wide_t f;
      wide_t hit_part;
      wide_t local_bandwidth;
      wide_t remote;
      f = (local_n << 24) / own;
      hit_part = (((hits << 24) / lookups) * llc) >> 24;
      local_bandwidth = hit_part + smaller(llc - hit_part, memory);
      remote = smaller(noc, local_bandwidth);
      return remote + ((f * (local_bandwidth - remote)) >> 24);
    endfunction

    static function wide_t fixed_full(input wide_t local_n, input wide_t own, input wide_t hits,
                                      input wide_t lookups, input wide_t llc, input wide_t memory,
                                      input wide_t noc);
      wide_t f;
      wide_t hit_part;
      wide_t remote;
      f = (local_n << 24) / own;
      hit_part = (((hits << 24) / lookups) * llc) >> 24;
      remote = smaller(noc, memory);
      return hit_part + smaller(llc - hit_part, remote + ((f * (memory - remote)) >> 24));
    endfunction

    static function real least(input real a, input real b);
      return a < b ? a : b;
    endfunction

    static function real double_no(input real f, input real hit, input real llc, input real memory,
                                   input real noc);
      real local_bandwidth;
      local_bandwidth = hit * llc + least((1.0 - hit) * llc, memory);
      return f * local_bandwidth + (1.0 - f) * least(noc, local_bandwidth);
    endfunction

    static function real double_full(input real f, input real hit, input real llc,
                                     input real memory, input real noc);
      real both;
      both = f * memory + (1.0 - f) * least(noc, memory);
      return hit * llc + least((1.0 - hit) * llc, both);
    endfunction

    /// 16 to 8192 bytes a cycle, UQ16.16.
    static function bit [31:0] bandwidth();
      int unsigned k;
      k = 20 + Bench::below(9);
      return (32'd1 << k) + Bench::below(32'd1 << k);
    endfunction
  endclass

  // ---- Estimator

  logic estimator_rst_n = 0;
  logic start = 0;
  logic [23:0] local_count = 0;
  logic [23:0] own_count = 1;
  logic [23:0] hits_no_replication = 0;
  logic [23:0] lookups_no_replication = 1;
  logic [23:0] hits_full_replication = 0;
  logic [23:0] lookups_full_replication = 1;
  logic [31:0] llc = 0;
  logic [31:0] memory = 0;
  logic [31:0] noc = 0;
  logic [31:0] no_replication;
  logic [31:0] full_replication;

  mdr_estimator estimator (
      .clk, .rst_n(estimator_rst_n), .start, .local_count, .own_count, .hits_no_replication,
      .lookups_no_replication, .hits_full_replication, .lookups_full_replication, .raw_llc(llc),
      .raw_memory(memory), .raw_noc(noc), .no_replication, .full_replication
  );

  int unsigned estimated = 0;
  int unsigned phase = 0;  // cycles since the start; edge of the start: 0
  real largest_error = 0.0;
  int unsigned other_decisions = 0;  // than in double precision
  real largest_gap = 0.0;            // of the estimates, relative, in such an epoch

  function automatic bit [23:0] part_of(input bit [23:0] whole);
    if (Bench::chance(5)) return whole;
    if (Bench::chance(5)) return 0;
    return 24'(Bench::below(32'(whole) + 1));
  endfunction

  always @(posedge drive) begin
    estimator_rst_n = Bench::cycle > 2;
    start = estimator_rst_n && phase == 0 && estimated < Epochs;
    if (start) begin
      own_count = 24'(1 + Bench::below(20_000));
      lookups_no_replication = 24'(1 + Bench::below(20_000));
      lookups_full_replication = 24'(1 + Bench::below(20_000));
      local_count = part_of(own_count);
      hits_no_replication = part_of(lookups_no_replication);
      hits_full_replication = part_of(lookups_full_replication);
      llc = Estimate::bandwidth();
      memory = Estimate::bandwidth();
      noc = Estimate::bandwidth();
    end
  end

  function automatic void check_error(input bit [31:0] fixed, input real exact);
    real error;
    error = (real'(fixed) - exact) / exact;
    if (error < 0.0) error = -error;
    if (error > largest_error) largest_error = error;
    if (error > ErrorLimit) Bench::fail($sformatf("error of an estimate: %g", error));
  endfunction

  function automatic void check_estimates();
    real f;
    real no;
    real full;
    real gap;
    wide_t fixed;
    fixed = Estimate::fixed_no(64'(local_count), 64'(own_count), 64'(hits_no_replication),
                               64'(lookups_no_replication), 64'(llc), 64'(memory), 64'(noc));
    if (64'(no_replication) != fixed) Bench::fail("estimator: without replication");
    fixed = Estimate::fixed_full(64'(local_count), 64'(own_count), 64'(hits_full_replication),
                                 64'(lookups_full_replication), 64'(llc), 64'(memory), 64'(noc));
    if (64'(full_replication) != fixed) Bench::fail("estimator: full replication");
    f = real'(local_count) / real'(own_count);
    no = Estimate::double_no(f, real'(hits_no_replication) / real'(lookups_no_replication),
                             real'(llc), real'(memory), real'(noc));
    full = Estimate::double_full(f, real'(hits_full_replication) / real'(lookups_full_replication),
                                 real'(llc), real'(memory), real'(noc));
    check_error(no_replication, no);
    check_error(full_replication, full);
    if ((full > no) != (full_replication > no_replication)) begin
      gap = full > no ? (full - no) / no : (no - full) / no;
      ++other_decisions;
      if (gap > largest_gap) largest_gap = gap;
    end
  endfunction

  always @(posedge clk) begin
    if (estimator_rst_n && estimated < Epochs) begin
      // Edge t + 88 is the first that sees both estimates.
      if (phase == EstimatorCycles + 1) begin
        check_estimates();
        ++estimated;
        phase = 0;
      end else begin
        ++phase;
      end
    end
  end

  // ---- Engine

  logic engine_on = 1;
  logic engine_clk;
  logic rst_n = 0;
  logic [23:0] epoch_cycles = 200;
  logic [31:0] raw_llc = 0;
  logic [31:0] raw_memory = 0;
  logic [31:0] raw_noc = 0;
  logic keeps_arriving = 0;
  logic access_valid = 0;
  logic access_sampled = 0;
  logic [2:0] access_slot = 0;
  logic [32:0] access_line = 0;
  logic [1:0] access_origin = 0;
  logic access_read_only = 0;
  logic flush = 0;
  logic replicate;
  logic [31:0] estimate_no_replication;
  logic [31:0] estimate_full_replication;
  logic [31:0] epochs;
  logic [31:0] epochs_undecided;

  assign engine_clk = clk && engine_on;

  mdr_engine #(.WAYS(Ways), .EVALUATION_CYCLES(Evaluation)) dut (.clk(engine_clk), .*);

  // Reference: lists of tags, the most recently used first.
  bit [23:0] tags_no[8][$];
  bit [23:0] tags_full[8][$];
  int unsigned engine_cycle = 0;  // since the reset
  int unsigned segment_end = 0;
  int unsigned expected_arrivals = 0;
  int unsigned count_any = 0;
  wide_t count_local = 0;
  wide_t count_own = 0;
  wide_t lookups_no = 0;
  wide_t hits_no = 0;
  wide_t lookups_full = 0;
  wide_t hits_full = 0;
  bit reference_replicate = 0;
  int unsigned decides_at = 0;
  bit [31:0] decided_no = 0;
  bit [31:0] decided_full = 0;
  bit [31:0] reference_no = 0;
  bit [31:0] reference_full = 0;
  int unsigned reference_epochs = 0;
  int unsigned reference_undecided = 0;

  int unsigned segments = 0;
  int unsigned all_epochs = 0;
  int unsigned all_undecided = 0;
  int unsigned decisions = 0;
  int unsigned switches = 0;
  int unsigned ties = 0;
  int unsigned false_hits = 0;
  int unsigned accesses = 0;

  // Traffic: percentages
  int unsigned load = 50;
  int unsigned locals = 30;
  int unsigned leavings = 30;
  int unsigned read_onlys = 50;
  int unsigned footprint = 20;

  always @(posedge drive) begin
    engine_on = Bench::cycle < EngineCycles;
    if (engine_on) begin
      if (engine_cycle == segment_end) begin
        rst_n = 0;
        epoch_cycles = 24'(Evaluation + 1 + Bench::below(300));
        keeps_arriving = Bench::chance(70);
        raw_llc = Estimate::bandwidth();
        raw_memory = raw_llc >> Bench::below(4);
        raw_noc = raw_llc >> Bench::below(6);
      end else begin
        rst_n = 1;
      end
      if (engine_cycle % 150 == 0) begin
        load = Bench::chance(15) ? 0 : 1 + Bench::below(100);
        locals = Bench::chance(15) ? 100 : Bench::below(101);
        leavings = Bench::below(101 - locals);
        if (Bench::chance(15)) leavings = 100 - locals;
        if (Bench::chance(10)) begin  // arriving accesses alone leave Frac_local undefined
          locals = 0;
          leavings = 0;
        end
        read_onlys = Bench::chance(30) ? 100 : Bench::below(101);
        footprint = Bench::chance(30) ? 150 : 4 + Bench::below(36);
        // Replica misses of an epoch's end that no access of the epoch answers, and accesses of an
        // epoch's beginning that could answer them.
        if (Bench::chance(25)) begin
          locals = Bench::below(20);
          leavings = Bench::chance(50) ? 100 - locals : 0;
          read_onlys = 100;
          load = 100;
        end
      end
      access_valid = Bench::chance(load);
      access_sampled = Bench::chance(90);
      access_slot = 3'(Bench::below(8));
      // Lines that differ in bits 23, 24 and 32 only: bit 23 is in the tag, the others are not.
      access_line = {Bench::chance(10), 7'b0, Bench::chance(10), Bench::chance(30),
                     23'(Bench::below(footprint))};
      access_origin = Bench::chance(locals) ? 2'd0 : 2'd1;
      if (access_origin == 1 && locals < 100 && Bench::chance(leavings * 100 / (100 - locals))) begin
        access_origin = 2;
      end
      access_read_only = Bench::chance(read_onlys);
      flush = Bench::below(400) == 0;
    end
  end

  /// Looks up and updates a list; `full`: of full replication.
  function automatic bit look_up(input bit full, input bit [2:0] set, input bit [23:0] tag,
                                 input bit keep);
    bit hit;
    int unsigned found;
    int unsigned size;
    hit = 0;
    found = 0;
    size = full ? tags_full[set].size() : tags_no[set].size();
    for (int unsigned k = 0; k < size; ++k) begin
      if ((full ? tags_full[set][k] : tags_no[set][k]) == tag) begin
        hit = 1;
        found = k;
      end
    end
    if (full) begin
      if (hit) tags_full[set].delete(found);
      if (hit || keep) tags_full[set].push_front(tag);
      if (tags_full[set].size() > Ways) tags_full[set].delete(Ways);
    end else begin
      if (hit) tags_no[set].delete(found);
      if (hit || keep) tags_no[set].push_front(tag);
      if (tags_no[set].size() > Ways) tags_no[set].delete(Ways);
    end
    return hit;
  endfunction

  function automatic void start_counting();
    count_any = 0;
    count_local = 0;
    count_own = 0;
    lookups_no = 0;
    hits_no = 0;
    lookups_full = 0;
    hits_full = 0;
    expected_arrivals = 0;
  endfunction

  function automatic void forget_lines();
    for (int unsigned s = 0; s < 8; ++s) begin
      tags_no[3'(s)].delete();
      tags_full[3'(s)].delete();
    end
    expected_arrivals = 0;
  endfunction

  function automatic void end_epoch();
    if (count_any == 0) return;
    ++reference_epochs;
    ++all_epochs;
    if (count_own == 0 || lookups_no == 0 || lookups_full == 0) begin
      ++reference_undecided;
      ++all_undecided;
    end else begin
      decided_no = 32'(Estimate::fixed_no(count_local, count_own, hits_no, lookups_no, 64'(raw_llc),
                                          64'(raw_memory), 64'(raw_noc)));
      decided_full = 32'(Estimate::fixed_full(count_local, count_own, hits_full, lookups_full,
                                              64'(raw_llc), 64'(raw_memory), 64'(raw_noc)));
      decides_at = engine_cycle + Evaluation;
      ++decisions;
      if (decided_no == decided_full) ++ties;
    end
    start_counting();
  endfunction

  function automatic void observe();
    bit hit;
    bit counted;
    bit [23:0] tag;
    if (!access_valid || !access_sampled) return;
    ++accesses;
    count_any = 1;
    tag = access_line[23:0];
    if (access_line[32:24] != 0) ++false_hits;  // or a miss
    case (access_origin)
      0: begin
        ++count_local;
        ++count_own;
        ++lookups_no;
        ++lookups_full;
        hit = look_up(0, access_slot, tag, 1);
        if (hit) ++hits_no;
        hit = look_up(1, access_slot, tag, 1);
        if (hit) ++hits_full;
      end
      1: begin
        ++lookups_no;
        hit = look_up(0, access_slot, tag, keeps_arriving);
        if (hit) ++hits_no;
        counted = !access_read_only;
        if (counted || reference_replicate || expected_arrivals != 0) begin
          hit = look_up(1, access_slot, tag, keeps_arriving);
          if (counted) ++lookups_full;
          if (counted && hit) ++hits_full;
          if (!counted && !reference_replicate) --expected_arrivals;
        end
      end
      default: begin
        ++count_own;
        if (access_read_only) begin
          ++lookups_full;
          hit = look_up(1, access_slot, tag, 1);
          if (hit) ++hits_full;
          if (!hit && !reference_replicate) ++expected_arrivals;
          if (hit && reference_replicate) begin
            ++lookups_no;
            ++hits_no;
          end
        end
      end
    endcase
  endfunction

  function automatic void check_engine();
    if (replicate != reference_replicate) begin
      Bench::fail($sformatf("replicate is %0d in cycle %0d of the segment", replicate, engine_cycle));
    end
    if (estimate_no_replication != reference_no) begin
      Bench::fail($sformatf("estimate without replication is %0d instead of %0d",
                            estimate_no_replication, reference_no));
    end
    if (estimate_full_replication != reference_full) begin
      Bench::fail($sformatf("estimate of full replication is %0d instead of %0d",
                            estimate_full_replication, reference_full));
    end
    if (epochs != reference_epochs) begin
      Bench::fail($sformatf("epochs are %0d instead of %0d", epochs, reference_epochs));
    end
    if (epochs_undecided != reference_undecided) Bench::fail("undecided epochs");
  endfunction

  always @(posedge clk) begin
    if (engine_on) begin
      if (!rst_n) begin
        start_counting();
        forget_lines();
        engine_cycle = 0;
        segment_end = 1 + Bench::below(6000);
        decides_at = 0;
        reference_replicate = 0;
        reference_no = 0;
        reference_full = 0;
        reference_epochs = 0;
        reference_undecided = 0;
        ++segments;
      end else begin
        if (engine_cycle != 0 && engine_cycle == decides_at) begin
          if (reference_replicate != (decided_full > decided_no)) ++switches;
          reference_replicate = decided_full > decided_no;
          reference_no = decided_no;
          reference_full = decided_full;
        end
        check_engine();
        if (engine_cycle != 0 && engine_cycle % 32'(epoch_cycles) == 0) end_epoch();
        if (flush) forget_lines();
        observe();
        ++engine_cycle;
      end
    end
    ++Bench::cycle;
    if (!engine_on && estimated == Epochs) begin
      if (switches < 20 || ties < 5 || all_undecided < 3 || false_hits < 1000) begin
        Bench::fail($sformatf("poor traffic: %0d switches, %0d ties, %0d undecided", switches, ties,
                              all_undecided));
      end
      $display("PASS mdr_engine: %0d segments, %0d accesses, %0d epochs (%0d undecided), %0d decisions (%0d ties), %0d switches; %0d random epochs of the estimator, largest error %.3g, %0d decisions unlike double precision (largest gap %.3g)",
               segments, accesses, all_epochs, all_undecided, decisions, ties, switches, estimated,
               largest_error, other_decisions, largest_gap);
      $finish;
    end
    if (Bench::cycle > 2_000_000) Bench::fail("watchdog: the bench does not end");
  end

  initial Bench::seed_random();

endmodule
