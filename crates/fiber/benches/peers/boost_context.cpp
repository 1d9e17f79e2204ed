// The lowest layer of boost.context in its best mode: each flow jumps to the next one, and stacks
// are small, an odd number of cache lines apart, and on huge pages.
#include "peer.hpp"
#include <boost/context/detail/fcontext.hpp>
#include <vector>

using namespace boost::context::detail;

constexpr size_t STACK = 17 * 64;
static uint64_t flows, yields, sum;
static std::vector<fcontext_t> all;
static fcontext_t last;

// What comes back is the context of the flow before this one; at first flow 0 gets that of `main`.
// Nothing but the jump is a call: a return to a function that another flow called is mispredicted.
static void body(transfer_t from) {
    uint64_t who = reinterpret_cast<uint64_t>(from.data);
    uint64_t next = who + 1 == flows ? 0 : who + 1;
    fcontext_t *before = who == 0 ? &all[flows - 1] : &all[who - 1];
    *(who == 0 ? &last : before) = from.fctx;
    sum += flow(who == 0, yields, [&]() __attribute__((always_inline)) {
        *before = jump_fcontext(all[next], reinterpret_cast<void *>(next)).fctx;
    });
    jump_fcontext(next == 0 ? last : all[next], reinterpret_cast<void *>(next));
}

int main(int, char **arguments) {
    flows = std::strtoull(arguments[1], nullptr, 10);
    yields = std::strtoull(arguments[2], nullptr, 10);
    long before = memory();
    auto start = Clock::now();
    char *stacks = on_huge_pages(flows * STACK);
    all.resize(flows);
    for (uint64_t who = 0; who < flows; who++)
        all[who] = make_fcontext(stacks + (who + 1) * STACK, STACK, body);
    jump_fcontext(all[0], nullptr);
    return report(flows, yields, sum, ns(Clock::now() - start), memory() - before);
}
