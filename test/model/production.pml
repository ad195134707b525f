/* The right to produce with loans, the pool's thread that stands by, and the reactor's sleep: the
   same protocol as protocol.hpp, written once more from detail/production.hpp and its users, so
   that what the explorer cannot say is shown: under weak fairness, pending work is run.

   A caller is inside run() and may leave it once and come again; the pool has one thread; two
   threads post. The first task blocks until another one has begun; it may be handed over, or given
   to the pool. The second one may be handed over. The others are non_blocking.

   The looks of the thread that stands by come at any time: its sleep ends by itself. It stands down
   where a task waits for the pool; else at any time, but twice only: in truth that takes it
   milliseconds in which nothing is lent, which cannot come again and again between a producer's
   request for it and the loan.

   -DMUTANT=<n> puts a bug in; the verifier must find each of them. */

#ifndef MUTANT
#define MUTANT 0
#endif
#define SLEEPS_BEFORE_SAYING_SO 1 /* the producer looks for posts, then says that it sleeps (netty#9561) */
#define JUST_LEAVES 2             /* who stands by leaves although somebody counts on it */
#define LATE_GOES_ON 3            /* who comes back from a late task produces on (jetty#2468) */
#define CLEARS_LATE 4             /* the wake-up is taken, and may be sent again, after the look */
#define ASKS_BEFORE_RELEASE 5     /* hand-over asks for a thread, then gives up the right */
#define STAYS_ALTHOUGH_NEEDED 6   /* who stands by does not leave for a task that waits for the pool */

#define TASKS 3

mtype = { idle, producing, reproducing, lent }
mtype state = idle;
bool pending = false;   /* a thread was asked to come and produce, or stands by */
byte loan = 0;          /* the number of the last loan, modulo 4 */

/* The reactor. */
byte posted = 0;
byte ready = 0;
bool asleep = true;
bool wake_queued = false;
byte wake_ups = 0;      /* in the io_context's queue */

/* The pool. */
bool parked = false;
bool claimed = false;   /* was parked, and has been given the engine, */
bool look_around = false; /* or is to look in the queue */
byte queued = 0;
bool wants_to_leave = false; /* who stands by is needed for what is queued */

/* The caller who has nothing to do. */
bool guest = false;
bool guest_to_produce = false; /* was a guest, and has been given the engine, */
bool guest_to_run = false;     /* or a task, */
bool guest_to_look = false;    /* or is to look around */

/* What is to be shown. */
byte submitted = 0;
byte taken = 0;         /* tasks that have been produced */
byte begun = 0;
byte ran = 0;
byte producers = 0;

ltl work_pending_leads_to_work_run { [] ((submitted > ran) -> <> (submitted == ran)) }

inline gain()
{
    producers++;
    assert(producers == 1)
}

inline wake_up()
{
    atomic { was = wake_queued; wake_queued = true };
    if
    :: was
    :: else -> wake_ups++
    fi
}

inline run_task(blocks)
{
    begun++;
    if
    :: blocks -> (begun > 1)
    :: else
    fi;
    ran++
}

/* The next task; or, once, the caller has to leave. */
inline reactor_produce(may_leave)
{
    asleep = false;
    do
    :: ready > 0 -> ready--; none = false; break
    :: may_leave && !left ->
        left = true;
        asleep = true;
        if
        :: ready > 0 || posted > 0 -> wake_up()
        :: else
        fi;
        none = true;
        break
    :: ready == 0 && posted > 0 ->
        atomic { ready = posted; posted = 0 };
        if
        :: MUTANT == CLEARS_LATE -> wake_queued = false
        :: else
        fi
    :: ready == 0 && posted == 0 ->
        if
        :: MUTANT != SLEEPS_BEFORE_SAYING_SO -> asleep = true; found = posted > 0
        :: else -> asleep = true
        fi;
        if
        :: found
        :: else ->
            wake_ups > 0;
            wake_ups--;
            if
            :: MUTANT != CLEARS_LATE -> wake_queued = false
            :: else
            fi
        fi;
        found = false;
        asleep = false
    od
}

/* Gets a thread that will come: the caller, or the pool's. */
inline try_start()
{
    atomic {
        if
        :: guest -> guest = false; guest_to_produce = true; started = true
        :: !guest && parked -> parked = false; claimed = true; started = true
        :: else -> started = false
        fi
    }
}

inline engage()
{
    atomic { was = pending; pending = true };
    if
    :: was -> started = true
    :: else ->
        atomic {
            if
            :: parked -> parked = false; claimed = true; started = true
            :: else -> pending = false; started = false
            fi
        }
    fi
}

inline lend()
{
    do
    :: atomic {
        pending ->
            state = lent;
            loan = (loan + 1) % 4;
            mine = loan;
            producers--;
            on_loan = true
        };
        break
    :: !pending ->
        engage();
        if
        :: started
        :: else -> on_loan = false; break
        fi
    od
}

inline hand_over()
{
    if
    :: MUTANT == ASKS_BEFORE_RELEASE -> try_start()
    :: else
    fi;
    atomic { was = pending; pending = true; state = idle; producers-- };
    if
    :: was -> handed = true
    :: else ->
        if
        :: MUTANT != ASKS_BEFORE_RELEASE -> try_start()
        :: else
        fi;
        handed = started;
        if
        :: handed
        :: else ->
            atomic {
                pending = false;
                if
                :: state == idle || state == lent -> state = producing; gain()
                :: else -> handed = true
                fi
            }
        fi
    fi
}

/* Has another thread run it: a guest at once, or else whoever looks in the pool's queue. */
inline give()
{
    atomic {
        if
        :: guest -> guest = false; guest_to_run = true; started = true
        :: else -> started = false
        fi
    };
    if
    :: started
    :: else ->
        atomic {
            queued++;
            if
            :: parked -> parked = false; look_around = true
            :: else
            fi
        };
        atomic {
            if
            :: queued > 0 && guest -> guest = false; guest_to_look = true
            :: else
            fi
        }
    fi
}

inline resume()
{
    atomic {
        if
        :: state == idle || MUTANT == LATE_GOES_ON -> state = producing; gain(); goes_on = true
        :: else -> goes_on = false
        fi
    }
}

/* The producer, until another one produces or there is nothing to do. */
inline produce_and_consume(may_leave)
{
    goes_on = true;
    do
    :: !goes_on -> break
    :: else ->
        reactor_produce(may_leave);
        if
        :: none ->
            atomic {
                if
                :: state == reproducing -> state = producing
                :: else -> state = idle; producers--; goes_on = false
                fi
            }
        :: else ->
            atomic { taken++; task = taken };
            if
            :: task > 2 -> run_task(false)
            :: else ->
                on_loan = false;
                if
                :: wants_to_leave
                :: else -> lend()
                fi;
                if
                :: on_loan ->
                    run_task(task == 1);
                    atomic {
                        if
                        :: state == lent && loan == mine ->
                            state = producing; gain(); goes_on = true; late = false
                        :: else -> late = true
                        fi
                    };
                    if
                    :: late -> resume()
                    :: else
                    fi
                :: else ->
                    /* While it wants to leave, what may go to the pool instead does. */
                    handed = false;
                    if
                    :: wants_to_leave && task == 1
                    :: else -> hand_over()
                    fi;
                    if
                    :: handed -> run_task(task == 1); resume()
                    :: !handed && task == 2 -> run_task(false)
                    :: else -> give()
                    fi
                fi
            fi
        fi
    od
}

/* arrive, of a thread that was asked for. */
inline arrive()
{
    atomic {
        pending = false;
        if
        :: state == idle || state == lent -> state = producing; gain(); goes_on = true
        :: else -> goes_on = false
        fi
    }
}

/* The caller parks, and then looks once more; and is woken. */
inline rest()
{
    guest = true;
    if
    :: state == idle || queued > 0 -> atomic { was = guest; guest = false }
    :: else -> was = false
    fi;
    if
    :: was
    :: else ->
        if
        :: guest_to_look -> guest_to_look = false
        :: guest_to_run -> guest_to_run = false; run_task(true)
        :: guest_to_produce -> guest_to_produce = false; arrive()
        fi
    fi
}

proctype caller()
{
    bool none, was, found, started, handed, goes_on, on_loan, late, left;
    byte mine, task;

    do
    :: atomic {
        if
        :: state == idle -> state = producing; gain(); goes_on = true
        :: state == producing || state == reproducing -> state = reproducing; goes_on = false
        :: else -> goes_on = false
        fi
        };
        if
        :: goes_on
        :: else ->
            if
            :: atomic { queued > 0 -> queued-- }; run_task(true)
            :: else -> rest()
            fi
        fi;
        if
        :: goes_on -> produce_and_consume(true)
        :: else
        fi
    od
}

proctype pool_thread()
{
    bool none, was, found, started, handed, goes_on, on_loan, late, left;
    byte mine, task, seen, stood_down;

    do
    :: atomic { queued > 0 -> queued-- }; run_task(true)
    :: else ->
        parked = true;
        if
        :: atomic { queued > 0 && parked -> parked = false }
        :: else ->
            if
            :: look_around -> look_around = false
            :: claimed ->
                claimed = false;
                /* Stands by. */
                do
                :: queued > 0 && !wants_to_leave && MUTANT != STAYS_ALTHOUGH_NEEDED -> wants_to_leave = true
                :: state == idle -> arrive(); break
                :: state == lent ->
                    seen = loan;
                    if
                    :: atomic { MUTANT == JUST_LEAVES -> pending = false; goes_on = false }; break
                    :: atomic {
                        state == lent && loan == seen && MUTANT != JUST_LEAVES ->
                            pending = false; state = producing; gain(); goes_on = true
                        };
                        break
                    :: !(state == lent && loan == seen) && MUTANT != JUST_LEAVES
                    fi
                :: atomic {
                    (state == producing || state == reproducing) && (stood_down < 2 || wants_to_leave) ->
                        stood_down = (wants_to_leave -> stood_down : stood_down + 1);
                        pending = false; goes_on = false
                    };
                    break
                od;
                wants_to_leave = false;
                if
                :: goes_on -> produce_and_consume(false)
                :: else
                fi
            fi
        fi
    od
}

proctype poster(byte n)
{
    bool was;

    do
    :: n > 0 ->
        n--;
        atomic { posted++; submitted++ };
        if
        :: asleep -> wake_up()
        :: else
        fi
    :: else -> break
    od
}

init
{
    atomic {
        run caller();
        run pool_thread();
        run poster(TASKS - 1);
        run poster(1)
    }
}
