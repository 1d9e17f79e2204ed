// What the C++ peers share: the clock, memory, and what every flow does.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using Clock = std::chrono::steady_clock;
static Clock::time_point began, ended;

static double ns(Clock::duration d) {
    return std::chrono::duration<double, std::nano>(d).count();
}

// Resident memory and page tables, in bytes.
static long memory() {
    FILE *status = std::fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0, value;
    while (status && std::fgets(line, sizeof line, status))
        if (std::sscanf(line, "VmRSS: %ld", &value) == 1 || std::sscanf(line, "VmPTE: %ld", &value) == 1)
            kib += value;
    if (status) std::fclose(status);
    return kib * 1024;
}

// Memory on huge pages where there are any, on a boundary of them; never given back.
static char *on_huge_pages(size_t bytes) {
    constexpr size_t HUGE = 2 << 20;
    void *all = mmap(nullptr, bytes + HUGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) std::exit(1);
    auto base = (reinterpret_cast<uintptr_t>(all) + HUGE - 1) / HUGE * HUGE;
    madvise(reinterpret_cast<void *>(base), bytes, MADV_HUGEPAGE);
    return reinterpret_cast<char *>(base);
}

// Flow 0 takes the time, from its second turn to its last.
template <typename Yield>
[[gnu::always_inline]] static inline uint64_t flow(bool first, uint64_t yields, Yield yield) {
    if (yields == 0) return 1;
    uint64_t sum = 0;
    for (uint64_t turn = 0; turn <= yields; turn++) {
        yield();
        if (first && turn == 0) began = Clock::now();
        if (first && turn == yields) ended = Clock::now();
        sum += turn;
    }
    return sum;
}

static uint64_t expected(uint64_t flows, uint64_t yields) {
    return flows * (yields == 0 ? 1 : yields * (yields + 1) / 2);
}

static int report(uint64_t flows, uint64_t yields, uint64_t sum, double life_ns, long bytes) {
    if (sum != expected(flows, yields)) return 1;
    double switches = double(flows) * double(yields == 0 ? 1 : yields);
    std::printf("%.4f %.2f %ld\n", ns(ended - began) / switches, life_ns / double(flows), bytes);
    return 0;
}
