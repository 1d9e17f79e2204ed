/* Threads that allocate, hand blocks to each other, are moved between CPUs and fork in the middle
 * of it; each child allocates too. Prints the sum of what every block held. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, STEPS = 30000, PLACES = 256, FORKS = 12 };
static _Atomic(unsigned char *) places[PLACES];
static atomic_ulong bad;

static unsigned char *made(unsigned number) {
    size_t size = 16 + number * 37 % 3000 + (number % 511 == 0 ? 3 << 20 : 0);
    unsigned char *block = malloc(size);
    if (!block) abort();
    memcpy(block, &size, sizeof size);
    memset(block + 8, (int)(size % 251), size - 8);
    return block;
}

static void checked(unsigned char *block) {
    if (!block) return;
    size_t size;
    memcpy(&size, block, sizeof size);
    unsigned char want = size % 251;
    if (size > 8 && (block[8] != want || block[size - 1] != want)) atomic_fetch_add(&bad, 1);
    free(block);
}

static void child(void) {
    for (unsigned number = 0; number < 500; number++) checked(made(number));
    _exit(atomic_load(&bad) ? 1 : 0);
}

static void *work(void *argument) {
    unsigned number = (unsigned)(uintptr_t)argument * 7919 + 1;
    for (int step = 0; step < STEPS; step++) {
        number = number * 1664525 + 1013904223;
        checked(atomic_exchange(&places[number / 65536 % PLACES], made(number / 4096)));
        if (step % 1000 == 0) sched_yield();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (uintptr_t at = 0; at < THREADS; at++) pthread_create(&threads[at], NULL, work, (void *)at);
    int failed = 0;
    for (int at = 0; at < FORKS; at++) {
        pid_t pid = fork();
        if (pid == 0) child();
        int status = 1;
        waitpid(pid, &status, 0);
        failed += status != 0;
    }
    for (int at = 0; at < THREADS; at++) pthread_join(threads[at], NULL);
    for (int at = 0; at < PLACES; at++) checked(places[at]);
    printf("%lu wrong blocks, %d failed children\n", atomic_load(&bad), failed);
    return 0;
}
