// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// What the threads of the pool's model share, and what such a model consists of.

#ifndef ASIO_EWYK_TEST_MODEL_ELASTIC_STATE_HPP
#define ASIO_EWYK_TEST_MODEL_ELASTIC_STATE_HPP

#include "small_list.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace model::elastic {

/// Where the pool is made worse.
enum class flaw
{
    none,
    leaves_once,               // leave() destroys what waits before it waits for what runs, not after
    unpins_in_silence,         // the last task of a client that leaves does not say so
    parks_without_look,
    queues_without_look,       // a submitter does not look for a parked thread again
    stop_wakes_none,
    retires_although_claimed,  // a thread that comes to its idle timeout ends although it was claimed
    counts_sleepers,           // a submitter starts no thread while any thread lives
    looks_if_last,             // a thread that ends looks for tasks only if no other thread lives
    ends_with_the_wake_up,     // a thread that is too many was woken for a task, and wakes no other
    frees_place_later,         // and frees its place in another step
};

struct config
{
    std::size_t workers = 1;      // max_threads
    bool all_parked = false;      // they are there from the beginning
    std::size_t submitters = 1;   // each executes one task: the first one of the client that leaves
    bool task_gives = false;      // the first submitter's task executes another one of the same client
    bool task_waits = false;      // and does not end before the last submitter's task has begun
    bool client_leaves = false;
    bool stops = false;
    bool shrinks = false;         // the limit becomes one thread
    bool idles_out = false;       // a thread that sleeps may come to its idle timeout
    flaw wrong = flaw::none;
};

inline constexpr std::size_t max_workers = 2;
inline constexpr std::size_t max_places = 2 * max_workers; // a thread keeps its place while it ends
inline constexpr std::size_t max_submitters = 5;
// Tasks: 1 to 5 by the submitters, or 3 by task 1. Tasks 1 and 3 belong to the client that may leave.
inline constexpr std::size_t tasks = 5;
inline constexpr byte look_around = 15;

struct worker
{
    byte line = 0;
    byte task = 0;
    byte job = 0;       // written by its claimer
};

struct state
{
    std::array<byte, 6> queue{};
    byte queued = 0;
    byte parked = 0;
    byte living = 0;         // threads that are there, or about to be
    byte used = 0;           // places: of those that live, and of those that end
    byte starting = 0;
    byte arriving = 0;       // those that have not looked in the queue yet
    byte stopping = 0;
    byte pins = 0;           // of the client: threads that run a task of it
    byte leaving = 0;
    byte waits = 0;          // a client that leaves sleeps
    byte gone = 0;           // leave() has returned
    byte ran = 0;
    byte destroyed = 0;
    std::array<worker, max_places> workers{};
    std::array<byte, max_submitters> submitter_line{};
    std::array<byte, max_submitters> submitter_thread{};
    byte leaver_line = 0;
    byte stopper_line = 0;
    byte limit = 0;          // of the threads that live
    byte shrinker_line = 0;
    byte claimed = 0;        // by what has changed the limit
};

}

#endif
