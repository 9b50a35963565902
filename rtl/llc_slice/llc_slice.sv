// SPDX-License-Identifier: Apache-2.0
//
// A last-level-cache slice as NUBA draws it (section 3, figure 5): requests of local SMs wait in the
// LMR queue, requests from the network in the RMR queue, and one of them a cycle accesses the tag
// and data arrays. Write-back, write-allocate without a fetch, valid and dirty bits for each byte,
// LRU, MSHRs with merging. The same contract as modules/llc/llc_slice.h, roles "home" and
// "partition"; atomics are performed in front of the slice.
//
// The address decoder stands in front of the slice: a request carries the line's number, its set,
// and what is done with it:
//   foreign  the line's home is another slice: a miss fetches it through the remote channel, and
//            the line is a copy, which a flush drops
//   bypass   the arrays are passed in both directions, by the remote channel
//   keep     a line that only requests without it have fetched is not kept
//
// Timing, with edges of clk: a request that is accepted at edge c is looked up at edge
// c + cfg_latency - 1 at the earliest, one a cycle. The response to a hit, and the request of a
// miss, are on their channels before the next edge. A response to a miss is on its channel before
// the edge after that of the fill. A request that bypasses the arrays is on the remote channel
// before the edge after that of its arrival. A flush visits one way a cycle.
//
// Order in a cycle: fills, then the lookup, then the flush. A lookup sees the fills of its cycle.
//
// Channels: all outputs come from registers. in_ready[p]: port p has a free entry. A response is on
// its channel until out_ready. The receivers say one edge ahead (SPACE) whether they take what is
// on the channel after the edge, so that the depth of a queue does not include it.
//
// Debug port: with `debug` set, an edge performs only the debug write. Reads are combinational.
//
// Not modelled: ECC, sectored tags, banks of the data array, coherence, dirty copies of other
// slices' lines (stores to them bypass the arrays).
module llc_slice #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned LINE_BYTES = 128,
    parameter int unsigned LINE_BITS = 40,   // of a line's number
    parameter int unsigned ID_BITS = 16,     // of a request's tag
    parameter int unsigned SETS = 64,
    parameter int unsigned WAYS = 16,
    parameter int unsigned MSHRS = 256,
    parameter int unsigned TARGETS = 4,      // accesses of an MSHR
    parameter int unsigned QUEUE = 256,      // entries of a port's queue, a power of two
    parameter int unsigned RESPONSES = 64,   // entries of a port's response queue, a power of two
    parameter int unsigned MEMORY = 64,      // entries of the queue to the channel, a power of two
    parameter int unsigned REMOTE = 512,     // entries of the queue to other slices, a power of two
    localparam int unsigned DataBits = 8 * LINE_BYTES,
    localparam int unsigned SetBits = $clog2(SETS),
    localparam int unsigned WayBits = $clog2(WAYS),
    localparam int unsigned MshrBits = $clog2(MSHRS),
    localparam int unsigned PortBits = $clog2(PORTS),
    localparam int unsigned MemoryBits = $clog2(MEMORY)
) (
    input logic clk,
    input logic rst_n,  // synchronous, active low
    input logic debug,

    // Static configuration. Each value is at most the parameter's.
    input logic [SetBits:0] cfg_sets,
    input logic [WayBits:0] cfg_ways,
    input logic [MshrBits:0] cfg_mshrs,
    input logic [3:0] cfg_targets,
    input logic [9:0] cfg_latency,          // 2 or more
    input logic [9:0] cfg_entries,          // of a port, 2 to QUEUE
    input logic [9:0] cfg_response_depth,   // at which lookups stall
    input logic [9:0] cfg_memory_depth,     // the same
    input logic [9:0] cfg_remote_depth,     // at which requests for copies stall
    input logic [PORTS-1:0] cfg_local,      // ports of the LMR queue; the others: RMR
    input logic [LINE_BYTES-1:0] cfg_whole,  // bytes of a line
    input logic cfg_oldest_first,           // arbitration; 0: in turn
    input logic cfg_flush_copies,           // a flush keeps the slice's own lines

    // Requests.
    input logic [PORTS-1:0] in_valid,
    output logic [PORTS-1:0] in_ready,
    input logic [PORTS-1:0] in_write,
    input logic [PORTS-1:0] in_foreign,
    input logic [PORTS-1:0] in_bypass,
    input logic [PORTS-1:0] in_keep,
    input logic [PORTS-1:0][ID_BITS-1:0] in_id,
    input logic [PORTS-1:0][LINE_BITS-1:0] in_line,
    input logic [PORTS-1:0][SetBits-1:0] in_set,
    input logic [PORTS-1:0][LINE_BYTES-1:0] in_mask,
    input logic [PORTS-1:0][DataBits-1:0] in_data,

    // Responses.
    output logic [PORTS-1:0] out_valid,
    input logic [PORTS-1:0] out_ready,
    input logic [PORTS-1:0] out_space,  // what is on the channel after this edge will be taken
    output logic [PORTS-1:0] out_error,
    output logic [PORTS-1:0][ID_BITS-1:0] out_id,
    output logic [PORTS-1:0][DataBits-1:0] out_data,

    // The DRAM channel. mem_tag: id of the request for which it is sent.
    output logic mem_valid,
    input logic mem_ready,
    input logic mem_space,
    output logic mem_write,
    output logic [MshrBits-1:0] mem_id,
    output logic [ID_BITS-1:0] mem_tag,
    output logic [LINE_BITS-1:0] mem_line,
    output logic [LINE_BYTES-1:0] mem_mask,
    output logic [DataBits-1:0] mem_data,
    input logic mem_resp_valid,
    output logic mem_resp_ready,
    input logic mem_resp_write,
    input logic mem_resp_error,
    input logic [MshrBits-1:0] mem_resp_id,
    input logic [DataBits-1:0] mem_resp_data,

    // Other slices. rem_fetch: rem_id is that of an MSHR; otherwise a request that passes, of port
    // rem_port, and rem_id is its id.
    output logic rem_valid,
    input logic rem_ready,
    input logic rem_space,
    output logic rem_fetch,
    output logic rem_write,
    output logic [PortBits-1:0] rem_port,
    output logic [ID_BITS-1:0] rem_id,
    output logic [ID_BITS-1:0] rem_tag,
    output logic [LINE_BITS-1:0] rem_line,
    output logic [LINE_BYTES-1:0] rem_mask,
    output logic [DataBits-1:0] rem_data,
    input logic rem_resp_valid,
    output logic rem_resp_ready,
    input logic rem_resp_fetch,
    input logic rem_resp_error,
    input logic [PortBits-1:0] rem_resp_port,
    input logic [ID_BITS-1:0] rem_resp_id,
    input logic [DataBits-1:0] rem_resp_data,

    // Maintenance. flush: for one edge, with no request in flight. drop_copies: for one edge.
    input logic flush,
    output logic flush_done,
    input logic drop_copies,

    // Debug port.
    input logic dbg_queue,                        // an entry of the queue to the channel, or
    input logic [MemoryBits-1:0] dbg_entry,       // (0: the oldest)
    input logic [SetBits-1:0] dbg_set,            // the arrays
    input logic [LINE_BITS-1:0] dbg_line,
    input logic [LINE_BYTES-1:0] dbg_mask,  // bytes that an edge writes to each copy
    input logic [DataBits-1:0] dbg_write_data,
    input logic dbg_drop,                   // an edge invalidates the line
    output logic dbg_hit,
    output logic dbg_locked,
    output logic [LINE_BYTES-1:0] dbg_dirty,
    output logic [DataBits-1:0] dbg_data,

    // What happened at the last edge.
    output logic ev_lookup,
    output logic ev_lookup_local,
    output logic [2:0] ev_outcome,  // Outcome
    output logic [ID_BITS-1:0] ev_id,
    output logic ev_evict,
    output logic ev_write_back,
    output logic ev_miss_foreign,
    output logic [MshrBits-1:0] ev_miss_mshr,
    output logic [1:0] ev_stall_local,   // Stall
    output logic [1:0] ev_stall_remote,  // Stall
    output logic ev_copy_kept,
    output logic [MshrBits:0] mshrs_used,
    output logic [9:0] memory_used,
    output logic [9:0] lmr_used,
    output logic [9:0] rmr_used,

    output logic busy
);
  typedef enum logic [2:0] {
    kReadHit, kWriteHit, kWriteAllocate, kMerge, kMiss, kPartialFetch, kForward, kNothing
  } outcome_t;
  typedef enum logic [1:0] { kRuns, kNoMshr, kNoWay, kNoRoom } stall_t;

  localparam int unsigned StampBits = 32;
  localparam int unsigned QueueBits = $clog2(QUEUE);
  localparam int unsigned ResponseBits = $clog2(RESPONSES);
  localparam int unsigned RemoteBits = $clog2(REMOTE);
  localparam int unsigned TargetBits = $clog2(TARGETS);
  // Most responses of a cycle's fills: one from the channel, one from another slice.
  localparam int unsigned Fills = 2 * TARGETS;

  typedef logic [SetBits-1:0] set_t;
  typedef logic [WayBits-1:0] way_t;
  typedef logic [MshrBits-1:0] mshr_t;
  typedef logic [PortBits-1:0] port_t;
  typedef logic [LINE_BYTES-1:0] mask_t;
  typedef logic [DataBits-1:0] data_t;
  typedef logic [WAYS-1:0] ways_t;
  typedef logic [WAYS-1:0][WayBits-1:0] ages_t;
  typedef logic [SetBits+WayBits-1:0] place_t;      // of a line: its set and its way
  typedef logic [MshrBits+TargetBits-1:0] target_at_t;
  typedef logic [PortBits+QueueBits-1:0] queue_at_t;
  typedef logic [PortBits+ResponseBits-1:0] response_at_t;

  typedef struct packed {
    logic write;
    logic foreign;
    logic keep;
    logic [ID_BITS-1:0] id;
    set_t row;
    logic [LINE_BITS-1:0] line;
  } request_t;
  typedef struct packed {
    logic write;
    logic keep;
    port_t port;
    logic [ID_BITS-1:0] id;
  } target_t;
  typedef struct packed {
    logic write;
    logic [MshrBits-1:0] id;
    logic [ID_BITS-1:0] tag;
    logic [LINE_BITS-1:0] line;
  } memory_t;
  typedef struct packed {
    logic fetch;
    logic holds_entry;  // of the queue of its port
    logic write;
    port_t port;
    logic [ID_BITS-1:0] id;
    logic [ID_BITS-1:0] tag;
    logic [LINE_BITS-1:0] line;
  } remote_t;
  typedef struct packed {
    logic error;
    logic [ID_BITS-1:0] id;
  } response_t;

  // The bytes of `fresh` that `mask` selects, and the other bytes of `old`.
  function automatic data_t merged(input data_t old, input data_t fresh, input mask_t mask);
    for (int unsigned i = 0; i < LINE_BYTES / 4; ++i) begin
      merged[32*i+:32] = (fresh[32*i+:32] & spread(mask[4*i+:4])) |
                         (old[32*i+:32] & ~spread(mask[4*i+:4]));
    end
  endfunction
  function automatic logic [31:0] spread(input logic [3:0] mask);
    return {{8{mask[3]}}, {8{mask[2]}}, {8{mask[1]}}, {8{mask[0]}}};
  endfunction

  // State. Queues are rings: `head` is the oldest entry.

  logic [StampBits-1:0] cycle;
  logic local_turn;

  request_t q_request[PORTS*QUEUE];
  logic [StampBits-1:0] q_stamp[PORTS*QUEUE];  // the edge of the arrival
  mask_t q_mask[PORTS*QUEUE];
  data_t q_data[PORTS*QUEUE];
  logic [PORTS-1:0][QueueBits-1:0] q_head;
  logic [PORTS-1:0][QueueBits:0] q_count;
  logic [PORTS-1:0][QueueBits:0] q_passing;  // entries of requests that bypass the arrays

  response_t r_entry[PORTS*RESPONSES];
  data_t r_data[PORTS*RESPONSES];
  logic [PORTS-1:0][ResponseBits-1:0] r_head;
  logic [PORTS-1:0][ResponseBits:0] r_count;

  memory_t m_entry[MEMORY];
  mask_t m_mask[MEMORY];
  data_t m_data[MEMORY];
  logic [MemoryBits-1:0] m_head;
  logic [MemoryBits:0] m_count;
  logic [15:0] writes;  // write-backs that are not acknowledged

  remote_t x_entry[REMOTE];
  mask_t x_mask[REMOTE];
  data_t x_data[REMOTE];
  logic [RemoteBits-1:0] x_head;
  logic [RemoteBits:0] x_count;

  logic [LINE_BITS-1:0] tags[SETS*WAYS];
  mask_t valid[SETS*WAYS];
  mask_t dirty[SETS*WAYS];
  data_t data[SETS*WAYS];
  mshr_t fetched_by[SETS*WAYS];  // of a locked way
  logic [SETS-1:0][WAYS-1:0] occupied;
  logic [SETS-1:0][WAYS-1:0] locked;
  logic [SETS-1:0][WAYS-1:0] copy;
  ages_t [SETS-1:0] age;  // 0: the most recently used. A fill counts as a use

  place_t mshr_at[MSHRS];
  logic [MSHRS-1:0] mshr_keep;
  logic [MSHRS-1:0] mshr_foreign;
  logic [TargetBits:0] mshr_count[MSHRS];
  target_t t_entry[MSHRS*TARGETS];
  mask_t t_mask[MSHRS*TARGETS];
  data_t t_data[MSHRS*TARGETS];
  mshr_t free_ring[MSHRS];  // released MSHRs
  mshr_t free_head;
  mshr_t free_tail;
  logic [MshrBits:0] fresh;  // MSHRs that have been used before
  logic [MshrBits:0] used;

  logic walking;
  logic walked;
  set_t walk_set;
  way_t walk_way;

  function automatic ages_t first_ages();
    for (int unsigned w = 0; w < WAYS; ++w) first_ages[w] = way_t'(w);
  endfunction
  // The ages of a set after a use of a way.
  function automatic ages_t after_use(input ages_t ages, input way_t way);
    for (int unsigned w = 0; w < WAYS; ++w) after_use[w] = ages[w] + way_t'(ages[w] < ages[way]);
    after_use[way] = '0;
  endfunction

  // Outputs.

  logic room;  // for the responses of a cycle, at every port
  always_comb begin
    room = 1'b1;
    for (int unsigned p = 0; p < PORTS; ++p) begin
      in_ready[p] = 10'(q_count[p]) + 10'(q_passing[p]) < cfg_entries;
      if (int'(r_count[p]) + Fills >= RESPONSES) room = 1'b0;
    end
  end
  assign mem_resp_ready = room;
  assign rem_resp_ready = room;

  response_at_t r_front[PORTS];
  always_comb begin
    for (int unsigned p = 0; p < PORTS; ++p) begin
      r_front[p] = {port_t'(p), r_head[p]};
      out_valid[p] = r_count[p] != 0;
      out_error[p] = r_entry[r_front[p]].error;
      out_id[p] = r_entry[r_front[p]].id;
      out_data[p] = '0;
      if (out_valid[p]) out_data[p] = r_data[r_front[p]];
    end
  end

  always_comb begin
    mem_valid = m_count != 0;
    mem_write = m_entry[m_head].write;
    mem_id = m_entry[m_head].id;
    mem_tag = m_entry[m_head].tag;
    mem_line = m_entry[m_head].line;
    mem_mask = '0;
    mem_data = '0;
    if (mem_valid && mem_write) begin
      mem_mask = m_mask[m_head];
      mem_data = m_data[m_head];
    end
  end

  always_comb begin
    rem_valid = x_count != 0;
    rem_fetch = x_entry[x_head].fetch;
    rem_write = x_entry[x_head].write;
    rem_port = x_entry[x_head].port;
    rem_id = x_entry[x_head].id;
    rem_tag = x_entry[x_head].tag;
    rem_line = x_entry[x_head].line;
    rem_mask = '0;
    rem_data = '0;
    if (rem_valid && rem_write) begin
      rem_mask = x_mask[x_head];
      rem_data = x_data[x_head];
    end
  end

  always_comb begin
    mshrs_used = used;
    memory_used = 10'(m_count);
    lmr_used = '0;
    rmr_used = '0;
    busy = walking || m_count != 0 || x_count != 0 || flush_done || ev_lookup;
    for (int unsigned p = 0; p < PORTS; ++p) begin
      if (cfg_local[p]) lmr_used += 10'(q_count[p]);
      else rmr_used += 10'(q_count[p]);
      if (q_count[p] != 0 || r_count[p] != 0) busy = 1'b1;
    end
  end

  // Helpers of the edge.

  // Entries of an output queue that wait: without the head, if it will be taken.
  function automatic logic [9:0] waiting(input logic [9:0] count, input logic space);
    return count - 10'(count != 0 && space);
  endfunction

  function automatic mshr_t after_mshr(input mshr_t i, input logic steps);
    if (!steps) return i;
    return int'(i) + 1 == int'(cfg_mshrs) ? '0 : i + 1;
  endfunction

  typedef struct packed {
    logic valid;  // a request can be looked up
    port_t port;
    logic [StampBits-1:0] age;  // edges since its arrival
  } head_t;

  always_ff @(posedge clk) begin
    automatic logic [1:0] fill = '0;
    automatic logic [1:0] fill_error = {rem_resp_error, mem_resp_error};
    automatic mshr_t fill_mshr[2];
    automatic place_t fill_at[2];
    automatic logic [1:0] fill_stays = '0;
    automatic mask_t fill_valid[2];
    automatic mask_t fill_dirty[2];
    automatic data_t fill_data[2];
    automatic ages_t fill_ages[2];
    automatic ages_t ages[2];
    automatic logic [PORTS-1:0] r_pop = out_valid & out_ready;
    automatic logic m_pop = mem_valid & mem_ready;
    automatic logic x_pop = rem_valid & rem_ready;
    automatic logic [9:0] r_now[PORTS];  // responses, with those of this edge
    automatic logic [9:0] m_now = 10'(m_count) - 10'(m_pop);
    automatic logic [9:0] x_now = 10'(x_count) - 10'(x_pop);
    automatic logic [MshrBits:0] used_now = used;
    automatic logic [Fills-1:0] push_valid = '0;
    automatic response_at_t push_at[Fills];
    automatic response_t push[Fills];
    automatic data_t push_data[Fills];
    automatic logic backed_up;
    automatic logic [9:0] x_waiting;
    automatic head_t head[2];
    automatic request_t wanted[2];
    automatic outcome_t outcome[2];
    automatic stall_t stall[2];
    automatic way_t way[2];
    automatic logic [1:0] evicts = '0;
    automatic logic first = local_turn;
    automatic logic chosen;
    automatic logic runs;
    automatic request_t r;
    automatic place_t place;
    automatic mask_t now_valid;
    automatic mask_t now_dirty;
    automatic data_t now_data;
    automatic queue_at_t from;
    automatic mshr_t mshr;
    automatic target_at_t target_at;
    automatic target_t target;
    automatic response_at_t response_at;
    automatic logic [MemoryBits-1:0] m_at;
    automatic logic [RemoteBits-1:0] x_at;
    automatic logic write_back = 1'b0;
    automatic logic fetches = 1'b0;
    automatic logic forwards = 1'b0;
    automatic logic [PORTS-1:0] looked_up = '0;
    automatic logic [PORTS-1:0] passes = '0;
    automatic logic [PORTS-1:0] passed = '0;
    automatic logic acknowledged = mem_resp_valid & mem_resp_ready & mem_resp_write;
    automatic logic visits = (flush || walking) && !walked;
    automatic set_t visit_set = walking ? walk_set : '0;
    automatic way_t visit_way = walking ? walk_way : '0;
    automatic place_t visit_at = {visit_set, visit_way};
    automatic logic visit_writes = 1'b0;
    automatic logic visit_stalls = 1'b0;
    automatic logic flush_ends = walked && writes == 16'(acknowledged);

    if (debug) begin
      if (dbg_hit && dbg_queue) begin
        m_data[dbg_slot] <= merged(m_data[dbg_slot], dbg_write_data, dbg_mask);
      end else if (dbg_hit) begin
        data[{dbg_set, dbg_way}] <= merged(data[{dbg_set, dbg_way}], dbg_write_data, dbg_mask);
        if (dbg_drop) occupied[dbg_set][dbg_way] <= 1'b0;
      end
    end else if (!rst_n) begin
      cycle <= '0;
      local_turn <= 1'b1;
      q_head <= '0;
      q_count <= '0;
      q_passing <= '0;
      r_head <= '0;
      r_count <= '0;
      m_head <= '0;
      m_count <= '0;
      x_head <= '0;
      x_count <= '0;
      writes <= '0;
      occupied <= '0;
      locked <= '0;
      copy <= '0;
      age <= {SETS{first_ages()}};
      free_head <= '0;
      free_tail <= '0;
      fresh <= '0;
      used <= '0;
      walking <= 1'b0;
      walked <= 1'b0;
      walk_set <= '0;
      walk_way <= '0;
      flush_done <= 1'b0;
      ev_lookup <= 1'b0;
      ev_lookup_local <= 1'b0;
      ev_outcome <= kNothing;
      ev_id <= '0;
      ev_evict <= 1'b0;
      ev_write_back <= 1'b0;
      ev_miss_foreign <= 1'b0;
      ev_miss_mshr <= '0;
      ev_stall_local <= kRuns;
      ev_stall_remote <= kRuns;
      ev_copy_kept <= 1'b0;
    end else begin
      cycle <= cycle + 1;
      for (int unsigned p = 0; p < PORTS; ++p) r_now[p] = 10'(r_count[p]) - 10'(r_pop[p]);

      // 1. Fills, and responses to requests that passed.
      fill[0] = mem_resp_valid & mem_resp_ready & ~mem_resp_write;
      fill[1] = rem_resp_valid & rem_resp_ready & rem_resp_fetch;
      fill_mshr[0] = mem_resp_id;
      fill_mshr[1] = rem_resp_id[MshrBits-1:0];
      for (int unsigned f = 0; f < 2; ++f) begin
        fill_at[f] = mshr_at[fill_mshr[f]];
        fill_valid[f] = '0;
        fill_dirty[f] = '0;
        fill_data[f] = f == 0 ? mem_resp_data : rem_resp_data;
        if (fill[f]) begin
          fill_valid[f] = valid[fill_at[f]];
          fill_dirty[f] = dirty[fill_at[f]];
          fill_stays[f] = fill_valid[f] != 0;
          if (fill_stays[f]) begin
            fill_data[f] = merged(fill_data[f], data[fill_at[f]],
                                  fill_error[f] ? cfg_whole : fill_valid[f]);
          end
          if (!fill_error[f]) fill_valid[f] = cfg_whole;
          for (int unsigned k = 0; k < TARGETS; ++k) begin
            target_at = {fill_mshr[f], TargetBits'(k)};
            target = t_entry[target_at];
            if (k < int'(mshr_count[fill_mshr[f]])) begin
              response_at = {target.port, r_head[target.port] + ResponseBits'(r_pop[target.port]) +
                                          ResponseBits'(r_now[target.port])};
              push_valid[f*TARGETS+k] = 1'b1;
              push_at[f*TARGETS+k] = response_at;
              push[f*TARGETS+k] = '{error: fill_error[f], id: target.id};
              push_data[f*TARGETS+k] = fill_data[f];
              r_now[target.port] += 1;
              if (!fill_error[f] && target.write) begin
                fill_data[f] = merged(fill_data[f], t_data[target_at], t_mask[target_at]);
                fill_dirty[f] |= t_mask[target_at];
              end
              if (!fill_error[f] && target.keep) fill_stays[f] = 1'b1;
            end
          end
          if (fill_dirty[f] != 0) fill_stays[f] = 1'b1;
          if (!fill_error[f] && (!mshr_keep[fill_mshr[f]] ||
                                 drop_copies && mshr_foreign[fill_mshr[f]])) begin
            fill_stays[f] = 1'b0;
          end
          used_now -= 1;
        end
        fill_ages[f] = age[fill_at[f][WayBits+:SetBits]];
        if (f == 1 && fill[0] && fill_at[0][WayBits+:SetBits] == fill_at[1][WayBits+:SetBits]) begin
          fill_ages[f] = fill_ages[0];
        end
        if (fill[f]) fill_ages[f] = after_use(fill_ages[f], fill_at[f][WayBits-1:0]);
      end
      for (int unsigned k = 0; k < Fills; ++k) begin
        if (push_valid[k]) begin
          r_entry[push_at[k]] <= push[k];
          r_data[push_at[k]] <= push_data[k];
        end
      end
      if (drop_copies) begin
        occupied <= occupied & ~(copy & ~locked);
        mshr_keep <= mshr_keep & ~mshr_foreign;
      end
      for (int unsigned f = 0; f < 2; ++f) begin
        if (fill[f]) begin
          valid[fill_at[f]] <= fill_valid[f];
          dirty[fill_at[f]] <= fill_dirty[f];
          data[fill_at[f]] <= fill_data[f];
          age[fill_at[f][WayBits+:SetBits]] <= fill_ages[f];
          locked[fill_at[f][WayBits+:SetBits]][fill_at[f][WayBits-1:0]] <= 1'b0;
          if (!fill_stays[f]) occupied[fill_at[f][WayBits+:SetBits]][fill_at[f][WayBits-1:0]] <= 1'b0;
        end
      end
      if (fill[0]) free_ring[free_tail] <= fill_mshr[0];
      if (fill[1]) free_ring[after_mshr(free_tail, fill[0])] <= fill_mshr[1];
      free_tail <= after_mshr(after_mshr(free_tail, fill[0]), fill[1]);
      if (rem_resp_valid && rem_resp_ready && !rem_resp_fetch) begin
        response_at = {rem_resp_port, r_head[rem_resp_port] + ResponseBits'(r_pop[rem_resp_port]) +
                                      ResponseBits'(r_now[rem_resp_port])};
        r_entry[response_at] <= '{error: rem_resp_error, id: rem_resp_id};
        r_data[response_at] <= rem_resp_data;
        r_now[rem_resp_port] += 1;
      end

      // 2. Arrivals. A request that bypasses the arrays holds its entry until it leaves.
      if (x_pop && x_entry[x_head].holds_entry) passed[rem_port] = 1'b1;
      for (int unsigned p = 0; p < PORTS; ++p) begin
        if (in_valid[p] && in_ready[p] && in_bypass[p]) begin
          passes[p] = 1'b1;
          x_at = x_head + RemoteBits'(x_pop) + RemoteBits'(x_now);
          x_entry[x_at] <= '{fetch: 1'b0, holds_entry: 1'b1, write: in_write[p], port: port_t'(p),
                             id: in_id[p], tag: in_id[p], line: in_line[p]};
          if (in_write[p]) begin
            x_mask[x_at] <= in_mask[p];
            x_data[x_at] <= in_data[p];
          end
          x_now += 1;
        end else if (in_valid[p] && in_ready[p]) begin
          from = {port_t'(p), q_head[p] + QueueBits'(q_count[p])};
          q_request[from] <= '{write: in_write[p], foreign: in_foreign[p], keep: in_keep[p],
                               id: in_id[p], row: in_set[p], line: in_line[p]};
          q_stamp[from] <= cycle;
          if (in_write[p]) begin
            q_mask[from] <= in_mask[p];
            q_data[from] <= in_data[p];
          end
        end
      end

      // 3. The heads of the RMR queue [0] and the LMR queue [1], and what their lookups would do.
      backed_up = waiting(m_now, mem_space) >= cfg_memory_depth;
      for (int unsigned p = 0; p < PORTS; ++p) begin
        if (waiting(r_now[p], out_space[p]) >= cfg_response_depth) backed_up = 1'b1;
      end
      x_waiting = waiting(x_now, rem_space);
      for (int unsigned h = 0; h < 2; ++h) begin
        automatic ways_t present;
        automatic ways_t pending;
        automatic logic hit = 1'b0;
        automatic logic whole;
        automatic logic found = 1'b0;
        automatic logic empty = 1'b0;
        automatic way_t victim = '0;
        automatic set_t row;
        head[h] = '0;
        outcome[h] = kNothing;
        stall[h] = kRuns;
        way[h] = '0;
        for (int unsigned p = 0; p < PORTS; ++p) begin
          if (cfg_local[p] == h[0] && q_count[p] != 0) begin
            from = {port_t'(p), q_head[p]};
            if (cycle - q_stamp[from] > head[h].age) begin
              head[h].valid = 1'b1;
              head[h].port = port_t'(p);
              head[h].age = cycle - q_stamp[from];
            end
          end
        end
        if (head[h].age + 1 < StampBits'(cfg_latency)) head[h].valid = 1'b0;
        wanted[h] = q_request[{head[h].port, q_head[head[h].port]}];
        row = wanted[h].row;
        ages[h] = age[row];
        if (head[h].valid) begin
          present = occupied[row];
          pending = locked[row];
          if (drop_copies) present &= ~(copy[row] & ~pending);
          for (int unsigned f = 0; f < 2; ++f) begin
            if (fill[f] && fill_at[f][WayBits+:SetBits] == row) begin
              ages[h] = fill_ages[f];
              pending[fill_at[f][WayBits-1:0]] = 1'b0;
              if (!fill_stays[f]) present[fill_at[f][WayBits-1:0]] = 1'b0;
            end
          end
          for (int unsigned w = 0; w < WAYS; ++w) begin
            if (present[w] && tags[{row, way_t'(w)}] == wanted[h].line) begin
              hit = 1'b1;
              way[h] = way_t'(w);
            end
            // The victim: the first empty way, or the least recently used that is not locked.
            if (w < int'(cfg_ways) && !present[w] && !empty) begin
              empty = 1'b1;
              found = 1'b1;
              victim = way_t'(w);
            end else if (w < int'(cfg_ways) && !pending[w] && !empty &&
                         (!found || ages[h][w] > ages[h][victim])) begin
              found = 1'b1;
              victim = way_t'(w);
            end
          end
          place = {row, way[h]};
          whole = valid[place] == cfg_whole;
          for (int unsigned f = 0; f < 2; ++f) begin
            if (fill[f] && fill_at[f] == place) whole = fill_valid[f] == cfg_whole;
          end
          mshr = fetched_by[place];
          if (hit && pending[way[h]]) begin
            outcome[h] = kMerge;
            if (!mshr_keep[mshr] || drop_copies && mshr_foreign[mshr] ||
                int'(mshr_count[mshr]) >= int'(cfg_targets)) begin
              stall[h] = kNoMshr;
            end
          end else if (wanted[h].write) begin
            outcome[h] = hit ? kWriteHit : kWriteAllocate;
            if (!hit && !found) stall[h] = kNoWay;
          end else if (hit && whole) begin
            outcome[h] = kReadHit;
          end else if (wanted[h].foreign &&
                       (used_now + (cfg_mshrs / 4 > 1 ? cfg_mshrs / 4 : 1) >= cfg_mshrs ||
                        int'(cfg_ways) < $countones(pending) + 2)) begin
            // A copy leaves a quarter of the MSHRs and a way of the set to the slice's own lines.
            outcome[h] = kForward;
            if (x_waiting >= cfg_remote_depth) stall[h] = kNoRoom;
          end else begin
            outcome[h] = hit ? kPartialFetch : kMiss;
            if (used_now >= cfg_mshrs) stall[h] = kNoMshr;
            else if (wanted[h].foreign && x_waiting >= cfg_remote_depth) stall[h] = kNoRoom;
            else if (!hit && !found) stall[h] = kNoWay;
          end
          if (!hit) way[h] = victim;
          evicts[h] = !hit && !empty && outcome[h] != kForward;
        end
      end

      // 4. The arbiter. If the head of the first queue cannot be looked up, the other is tried.
      if (head[0].valid && head[1].valid && cfg_oldest_first) first = head[1].age > head[0].age;
      chosen = head[first].valid && stall[first] == kRuns ? first : ~first;
      runs = !backed_up && head[chosen].valid && stall[chosen] == kRuns;
      ev_stall_remote <= !head[0].valid ? kRuns : backed_up ? kNoRoom :
                         !first || chosen != first ? stall[0] : kRuns;
      ev_stall_local <= !head[1].valid ? kRuns : backed_up ? kNoRoom :
                        first || chosen != first ? stall[1] : kRuns;

      // 5. The lookup.
      m_at = m_head + MemoryBits'(m_pop) + MemoryBits'(m_now);
      r = wanted[chosen];
      if (runs) begin
        from = {head[chosen].port, q_head[head[chosen].port]};
        place = {r.row, way[chosen]};
        looked_up[head[chosen].port] = 1'b1;
        if (chosen == first) local_turn <= ~first;
        now_valid = valid[place];
        now_dirty = dirty[place];
        now_data = data[place];
        for (int unsigned f = 0; f < 2; ++f) begin
          if (fill[f] && fill_at[f] == place) begin
            now_valid = fill_valid[f];
            now_dirty = fill_dirty[f];
            now_data = fill_data[f];
          end
        end
        if (evicts[chosen] && now_dirty != 0) begin
          write_back = 1'b1;
          m_entry[m_at] <= '{write: 1'b1, id: '0, tag: r.id, line: tags[place]};
          m_mask[m_at] <= now_dirty;
          m_data[m_at] <= now_data;
          m_at += 1;
          m_now += 1;
        end
        if (outcome[chosen] == kReadHit || outcome[chosen] == kWriteHit ||
            outcome[chosen] == kWriteAllocate) begin
          response_at = {head[chosen].port, r_head[head[chosen].port] +
                                            ResponseBits'(r_pop[head[chosen].port]) +
                                            ResponseBits'(r_now[head[chosen].port])};
          r_entry[response_at] <= '{error: 1'b0, id: r.id};
          r_data[response_at] <= now_data;
          r_now[head[chosen].port] += 1;
        end
        case (outcome[chosen])
          kMerge: begin
            mshr = fetched_by[place];
            target_at = {mshr, TargetBits'(mshr_count[mshr])};
            t_entry[target_at] <= '{write: r.write, keep: r.keep, port: head[chosen].port, id: r.id};
            t_mask[target_at] <= q_mask[from];
            t_data[target_at] <= q_data[from];
            mshr_count[mshr] <= mshr_count[mshr] + 1;
          end
          kWriteHit: begin
            data[place] <= merged(now_data, q_data[from], q_mask[from]);
            valid[place] <= now_valid | q_mask[from];
            dirty[place] <= now_dirty | q_mask[from];
          end
          kWriteAllocate: begin
            data[place] <= q_data[from];
            valid[place] <= q_mask[from];
            dirty[place] <= q_mask[from];
          end
          kMiss: begin
            valid[place] <= '0;
            dirty[place] <= '0;
          end
          default: ;
        endcase
        if (outcome[chosen] == kMiss || outcome[chosen] == kWriteAllocate) begin
          tags[place] <= r.line;
          occupied[r.row][way[chosen]] <= 1'b1;
          copy[r.row][way[chosen]] <= r.foreign;
        end
        if (outcome[chosen] == kMiss || outcome[chosen] == kPartialFetch) begin
          fetches = 1'b1;
          // With all in use before this edge, the one that a fill releases: not in the ring yet.
          mshr = int'(fresh) < int'(cfg_mshrs) ? mshr_t'(fresh) :
                 int'(used) < int'(cfg_mshrs) ? free_ring[free_head] :
                 fill[0] ? fill_mshr[0] : fill_mshr[1];
          if (int'(fresh) < int'(cfg_mshrs)) fresh <= fresh + 1;
          else free_head <= after_mshr(free_head, 1'b1);
          used_now += 1;
          locked[r.row][way[chosen]] <= 1'b1;
          fetched_by[place] <= mshr;
          mshr_at[mshr] <= place;
          mshr_keep[mshr] <= 1'b1;
          mshr_foreign[mshr] <= r.foreign;
          mshr_count[mshr] <= 1;
          t_entry[{mshr, TargetBits'(0)}] <= '{write: 1'b0, keep: r.keep, port: head[chosen].port,
                                               id: r.id};
          ev_miss_mshr <= mshr;
        end
        if (fetches && !r.foreign) begin
          m_entry[m_at] <= '{write: 1'b0, id: mshr, tag: r.id, line: r.line};
          m_now += 1;
        end
        forwards = outcome[chosen] == kForward;
        if (forwards || fetches && r.foreign) begin
          x_at = x_head + RemoteBits'(x_pop) + RemoteBits'(x_now);
          x_entry[x_at] <= '{fetch: fetches, holds_entry: 1'b0, write: 1'b0, port: head[chosen].port,
                             id: fetches ? ID_BITS'(mshr) : r.id, tag: r.id, line: r.line};
          x_now += 1;
        end
        if (outcome[chosen] != kMerge && outcome[chosen] != kPartialFetch && !forwards) begin
          age[r.row] <= after_use(ages[chosen], way[chosen]);
        end
      end

      // 6. The flush.
      if (visits) begin
        visit_writes = !cfg_flush_copies && occupied[visit_set][visit_way] && dirty[visit_at] != 0;
        visit_stalls = visit_writes && waiting(m_now, mem_space) >= cfg_memory_depth;
        walking <= 1'b1;
        if (visit_writes && !visit_stalls) begin
          m_entry[m_at] <= '{write: 1'b1, id: '0, tag: '0, line: tags[visit_at]};
          m_mask[m_at] <= dirty[visit_at];
          m_data[m_at] <= data[visit_at];
          m_now += 1;
          dirty[visit_at] <= '0;
        end
        if (visit_stalls) begin
          walk_way <= visit_way;
          walk_set <= visit_set;
        end else if (int'(visit_way) + 1 == int'(cfg_ways)) begin
          walk_way <= '0;
          walk_set <= visit_set + 1;
          walked <= int'(visit_set) + 1 == int'(cfg_sets);
        end else begin
          walk_way <= visit_way + 1;
          walk_set <= visit_set;
        end
      end
      if (flush_ends) begin
        walking <= 1'b0;
        walked <= 1'b0;
        occupied <= cfg_flush_copies ? occupied & ~copy : '0;
      end
      flush_done <= flush_ends;

      // 7. Queues and MSHRs.
      for (int unsigned p = 0; p < PORTS; ++p) begin
        q_count[p] <= q_count[p] + (QueueBits + 1)'(in_valid[p] && in_ready[p] && !in_bypass[p]) -
                      (QueueBits + 1)'(looked_up[p]);
        q_passing[p] <= q_passing[p] + (QueueBits + 1)'(passes[p]) - (QueueBits + 1)'(passed[p]);
        if (looked_up[p]) q_head[p] <= q_head[p] + 1;
        if (r_pop[p]) r_head[p] <= r_head[p] + 1;
        r_count[p] <= (ResponseBits + 1)'(r_now[p]);
      end
      if (m_pop) m_head <= m_head + 1;
      m_count <= (MemoryBits + 1)'(m_now);
      writes <= writes + 16'(write_back) + 16'(visit_writes && !visit_stalls) - 16'(acknowledged);
      if (x_pop) x_head <= x_head + 1;
      x_count <= (RemoteBits + 1)'(x_now);
      used <= used_now;

      ev_lookup <= runs;
      ev_lookup_local <= chosen;
      ev_outcome <= runs ? outcome[chosen] : kNothing;
      ev_id <= r.id;
      ev_evict <= runs && evicts[chosen];
      ev_write_back <= write_back || visit_writes && !visit_stalls;
      ev_miss_foreign <= fetches && r.foreign;
      ev_copy_kept <= fill[1] && fill_stays[1] && !fill_error[1];
    end
  end

  // Debug reads.

  way_t dbg_way;
  logic [MemoryBits-1:0] dbg_slot;
  always_comb begin
    dbg_hit = 1'b0;
    dbg_locked = 1'b0;
    dbg_way = '0;
    dbg_slot = m_head + dbg_entry;
    dbg_dirty = '0;
    dbg_data = '0;
    if (debug && dbg_queue) begin
      dbg_hit = (MemoryBits + 1)'(dbg_entry) < m_count && m_entry[dbg_slot].write &&
                m_entry[dbg_slot].line == dbg_line;
      dbg_dirty = m_mask[dbg_slot];
      dbg_data = m_data[dbg_slot];
    end else if (debug) begin
      for (int unsigned w = 0; w < WAYS; ++w) begin
        if (occupied[dbg_set][w] && tags[{dbg_set, way_t'(w)}] == dbg_line) begin
          dbg_hit = 1'b1;
          dbg_way = way_t'(w);
        end
      end
      dbg_locked = locked[dbg_set][dbg_way];
      dbg_dirty = dirty[{dbg_set, dbg_way}];
      dbg_data = data[{dbg_set, dbg_way}];
    end
  end
endmodule
