// c++ -O2 -shared -fPIC -I include -o libmine.so languages/mine.cpp
#include "flowgauge.h"

#include <numeric>
#include <vector>

static int begin(void *, uint64_t, void **own) {
    *own = new std::vector<uint64_t>(1000);
    return 0;
}

// Nothing may be thrown over the interface.
static int unit(void *, void *own, uint64_t unit, uint64_t ops, flowgauge_proof *proof) noexcept {
    auto &numbers = *static_cast<std::vector<uint64_t> *>(own);
    for (uint64_t op = 0; op < ops; op++) {
        std::iota(numbers.begin(), numbers.end(), unit + op);
        proof->checksum += std::accumulate(numbers.begin(), numbers.end(), uint64_t{0});
    }
    proof->count = ops;
    return 0;
}

static void end(void *, void *own) { delete static_cast<std::vector<uint64_t> *>(own); }

FLOWGAUGE_EXPORT const flowgauge_body_v1 flowgauge_body = {
    1, FLOWGAUGE_FIBERS, 0, nullptr, nullptr, begin, unit, end, nullptr};
