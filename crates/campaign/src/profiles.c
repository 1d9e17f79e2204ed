/* Two functions that compute: profiles STEPS STEPS, in thousands, of `steady_work` and of `slowed_work`. */
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;

#define WORK(name)                                     \
    __attribute__((noinline)) void name(long steps) {  \
        uint64_t x = 88172645463325252u + (uint64_t)steps; \
        for (long i = 0; i < steps; i++) {             \
            x ^= x << 13;                              \
            x ^= x >> 7;                               \
            x ^= x << 17;                              \
        }                                              \
        sink = x;                                      \
    }

WORK(steady_work)
WORK(slowed_work)

int main(int count, char **words) {
    if (count < 3) return 2;
    long steady = atol(words[1]), slowed = atol(words[2]);
    for (int turn = 0; turn < 1000; turn++) {
        steady_work(steady);
        slowed_work(slowed);
    }
    return 0;
}
