// SPDX-License-Identifier: Apache-2.0
//
// Tags of the sampled sets under one policy of MDR (NUBA section 5.1), with LRU replacement. One
// lookup a cycle; a line that misses is installed if `keep` is set.
//
// Timing: `hit` answers in the cycle of the lookup; the edge updates tags and ages. `clear`
// invalidates all tags before the lookup of the same cycle.
//
// Not modelled: the data array; lines that are being fetched (a line hits from its first access
// on).
module mdr_tags #(
    parameter int unsigned SETS = 8,
    parameter int unsigned WAYS = 16,
    parameter int unsigned TAG_BITS = 24,
    localparam int unsigned SetBits = SETS > 1 ? $clog2(SETS) : 1
) (
    input logic clk,
    input logic rst_n,  // active low, synchronous
    input logic clear,
    input logic lookup,
    input logic keep,
    input logic [SetBits-1:0] set,
    input logic [TAG_BITS-1:0] tag,
    output logic hit
);

  localparam int unsigned WayBits = WAYS > 1 ? $clog2(WAYS) : 1;

  logic [WAYS-1:0][TAG_BITS-1:0] tags[SETS];
  logic [SETS-1:0][WAYS-1:0] valid;
  logic [SETS-1:0][WAYS-1:0][WayBits-1:0] age;  // 0: used last; all ages of a set differ

  logic [WAYS-1:0] usable;
  logic [WayBits-1:0] way;
  logic use_way;
  logic [WAYS-1:0][TAG_BITS-1:0] new_tags;
  logic [WAYS-1:0][WayBits-1:0] new_ages;

  always_comb begin
    usable = clear ? '0 : valid[set];
    // The victim: the oldest way, or the first one that is not valid.
    way = '0;
    for (int k = 0; k < WAYS; ++k) if (age[set][k] == WayBits'(WAYS - 1)) way = WayBits'(k);
    for (int k = WAYS - 1; k >= 0; --k) if (!usable[k]) way = WayBits'(k);
    hit = 1'b0;
    for (int k = 0; k < WAYS; ++k) begin
      if (usable[k] && tags[set][k] == tag) begin
        hit = lookup;
        way = WayBits'(k);
      end
    end
    use_way = hit || (lookup && keep);
    new_tags = tags[set];
    new_tags[way] = tag;
    for (int k = 0; k < WAYS; ++k) begin
      new_ages[k] = age[set][k] < age[set][way] ? age[set][k] + 1'b1 : age[set][k];
    end
    new_ages[way] = '0;
  end

  always_ff @(posedge clk) begin
    if (clear) valid <= '0;
    if (use_way) begin
      tags[set] <= new_tags;
      age[set] <= new_ages;
      valid[set][way] <= 1'b1;
    end
    if (!rst_n) begin
      valid <= '0;
      for (int s = 0; s < SETS; ++s) begin
        for (int k = 0; k < WAYS; ++k) age[s][k] <= WayBits'(k);
      end
    end
  end

endmodule
