#pragma once
// EventCount: sleeping and waking across processes, in one word of shared memory. A process that
// dies asleep leaves a bit behind that costs the next ringer one useless system call, nothing else.
// Not a lock, not a queue: it says "look again", never what happened.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace az {

// How long a sleeper stays in the kernel at most: a longer wait looks again in between.
inline constexpr std::chrono::microseconds kLongestSleep{100'000};

// FUTEX_WAKE of every sleeper of the word, in any process.
void FutexWakeAll(std::atomic<std::uint32_t>& word);
// Sleeps while the word is `seen`, at most `limit`. Returns early for no reason at all now and
// then.
void FutexWait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
               std::chrono::microseconds limit);

// word = rings << 1 | a waiter sleeps or is about to.
//
// No wake-up is lost: Ring and the waiter's fetch_or change one word, so one of them is first. If
// Ring is, the waiter's fetch_or reads from it and its second ready() sees what was stored before
// Ring. If the waiter is, Ring sees bit 0 and wakes, or the word has changed before the waiter is
// in the kernel and FUTEX_WAIT returns at once.
//
// Thread-safe, across processes; one waiter a word.
struct alignas(64) EventCount {
  std::atomic<std::uint32_t> word;

  // True when a sleeper was woken. What the waiter is to see must be stored before.
  bool Ring() {
    const bool wake = (word.fetch_add(2, std::memory_order_seq_cst) & 1) != 0;
    if (wake) FutexWakeAll(word);
    return wake;
  }

  // Sleeps until ready() or the limit; what ready() says at the end. False is no error: look again.
  template <class Ready>
  bool Await(Ready ready, std::chrono::microseconds limit) {
    if (ready()) return true;
    const std::uint32_t seen = word.fetch_or(1, std::memory_order_seq_cst) | 1;
    if (!ready()) FutexWait(word, seen, limit);
    word.fetch_and(~1u, std::memory_order_relaxed);
    return ready();
  }

  bool HasSleeper() const { return (word.load(std::memory_order_relaxed) & 1) != 0; }
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(EventCount) == 64);

}  // namespace az
