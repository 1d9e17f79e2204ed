/* A body of parts for `campaign predict`. Units take UNIT steps in each part that SHAPE has, of which the part
 * FASTER really has a fifth less. `commit` holds a lock that all flows share; `lead` is done by the first of
 * LEADERS units alone, so by one flow of as many. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "flowgauge.h"

enum { PARSE, COMMIT, CALL, LEAD, PARTS };
static const char *const names[] = {"parse", "commit", "call", "lead", NULL};
FLOWGAUGE_EXPORT flowgauge_parts_v1 flowgauge_parts = {.names = names};

/* Thousands of steps of each part, and of what is no part. */
static const long shape[][PARTS + 1] = {
    {120, 0, 0, 0, 80},  /* computing */
    {60, 0, 120, 0, 20}, /* system calls */
    {60, 120, 0, 0, 20}, /* a lock that all wait for */
    {60, 0, 0, 140, 60}, /* one flow leads, and all wait for it */
};
static volatile uint64_t sink;
static pthread_mutex_t *lock;
static int zero;

static void compute(long thousands) {
    uint64_t x = 88172645463325252u;
    for (long i = 0; i < 1000 * thousands; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    sink = x;
}

static void call(long thousands) {
    static __thread char bytes[4096];
    for (long i = 0; i < 8 * thousands; i++)
        if (read(zero, bytes, sizeof bytes) < 0) _exit(3);
}

static int prepare(const flowgauge_arg *args, size_t count, void **shared) {
    (void)args, (void)count, (void)shared;
    lock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    zero = open("/dev/zero", O_RDONLY);
    if (lock == MAP_FAILED || zero < 0) return 1;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    return pthread_mutex_init(lock, &attributes);
}

static void part(int which, void (*work)(long)) {
    long steps = shape[SHAPE][which];
    if (steps == 0) return;
    FLOWGAUGE_ENTER(which);
    work(which == FASTER ? steps * 4 / 5 : steps);
    FLOWGAUGE_LEAVE(which);
}

static int unit(void *shared, void *own, uint64_t unit, uint64_t ops, flowgauge_proof *proof) {
    (void)shared, (void)own;
    part(PARSE, compute);
    part(CALL, call);
    if (unit % LEADERS == 0) part(LEAD, compute);
    compute(shape[SHAPE][PARTS]);
    if (shape[SHAPE][COMMIT] > 0) {
        FLOWGAUGE_WAIT();
        pthread_mutex_lock(lock);
        FLOWGAUGE_WOKEN();
        part(COMMIT, compute);
        pthread_mutex_unlock(lock);
    }
    proof->count = ops;
    proof->checksum = unit;
    return 0;
}

FLOWGAUGE_EXPORT const flowgauge_body_v1 flowgauge_body = {.version = 1, .prepare = prepare, .unit = unit};
