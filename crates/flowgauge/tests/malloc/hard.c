/* What allocators are seldom asked for, each by its name; exits with the line that fails. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(what) do { if (!(what)) exit(__LINE__ % 200 + 1); } while (0)

/* Takes blocks of that size until there are no more, frees them, and can take as many again. */
static size_t until_none(size_t size) {
    void **last = NULL;
    size_t count = 0;
    for (;; count++) {
        errno = 0;
        void **block = malloc(size);
        if (!block) break;
        *block = last;
        last = block;
    }
    MUST(errno == ENOMEM);
    while (last) {
        void **next = *last;
        free(last);
        last = next;
    }
    return count;
}

static void exhaust(void) {
    struct rlimit limit = { 96 << 20, 96 << 20 };
    MUST(setrlimit(RLIMIT_AS, &limit) == 0);
    const size_t sizes[] = { 40, 5000, 100000, 3 << 20 };
    for (int at = 0; at < 4; at++) {
        size_t first = until_none(sizes[at]);
        MUST(first * sizes[at] > 16 << 20);
        MUST(until_none(sizes[at]) > first / 2);
    }
}

static void many(void) {
    enum { BLOCKS = 10000000 };
    void **blocks = malloc(BLOCKS * sizeof *blocks);
    MUST(blocks);
    for (size_t at = 0; at < BLOCKS; at++) {
        blocks[at] = malloc(8 + at % 9);
        MUST(blocks[at]);
        *(size_t *)blocks[at] = at;
    }
    for (size_t at = 0; at < BLOCKS; at++) {
        MUST(*(size_t *)blocks[at] == at);
        free(blocks[at]);
    }
}

static void *one_thread(void *argument) {
    char *block = malloc(100);
    MUST(block);
    memset(block, 1, 100);
    free(argument);
    return block;
}

static void threads(void) {
    enum { THREADS = 10000 };
    static pthread_t made[THREADS];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    int count = 0;
    while (count < THREADS && pthread_create(&made[count], &small, one_thread, malloc(50)) == 0) count++;
    MUST(count > 0);
    for (int at = 0; at < count; at++) {
        void *block;
        MUST(pthread_join(made[at], &block) == 0);
        MUST(((char *)block)[99] == 1);
        free(block);
    }
}

static void no_advice(void) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { 4, steps };
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        puts("this kernel has no seccomp filters");
        return;
    }
    enum { BLOCKS = 200000 };
    static char *blocks[BLOCKS];
    for (int round = 0; round < 3; round++) {
        for (int at = 0; at < BLOCKS; at++) {
            MUST(blocks[at] = calloc(1, 100 + at % 900));
            MUST(blocks[at][99] == 0);
            memset(blocks[at], 1, 100);
        }
        for (int at = 0; at < BLOCKS; at++) free(blocks[at]);
    }
}

/* Allocates while it is sent from CPU to CPU, and may end on one alone. */
static void moved(void) {
    cpu_set_t allowed;
    MUST(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    static char *blocks[5000];
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        MUST(sched_setaffinity(0, sizeof one, &one) == 0);
        for (int at = 0; at < 5000; at++) {
            MUST(!blocks[at] || blocks[at][60] == 7);
            free(blocks[at]);
            MUST(blocks[at] = malloc(61 + at % 700));
            blocks[at][60] = 7;
        }
    }
}

static volatile int is_over;

static void *busy(void *argument) {
    unsigned next = (unsigned)(uintptr_t)argument;
    char *blocks[200] = { 0 };
    while (!is_over) {
        next = next * 1103515245 + 12345;
        int at = (next >> 8) % 200;
        free(blocks[at]);
        MUST(blocks[at] = malloc((next >> 4) % 3000 + 1));
        *blocks[at] = 1;
    }
    for (int at = 0; at < 200; at++) free(blocks[at]);
    return NULL;
}

/* Blocks of all kinds, each of which keeps its bytes. */
static void use_all_kinds(void) {
    const size_t sizes[] = { 16, 300, 5000, 40000, 700000, 3 << 20 };
    char *blocks[18];
    for (int at = 0; at < 18; at++) {
        size_t size = sizes[at % 6];
        MUST(blocks[at] = malloc(size));
        memset(blocks[at], at, size);
    }
    for (int at = 0; at < 18; at++) {
        MUST(blocks[at] = realloc(blocks[at], sizes[at % 6] * 2));
        MUST(blocks[at][0] == at && blocks[at][sizes[at % 6] - 1] == at);
        free(blocks[at]);
    }
}

/* A copy of a process with threads, made without the C library: locks may be held in it by nobody. */
static void copied(void) {
    pthread_t made[4];
    for (uintptr_t at = 0; at < 4; at++) MUST(pthread_create(&made[at], NULL, busy, (void *)(at + 1)) == 0);
    for (int copy = 0; copy < 60; copy++) {
        pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            alarm(60);
            use_all_kinds();
            if (copy % 20 == 0 && fork() == 0) use_all_kinds(), _exit(0);
            int ended = 0;
            while (wait(&ended) > 0) MUST(ended == 0);
            _exit(0);
        }
        int ended;
        MUST(waitpid(child, &ended, 0) == child && ended == 0);
    }
    is_over = 1;
    for (int at = 0; at < 4; at++) pthread_join(made[at], NULL);
}

static volatile sig_atomic_t signals;

static void allocates(int signal) {
    char *block = malloc(64), *large = malloc(200000);
    MUST(block && large);
    *block = *large = 1;
    free(large);
    free(block);
    signals += signal > 0;
}

/* A handler that allocates, wherever it interrupts the allocator. */
static void interrupted(void) {
    struct sigaction action = { .sa_handler = allocates };
    MUST(sigaction(SIGALRM, &action, NULL) == 0);
    struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
    MUST(setitimer(ITIMER_REAL, &often, NULL) == 0);
    static char *blocks[300];
    unsigned next = 7;
    while (signals < 3000) {
        next = next * 1103515245 + 12345;
        int at = (next >> 8) % 300;
        MUST(!blocks[at] || *blocks[at] == (char)at);
        free(blocks[at]);
        MUST(blocks[at] = malloc((next >> 4) % 300 + 1));
        *blocks[at] = at;
    }
    MUST(setitimer(ITIMER_REAL, &never, NULL) == 0);
    for (int at = 0; at < 300; at++) free(blocks[at]);
}

int main(int count, char **words) {
    const char *names[] = { "exhaust", "many", "threads", "no-advice", "moved", "copied", "interrupted" };
    void (*all[])(void) = { exhaust, many, threads, no_advice, moved, copied, interrupted };
    for (int at = 0; at < 7; at++) {
        if (count > 1 && !strcmp(words[1], names[at])) return all[at](), 0;
    }
    return 255;
}
