// The lowest layer of boost.context, driven in ring order: a jump there and a jump back.
#include "peer.hpp"
#include <boost/context/detail/fcontext.hpp>
#include <memory>
#include <vector>

using namespace boost::context::detail;

constexpr size_t STACK = 4096;
static uint64_t yields, sum;

struct Start {
    bool first;
};

static void body(transfer_t from) {
    bool first = static_cast<Start *>(from.data)->first;
    sum += flow(first, yields, [&] { from = jump_fcontext(from.fctx, nullptr); });
    jump_fcontext(from.fctx, &sum);
}

int main(int, char **arguments) {
    uint64_t flows = std::strtoull(arguments[1], nullptr, 10);
    yields = std::strtoull(arguments[2], nullptr, 10);
    long before = memory();
    auto start = Clock::now();
    std::unique_ptr<char[]> stacks(new char[(flows + 1) * STACK]);
    auto base = (reinterpret_cast<uintptr_t>(stacks.get()) + STACK - 1) / STACK * STACK;
    std::vector<fcontext_t> all(flows);
    for (uint64_t who = 0; who < flows; who++)
        all[who] = make_fcontext(reinterpret_cast<void *>(base + (who + 1) * STACK), STACK, body);
    long bytes = 0;
    for (uint64_t ended = 0; ended < flows;) {
        for (uint64_t who = 0; who < flows; who++) {
            Start first{who == 0};
            transfer_t back = jump_fcontext(all[who], &first);
            all[who] = back.fctx;
            ended += back.data != nullptr;
        }
        if (bytes == 0) bytes = memory() - before;
    }
    return report(flows, yields, sum, ns(Clock::now() - start), bytes);
}
