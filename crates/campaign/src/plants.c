/* The same work, and something more of one kind: plants KIND AMOUNT. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
    if (!bytes) return;
    char *held = malloc(bytes);
    memset(held, 1, bytes);
    sink += held[bytes / 2]; /* else the compiler takes all of it away */
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

/* Two threads, and what both do; the same two threads where the amount is 0. */
static void twice(void *(*work)(void *), long amount) {
    pthread_t one, other;
    if (pthread_create(&one, 0, work, (void *)amount)) exit(1);
    if (pthread_create(&other, 0, work, (void *)amount)) exit(1);
    pthread_join(one, 0);
    pthread_join(other, 0);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *holds(void *amount) {
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&mutex);
        if (amount) waiting((long)amount);
        pthread_mutex_unlock(&mutex);
        sched_yield();
    }
    return 0;
}

static void held_lock(long microseconds) { twice(holds, microseconds); }

static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static long turn;

static void *takes_turns(void *amount) {
    pthread_mutex_lock(&mutex);
    for (long i = 0; i < (long)amount; i++) {
        long mine = turn;
        turn++;
        pthread_cond_signal(&turned);
        while (turn == mine + 1 && i + 1 < (long)amount && turn < 2 * (long)amount - 1)
            pthread_cond_wait(&turned, &mutex);
    }
    turn += 2;
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void wake_ups(long turns) { twice(takes_turns, turns); }

static _Atomic long line[32];
static _Atomic int next_line;

static void *hot_line(void *amount) {
    int own = (long)amount < 0 ? 16 * next_line++ : 0;
    for (long i = 0; i < 1000000; i++) line[own]++;
    return 0;
}

/* The same counts: on one line, or a line each. */
static void shared_line(long shared) { twice(hot_line, shared ? 1 : -1); }

static void *unmaps(void *amount) {
    for (long i = 0; i < (long)amount; i++) {
        char *page = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *page = 1;
        munmap(page, 65536);
    }
    return 0;
}

static void shootdowns(long times) { twice(unmaps, times); }

static void allocation(long times) {
    for (long i = 0; i < times; i++) {
        char *block = malloc(1 << 20);
        memset(block, 1, 1 << 20);
        sink += block[i];
        free(block);
    }
}

static void to_disk(long times) {
    char name[] = "./plant-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    for (long i = 0; i < times; i++)
        if (pwrite(file, "x", 1, i) != 1 || fsync(file)) exit(1);
}

static void spawns(long times) {
    char *words[] = {"/bin/true", 0};
    for (long i = 0; i < times; i++) {
        pid_t child;
        if (posix_spawn(&child, words[0], 0, 0, words, 0)) exit(1);
        waitpid(child, 0, 0);
    }
}

static void opens(long times) {
    for (long i = 0; i < times; i++) close(open("/proc/self/stat", O_RDONLY));
}

static void looks_up(long times) {
    struct stat about;
    for (long i = 0; i < times; i++) stat("/usr/share/nothing-is-called-this", &about);
}

static void polls(long milliseconds) {
    if (milliseconds) poll(0, 0, milliseconds);
}

/* What a child sends late. */
static void late(int ends[2], long microseconds) {
    char byte;
    if (fork() == 0) {
        waiting(microseconds);
        _exit(write(ends[1], "x", 1) != 1);
    }
    if (read(ends[0], &byte, 1) != 1) exit(1);
    wait(0);
}

static void late_pipe(long microseconds) {
    int ends[2];
    if (pipe(ends)) exit(1);
    late(ends, microseconds);
}

static void late_socket(long microseconds) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) exit(1);
    late(ends, microseconds);
}

static void locked_file(long microseconds) {
    char name[] = "./plant-XXXXXX";
    int ready[2];
    char byte;
    close(mkstemp(name));
    if (pipe(ready)) exit(1);
    if (fork() == 0) {
        int file = open(name, O_RDWR);
        flock(file, LOCK_EX);
        if (write(ready[1], "x", 1) != 1) _exit(1);
        waiting(microseconds);
        _exit(0);
    }
    if (read(ready[0], &byte, 1) != 1) exit(1);
    flock(open(name, O_RDWR), LOCK_EX);
    unlink(name);
    wait(0);
}

static void protects(long times) {
    char *pages = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < times; i++) {
        pages[0] = 1;
        mprotect(pages, 65536, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
        if (i % 2 == 0) mprotect(pages, 65536, PROT_READ | PROT_WRITE);
    }
}

static void copies(long megabytes) {
    static char from[1 << 20], to[1 << 20];
    for (long i = 0; i < megabytes; i++) {
        from[i % sizeof from] = (char)i;
        memcpy(to, from, sizeof to);
        sink += to[i % sizeof to];
    }
}

static void *nothing(void *amount) { return amount; }

static void threads(long times) {
    for (long i = 0; i < times; i++) {
        pthread_t one;
        if (pthread_create(&one, 0, nothing, 0)) exit(1);
        pthread_join(one, 0);
    }
}

__attribute__((noinline)) static void divides(long times) {
    volatile double x = 1e9;
    for (long i = 0; i < times; i++) x = x / 1.0000001;
}

int main(int count, char **words) {
    struct { const char *name; void (*more)(long); } all[] = {
        {"faults", faults}, {"memory", memory},   {"kernel", kernel}, {"switches", switches},
        {"waiting", waiting}, {"bytes", bytes}, {"computing", compute},
        {"held lock", held_lock}, {"wake-ups", wake_ups}, {"shared line", shared_line},
        {"shootdowns", shootdowns}, {"allocation", allocation}, {"fsync", to_disk},
        {"spawns", spawns}, {"opens", opens}, {"look-ups", looks_up}, {"polls", polls},
        {"late pipe", late_pipe}, {"late socket", late_socket}, {"locked file", locked_file},
        {"protection", protects}, {"copying", copies}, {"threads", threads}, {"division", divides},
    };
    if (count < 3) return 2;
    /* Long enough that it is seen running, and that it has one thread. */
    compute(6000000);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(words[1], all[i].name)) return all[i].more(atol(words[2])), 0;
    return 2;
}
