/* A body that flowgauge runs as processes, threads and fibers: interface 1.
 *
 * A shared library exports one table, `flowgauge_body`:
 *
 *     #include "flowgauge.h"
 *     static int unit(void *shared, void *own, uint64_t unit, uint64_t ops, flowgauge_proof *proof) { ... }
 *     FLOWGAUGE_EXPORT const flowgauge_body_v1 flowgauge_body = { .version = 1, .unit = unit };
 *
 *     cc -O2 -shared -fPIC -o libmine.so mine.c
 *     flowgauge body ./libmine.so --units 100 --ops 1000
 *
 * Each launch is a process of its own that loads the library, prepares it, makes its flows, has them do
 * all units once or several times, and ends.
 */
#ifndef FLOWGAUGE_H
#define FLOWGAUGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define FLOWGAUGE_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define FLOWGAUGE_EXPORT __attribute__((visibility("default")))
#endif

/* `flags`: it may run as a fiber. It then does not block, and keeps nothing in thread-locals. */
#define FLOWGAUGE_FIBERS 1u

/* An argument of the command line, `--arg n=100`. */
typedef struct {
    const char *name;
    uint64_t value;
} flowgauge_arg;

/* What was done: a count, and a checksum over the results. Equal under every model, whatever flow did
 * which unit: those of all units are added up, modulo 2^64. */
typedef struct {
    uint64_t count;
    uint64_t checksum;
} flowgauge_proof;

/* Functions may be NULL, except `unit`. Those that return int return 0, or a number that the message of
 * the failure has. None of them may throw, or fork a child that returns. */
typedef struct {
    uint32_t version;        /* 1 */
    uint32_t flags;          /* FLOWGAUGE_FIBERS, or 0 */
    uint64_t stack_bytes;    /* stack of a fiber; 0: 256 KiB */
    const char *const *args; /* names of its arguments, ended by NULL; NULL: it has none */

    /* Once, in a process with one thread, before any flow. `args` are valid during the call alone;
     * arguments that the command line leaves out are not in them. What it makes is shared by threads and
     * fibers, and copied or shared by a fork as memory of that kind is. */
    int (*prepare)(const flowgauge_arg *args, size_t count, void **shared);

    /* In each flow, before the work is timed: what that flow alone uses. */
    int (*begin)(void *shared, uint64_t flow, void **own);

    /* Timed. Unit number `unit` of all, with `ops` operations. Several flows call it at once, each with its
     * own `own`; a unit is done by one flow. It does not print, and allocates only where that is the work. */
    int (*unit)(void *shared, void *own, uint64_t unit, uint64_t ops, flowgauge_proof *proof);

    /* In each flow that ends by itself, and once at the end of the process that prepared. A process that
     * is ended calls neither. */
    void (*end)(void *shared, void *own);
    void (*finish)(void *shared);
} flowgauge_body_v1;

/* Parts of a unit, for `--predict`, which says what the whole would gain if one of them were faster. A
 * library with parts defines this, with the names alone:
 *
 *     static const char *const parts[] = {"parse", "commit", NULL};
 *     FLOWGAUGE_EXPORT flowgauge_parts_v1 flowgauge_parts = { .names = parts };
 *
 * and marks them in `unit`; one does not lie in another. Around a wait for another flow stand FLOWGAUGE_WAIT
 * and FLOWGAUGE_WOKEN. A lock is given back after the end of the part that holds it:
 *
 *     FLOWGAUGE_ENTER(0); parse(); FLOWGAUGE_LEAVE(0);
 *     FLOWGAUGE_WAIT(); lock(); FLOWGAUGE_WOKEN();
 *     FLOWGAUGE_ENTER(1); commit(); FLOWGAUGE_LEAVE(1);
 *     unlock();
 *
 * Where nothing is predicted each of these is a test of a pointer. A part should take 10 us or more. */
typedef struct {
    const char *const *names;        /* ended by NULL */
    void (*enter)(uint32_t part);    /* these four are NULL, until flowgauge sets them */
    void (*leave)(uint32_t part);
    void (*wait)(void);
    void (*woken)(void);
} flowgauge_parts_v1;

#define FLOWGAUGE_ENTER(part) do { if (flowgauge_parts.enter) flowgauge_parts.enter(part); } while (0)
#define FLOWGAUGE_LEAVE(part) do { if (flowgauge_parts.leave) flowgauge_parts.leave(part); } while (0)
#define FLOWGAUGE_WAIT() do { if (flowgauge_parts.wait) flowgauge_parts.wait(); } while (0)
#define FLOWGAUGE_WOKEN() do { if (flowgauge_parts.woken) flowgauge_parts.woken(); } while (0)

#ifdef __cplusplus
}
#endif

#endif
