// SPDX-License-Identifier: Apache-2.0
//
// The engine of model-driven replication (NUBA section 5.1): decides once an epoch whether
// read-only lines of other partitions are cached in the requester's slice. The same contract as
// modules/mdr/mdr_engine.h and set_sampler.h (docs/blocks/mdr.md has the sampler's rules), in
// fixed-point arithmetic and with the paper's 24-bit tags.
//
// Accesses: one a cycle, of the sampled slice and of its partition's SMs. access_sampled: the set
// is one of the sampled sets, access_slot says which. The tag is the low TAG_BITS bits of the
// line's number: lines that agree in them hit falsely. MDR's equations need no distance.
//
// Timing: an access belongs to the cycle of the edge that takes it. Epochs are cycles [n E,
// (n + 1) E), from the first edge without reset. Edge (n + 1) E copies the counts of epoch n and
// counts its own access in epoch n + 1. `replicate` changes after edge (n + 1) E +
// EVALUATION_CYCLES - 1, so that edge (n + 1) E + EVALUATION_CYCLES, and each block that reads the
// pin there, is the first with the new decision. Counters of epochs change after edge (n + 1) E.
// The clock must not stop, because it counts the epochs.
//
// Decision: replicate if the estimate of full replication is higher. Equal estimates select no
// replication, which is also the initial state. No hysteresis. An epoch without a sampled access is
// not counted and changes nothing. An epoch that leaves an input of the model undefined is counted
// in epochs_undecided and changes nothing.
//
// flush: a kernel's end; invalidates the tags before the access of the same edge.
//
// Number formats: mdr_estimator.sv. Largest relative error of an estimate against double precision:
// 4.3e-6 to 9.4e-6, depending on the seed (mdr_engine_bench, 10 000 random epochs, bandwidths of 16
// to 8192 bytes a cycle). Decisions differ only where the exact estimates are equal: there, double
// precision decides by its own rounding.
//
// Configuration inputs must be stable from reset on. epoch_cycles must be above EVALUATION_CYCLES.
//
// Not modelled: the transient costs of MdrConfig (ours, not the paper's), the distribution of the
// decision over the chip.
module mdr_engine #(
    parameter int unsigned SAMPLED_SETS = 8,
    parameter int unsigned WAYS = 16,
    parameter int unsigned TAG_BITS = 24,
    parameter int unsigned LINE_BITS = 33,            // of a line's number
    parameter int unsigned COUNT_BITS = 24,           // of accesses and cycles of an epoch
    parameter int unsigned EVALUATION_CYCLES = 116,   // at least 89
    localparam int unsigned SlotBits = SAMPLED_SETS > 1 ? $clog2(SAMPLED_SETS) : 1
) (
    input logic clk,
    input logic rst_n,  // active low, synchronous

    input logic [COUNT_BITS-1:0] epoch_cycles,
    input logic [31:0] raw_llc,  // UQ16.16, all three in one unit
    input logic [31:0] raw_memory,
    input logic [31:0] raw_noc,
    input logic keeps_arriving,  // the slice keeps lines that only other slices' SMs have fetched

    input logic access_valid,
    input logic access_sampled,
    input logic [SlotBits-1:0] access_slot,
    input logic [LINE_BITS-1:0] access_line,
    input logic [1:0] access_origin,  // AccessOrigin: 0 local, 1 remote arriving, 2 remote leaving
    input logic access_read_only,
    input logic flush,

    output logic replicate,

    // Debug port: of the last decided epoch; changes with the decision.
    output logic [31:0] estimate_no_replication,
    output logic [31:0] estimate_full_replication,
    output logic [31:0] epochs,
    output logic [31:0] epochs_undecided
);

  localparam logic [1:0] OriginLocal = 2'd0;
  localparam logic [1:0] OriginArriving = 2'd1;
  localparam logic [1:0] OriginLeaving = 2'd2;
  localparam int unsigned WaitBits = $clog2(EVALUATION_CYCLES);

  typedef logic [COUNT_BITS-1:0] count_t;

  if (EVALUATION_CYCLES < 89) begin : g_check
    $error("EVALUATION_CYCLES must be at least 89");
  end

  // ---- Lookups

  logic sampled;
  logic is_local;
  logic is_arriving;
  logic is_leaving;
  logic copy;      // own SMs' access to a line that can be replicated
  logic inferred;  // a hit that another slice's SM would have had here
  logic new_epoch;
  logic lookup_no;
  logic lookup_full;
  logic hit_no;
  logic hit_full;
  logic keep;
  logic counted_no;
  logic counted_full;
  count_t expected_arrivals;  // replica misses without an arriving access
  count_t expected;

  assign sampled = access_valid && access_sampled;
  assign is_local = sampled && access_origin == OriginLocal;
  assign is_arriving = sampled && access_origin == OriginArriving;
  assign is_leaving = sampled && access_origin == OriginLeaving;
  assign copy = is_leaving && access_read_only;
  assign expected = new_epoch || flush ? '0 : expected_arrivals;

  assign lookup_no = is_local || is_arriving;
  assign lookup_full = is_local || copy ||
      (is_arriving && (!access_read_only || replicate || expected != '0));
  assign keep = !is_arriving || keeps_arriving;

  mdr_tags #(.SETS(SAMPLED_SETS), .WAYS(WAYS), .TAG_BITS(TAG_BITS)) tags_no_replication (
      .clk, .rst_n, .clear(flush), .lookup(lookup_no), .keep, .set(access_slot),
      .tag(access_line[TAG_BITS-1:0]), .hit(hit_no)
  );

  mdr_tags #(.SETS(SAMPLED_SETS), .WAYS(WAYS), .TAG_BITS(TAG_BITS)) tags_full_replication (
      .clk, .rst_n, .clear(flush), .lookup(lookup_full), .keep, .set(access_slot),
      .tag(access_line[TAG_BITS-1:0]), .hit(hit_full)
  );

  assign inferred = copy && replicate && hit_full;
  assign counted_no = lookup_no || inferred;
  assign counted_full = is_local || copy || (is_arriving && !access_read_only);

  always_ff @(posedge clk) begin
    expected_arrivals <= expected;
    if (copy && !replicate && !hit_full) expected_arrivals <= expected + 1'b1;
    if (is_arriving && access_read_only && !replicate && expected != '0) begin
      expected_arrivals <= expected - 1'b1;
    end
    if (!rst_n) expected_arrivals <= '0;
  end

  // ---- Counts

  typedef struct packed {
    count_t local_count;
    count_t own_count;
    count_t lookups_no;
    count_t hits_no;
    count_t lookups_full;
    count_t hits_full;
  } counts_t;

  counts_t counts;
  counts_t base;     // counts without the access of this edge
  counts_t counted;  // counts of the epoch that is evaluated
  count_t cycle;
  logic any;         // the epoch has had a sampled access
  logic complete;
  logic start;

  assign new_epoch = cycle == '0;
  assign base = new_epoch ? '0 : counts;
  assign complete = counts.own_count != '0 && counts.lookups_no != '0 && counts.lookups_full != '0;
  assign start = new_epoch && any && complete;

  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1 == epoch_cycles ? '0 : cycle + 1'b1;
    any <= (any && !new_epoch) || sampled;
    counts.local_count <= base.local_count + count_t'(is_local);
    counts.own_count <= base.own_count + count_t'(is_local || is_leaving);
    counts.lookups_no <= base.lookups_no + count_t'(counted_no);
    counts.hits_no <= base.hits_no + count_t'(hit_no || inferred);
    counts.lookups_full <= base.lookups_full + count_t'(counted_full);
    counts.hits_full <= base.hits_full + count_t'(counted_full && hit_full);
    if (start) counted <= counts;
    if (new_epoch && any) begin
      epochs <= epochs + 1'b1;
      if (!complete) epochs_undecided <= epochs_undecided + 1'b1;
    end
    if (!rst_n) begin
      cycle <= '0;
      any <= 1'b0;
      counts <= '0;
      epochs <= '0;
      epochs_undecided <= '0;
    end
  end

  // ---- Decision

  logic [31:0] no_replication;
  logic [31:0] full_replication;
  logic [WaitBits-1:0] decides_in;  // cycles; 0: no evaluation

  mdr_estimator #(.COUNT_BITS(COUNT_BITS)) estimator (
      .clk, .rst_n, .start,
      .local_count(counted.local_count), .own_count(counted.own_count),
      .hits_no_replication(counted.hits_no), .lookups_no_replication(counted.lookups_no),
      .hits_full_replication(counted.hits_full), .lookups_full_replication(counted.lookups_full),
      .raw_llc, .raw_memory, .raw_noc,
      .no_replication, .full_replication
  );

  always_ff @(posedge clk) begin
    if (decides_in != '0) decides_in <= decides_in - 1'b1;
    if (decides_in == WaitBits'(1)) begin
      replicate <= full_replication > no_replication;
      estimate_no_replication <= no_replication;
      estimate_full_replication <= full_replication;
    end
    if (start) decides_in <= WaitBits'(EVALUATION_CYCLES - 1);
    if (!rst_n) begin
      decides_in <= '0;
      replicate <= 1'b0;
      estimate_no_replication <= '0;
      estimate_full_replication <= '0;
    end
  end

  if (LINE_BITS > TAG_BITS) begin : g_unused
    logic unused;
    assign unused = ^access_line[LINE_BITS-1:TAG_BITS];
  end

endmodule
