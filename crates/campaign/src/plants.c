/* The same work, and something more of one kind: plants KIND AMOUNT. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

static void compute(long steps) {
    uint64_t x = 88172645463325252u;
    for (long i = 0; i < steps; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    sink = x;
}

/* One page at a time: faults, and no more memory. */
static void faults(long pages) {
    for (long i = 0; i < pages; i++) {
        char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *page = 1;
        munmap(page, 4096);
    }
}

static void memory(long megabytes) {
    size_t bytes = (size_t)megabytes << 20;
    if (bytes) memset(malloc(bytes), 1, bytes);
}

static void kernel(long calls) {
    for (long i = 0; i < calls; i++) syscall(SYS_getppid);
}

/* A byte from one process to another and back. */
static void switches(long turns) {
    int there[2], back[2];
    char byte = 1;
    if (pipe(there) || pipe(back)) exit(1);
    pid_t child = fork();
    if (child == 0) {
        for (long i = 0; i < turns; i++)
            if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1) _exit(1);
        _exit(0);
    }
    for (long i = 0; i < turns; i++)
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) exit(1);
    waitpid(child, 0, 0);
}

static void waiting(long microseconds) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, 0);
}

static void bytes(long blocks) {
    static char block[65536];
    FILE *zero = fopen("/dev/zero", "r");
    setvbuf(zero, 0, _IONBF, 0);
    for (long i = 0; i < blocks; i++)
        if (fread(block, sizeof block, 1, zero) != 1) exit(1);
}

int main(int count, char **words) {
    struct { const char *name; void (*more)(long); } all[] = {
        {"faults", faults}, {"memory", memory},   {"kernel", kernel}, {"switches", switches},
        {"waiting", waiting}, {"bytes", bytes}, {"computing", compute},
    };
    if (count < 3) return 2;
    /* Long enough that it is seen running, and that it has one thread. */
    compute(6000000);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(words[1], all[i].name)) return all[i].more(atol(words[2])), 0;
    return 2;
}
