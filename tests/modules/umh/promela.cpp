// SPDX-License-Identifier: Apache-2.0
#include "tests/modules/umh/promela.h"

#include <functional>
#include <stdexcept>

namespace tessera::umh::test {

namespace {

/// "#define NAME(s) ((s) == N || ...)": the states for which `holds`.
std::string condition(const std::string& name, const std::function<bool(std::size_t)>& holds) {
  std::string text;
  for (std::size_t s = 0; s < kStates; ++s) {
    if (!holds(s)) continue;
    text += (text.empty() ? "" : " || ") + ("(s) == " + std::string(1, letter(State(s))));
  }
  return "#define " + name + "(s) (" + (text.empty() ? "false" : text) + ")\n";
}

/// "#define NAME(s) ((s) == N -> M : ...)": the state after each state.
std::string successor(const std::string& name, const std::function<State(std::size_t)>& next) {
  std::string text(1, letter(next(kStates - 1)));
  for (std::size_t s = kStates - 1; s-- > 0;) {
    text =
        std::string("((s) == ") + letter(State(s)) + " -> " + letter(next(s)) + " : " + text + ")";
  }
  return "#define " + name + "(s) " + text + "\n";
}

std::string macros(const TransitionTable& t) {
  std::string text;
  for (std::size_t s = 0; s < kStates; ++s) {
    text += std::string("#define ") + letter(State(s)) + " " + std::to_string(s) + "\n";
  }
  const std::array<const char*, kActions> actions = {"LOAD", "STORE", "NSTORE"};
  for (std::size_t a = 0; a < kActions; ++a) {
    const std::string name = actions[a];
    const auto needs = [&t, a](Need need) {
      return [&t, a, need](std::size_t s) { return t.action[s][a].need == need; };
    };
    text += condition(name + "_HITS", needs(Need::kHit));
    text += condition(name + "_READS", needs(Need::kReadRequest));
    text += successor(name + "_NEXT", [&t, a](std::size_t s) { return t.action[s][a].next; });
  }
  const std::array<const char*, kIncoming> incoming = {"EVICTION", "READ_REQUEST", "WRITE_REQUEST"};
  for (std::size_t i = 0; i < kIncoming; ++i) {
    const std::string name = incoming[i];
    text += condition(name + "_SENDS", [&t, i](std::size_t s) {
      return t.incoming[s][i].transfer != Transfer::kNone;
    });
    text += successor(name + "_NEXT", [&t, i](std::size_t s) { return t.incoming[s][i].next; });
  }
  return text;
}

constexpr char kModel[] = R"promela(
#define PLACES (CACHES * LINES)
#define NONE CACHES
#define OWNS(s) ((s) == M || (s) == O || (s) == E)
#define EXCLUSIVE(s) ((s) == M || (s) == E)
#define AT(c, l) ((c) * LINES + (l))
#define BIT(i) (1 << (i))
#define BYTE(c) (BIT((c) % 2))
#define FREE(c, l) (state[AT(c, l)] == I && waits[AT(c, l)] == 0)
#if LINES == 2
#define FRAME(c, l) (state[AT(c, l)] != I || FREE(c, 1 - (l)))
#define ALONE(c) (FREE(c, 0) || FREE(c, 1))
#elif defined(OTHER_LINE)
#define FRAME(c, l) (state[AT(c, l)] != I || !occupied[c])
#define ALONE(c) (!occupied[c] || FREE(c, 0))
bool occupied[CACHES];   /* the other line has the frame */
#else
#define FRAME(c, l) (true)
#define ALONE(c) (true)
#endif

mtype = {load, store, nstore, read, write};

byte state[PLACES] = I;
byte dirty[PLACES];
mtype waits[PLACES];
byte buffer[PLACES];     /* bytes of a write-back that no snoop has taken */
bool evicting[PLACES];
byte stored[PLACES];     /* ghost */
byte flying[PLACES];     /* ghost */
bool taken[PLACES];      /* a snoop has taken the bytes of the write-back */
byte sharers[LINES];
byte owner[LINES] = NONE;
bool voided[PLACES];

chan request[PLACES] = [1] of {mtype};
chan write_back[PLACES] = [1] of {byte, bool};
chan snoop[PLACES] = [1] of {mtype};
chan response[PLACES] = [1] of {byte, byte, bool, bool};
chan grant[PLACES] = [1] of {byte};
chan grant_ack[PLACES] = [1] of {bit};
chan write_back_ack[PLACES] = [1] of {bit};

#define SOUND(c, l) \
  ((state[AT(c, l)] == I || (sharers[l] & BIT(c))) && \
   (!OWNS(state[AT(c, l)]) || owner[l] == (c)) && \
   (stored[AT(c, l)] & ~(dirty[AT(c, l)] | flying[AT(c, l)] | buffer[AT(c, l)])) == 0)
#define APART(c, d, l) \
  ((!EXCLUSIVE(state[AT(c, l)]) || state[AT(d, l)] == I) && \
   (state[AT(c, l)] != M || stored[AT(d, l)] == 0))
#if CACHES == 3
#define CHECK(l) \
  assert(ALONE(0) && ALONE(1) && ALONE(2)); \
  assert(SOUND(0, l) && SOUND(1, l) && SOUND(2, l)); \
  assert(APART(0, 1, l) && APART(0, 2, l) && APART(1, 0, l) && APART(1, 2, l) && \
         APART(2, 0, l) && APART(2, 1, l))
#else
#define CHECK(l) \
  assert(ALONE(0) && ALONE(1)); \
  assert(SOUND(0, l) && SOUND(1, l)); \
  assert(APART(0, 1, l) && APART(1, 0, l))
#endif

inline perform(k, a) {
  if
  :: a == load -> state[k] = LOAD_NEXT(state[k])
  :: a == store ->
     state[k] = STORE_NEXT(state[k]);
     dirty[k] = dirty[k] | BYTE(c)
  :: a == nstore ->
     state[k] = NSTORE_NEXT(state[k]);
     dirty[k] = dirty[k] | BYTE(c);
     if
     :: !EXCLUSIVE(state[k]) -> stored[k] = stored[k] | BYTE(c)
     :: else -> skip
     fi
  fi
}

#ifdef OTHER_LINE
/* Takes a free frame and leaves it at any time. */
proctype other_line(byte c) {
end:
  do
  :: atomic { !occupied[c] && FREE(c, 0) -> occupied[c] = true }
  :: occupied[c] -> occupied[c] = false
  od
}
#endif

proctype cache(byte c; byte l) {
  byte g;
  byte d;
  bool v;
  bool n;
  mtype m;
  byte k = AT(c, l);
end:
  do
  :: atomic { waits[k] == 0 && !evicting[k] && LOAD_HITS(state[k]) -> perform(k, load); CHECK(l) }
  :: atomic { waits[k] == 0 && !evicting[k] && STORE_HITS(state[k]) -> perform(k, store); CHECK(l) }
  :: atomic { waits[k] == 0 && !evicting[k] && NSTORE_HITS(state[k]) -> perform(k, nstore); CHECK(l) }
  :: atomic { waits[k] == 0 && !evicting[k] && !LOAD_HITS(state[k]) && FRAME(c, l) ->
       waits[k] = load; request[k] ! (LOAD_READS(state[k]) -> read : write) }
  :: atomic { waits[k] == 0 && !evicting[k] && !STORE_HITS(state[k]) && FRAME(c, l) ->
       waits[k] = store; request[k] ! (STORE_READS(state[k]) -> read : write) }
  :: atomic { waits[k] == 0 && !evicting[k] && !NSTORE_HITS(state[k]) && FRAME(c, l) ->
       waits[k] = nstore; request[k] ! (NSTORE_READS(state[k]) -> read : write) }
  :: atomic { waits[k] == 0 && !evicting[k] && state[k] != I ->
       if
       :: EVICTION_SENDS(state[k]) ->
          evicting[k] = true;
          buffer[k] = dirty[k];
          write_back[k] ! dirty[k], (state[k] != M);
          dirty[k] = 0
       :: else -> skip
       fi;
       state[k] = EVICTION_NEXT(state[k]); CHECK(l) }
  :: atomic { snoop[k] ? m ->
       d = 0; v = false; n = false;
       if
       :: evicting[k] && !taken[k] -> d = buffer[k]; buffer[k] = 0; v = true; taken[k] = true; n = (d != 0)
       :: else -> skip
       fi;
       if
       :: m == write && WRITE_REQUEST_SENDS(state[k]) -> 
          n = n || (dirty[k] != 0 && state[k] != M); d = d | dirty[k]; dirty[k] = 0
       :: m == read && READ_REQUEST_SENDS(state[k]) ->
          n = n || (dirty[k] != 0 && state[k] != M); d = d | dirty[k]; dirty[k] = 0
       :: else -> skip
       fi;
       state[k] = (m == write -> WRITE_REQUEST_NEXT(state[k]) : READ_REQUEST_NEXT(state[k]));
       flying[k] = d;
       response[k] ! state[k], d, n, v;
       d = 0; v = false; n = false; m = 0;
       CHECK(l) }
  :: atomic { grant[k] ? g ->
       state[k] = g; perform(k, waits[k]); waits[k] = 0; g = 0; CHECK(l); grant_ack[k] ! 1 }
  :: atomic { write_back_ack[k] ? _ -> evicting[k] = false; taken[k] = false; buffer[k] = 0; CHECK(l) }
  od
}

inline forget(k) {
  sharers[l] = sharers[l] & ~BIT(k);
  if
  :: owner[l] == k -> owner[l] = NONE
  :: else -> skip
  fi
}

/* Snoops the caches in `todo`, and then those whose copies lack merged bytes. */
inline snoop_all(reads) {
  do
  :: todo != 0 ->
     i = 0;
     do
     :: i < CACHES && (todo & BIT(i)) ->
        snoop[AT(i, l)] ! kind;
        atomic { response[AT(i, l)] ? s, d, n, v ->
          stored[AT(i, l)] = stored[AT(i, l)] & ~d;
          flying[AT(i, l)] = 0;
          if
          :: n -> origins = origins | BIT(i)
          :: else -> skip
          fi;
          if
          :: v -> voided[AT(i, l)] = true
          :: else -> skip
          fi;
          if
          :: s == I -> forget(i)
          :: s != I && !OWNS(s) && owner[l] == i -> owner[l] = NONE
          :: else -> skip
          fi;
          i++ }
     :: i < CACHES && !(todo & BIT(i)) -> i++
     :: i == CACHES -> break
     od;
     stale(reads)
  :: else -> break
  od
}

inline stale(reads) {
  atomic {
    todo = 0;
    i = 0;
    do
    :: i < CACHES && (sharers[l] & BIT(i)) && (origins & ~BIT(i)) && !(reads && i == r) ->
       todo = todo | BIT(i); i++
    :: i < CACHES && !((sharers[l] & BIT(i)) && (origins & ~BIT(i)) && !(reads && i == r)) -> i++
    :: i == CACHES -> break
    od;
    i = 0; s = 0; d = 0; n = false; v = false;
    kind = write
  }
}

inline serve(c) {
  r = c;
  origins = 0;
  kind = m;
  todo = (m == write -> sharers[l] & ~BIT(r)
                     : (owner[l] != NONE && owner[l] != r -> BIT(owner[l]) : 0));
  snoop_all((m == read));
  atomic {
    s = (m == write -> M : ((sharers[l] & ~BIT(r)) == 0 -> E : S));
    if
    :: EXCLUSIVE(s) -> owner[l] = r; sharers[l] = BIT(r)
    :: else ->
       sharers[l] = sharers[l] | BIT(r);
       if
       :: owner[l] == r -> owner[l] = NONE
       :: else -> skip
       fi
    fi;
    grant[AT(r, l)] ! s
  }
  atomic { grant_ack[AT(r, l)] ? _ -> r = 0; s = 0; origins = 0; kind = 0; m = 0 }
}

inline take_back(c) {
  r = c;
  origins = 0;
  if
  :: voided[AT(r, l)] -> voided[AT(r, l)] = false
  :: else ->
     stored[AT(r, l)] = stored[AT(r, l)] & ~d;
     if
     :: n && d != 0 -> origins = BIT(r)
     :: else -> skip
     fi;
     forget(r)
  fi;
  stale(false);
  snoop_all(false);
  atomic { write_back_ack[AT(r, l)] ! 1; r = 0; origins = 0; kind = 0 }
}

proctype directory(byte l) {
  byte r;
  byte todo;
  byte origins;
  byte s;
  byte d;
  byte i;
  bool n;
  bool v;
  mtype m;
  mtype kind;
end:
  do
  :: atomic { request[AT(0, l)] ? m -> serve(0) }
  :: atomic { request[AT(1, l)] ? m -> serve(1) }
  :: atomic { write_back[AT(0, l)] ? d, n -> take_back(0) }
  :: atomic { write_back[AT(1, l)] ? d, n -> take_back(1) }
#if CACHES == 3
  :: atomic { request[AT(2, l)] ? m -> serve(2) }
  :: atomic { write_back[AT(2, l)] ? d, n -> take_back(2) }
#endif
  od
}

init {
  atomic {
    run directory(0); run cache(0, 0); run cache(1, 0);
#if CACHES == 3
    run cache(2, 0);
#endif
#ifdef OTHER_LINE
    run other_line(0); run other_line(1);
#if CACHES == 3
    run other_line(2);
#endif
#endif
#if LINES == 2
    run directory(1); run cache(0, 1); run cache(1, 1);
#if CACHES == 3
    run cache(2, 1);
#endif
#endif
    skip
  }
}
)promela";

}  // namespace

std::string promela_model(const TransitionTable& table, ModelLines lines, unsigned gpus) {
  if (gpus != 1 && gpus != 2) throw std::invalid_argument("the model has 1 or 2 GPUs");
  return std::string(
             "/* Generated from UMH's Table II (modules/umh/nmoesi.h). */\n#define LINES ") +
         (lines == ModelLines::kTwo ? "2" : "1") +
         (lines == ModelLines::kOneOfTwo ? "\n#define OTHER_LINE" : "") + "\n#define CACHES " +
         std::to_string(gpus + 1) + "\n" + macros(table) + kModel;
}

}  // namespace tessera::umh::test
