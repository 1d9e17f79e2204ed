// boost.fiber with its round-robin scheduler.
#include "peer.hpp"
#include <boost/fiber/all.hpp>
#include <vector>

int main(int, char **arguments) {
    uint64_t flows = std::strtoull(arguments[1], nullptr, 10);
    uint64_t yields = std::strtoull(arguments[2], nullptr, 10);
    uint64_t sum = 0;
    long before = memory();
    auto start = Clock::now();
    std::vector<boost::fibers::fiber> all;
    all.reserve(flows);
    boost::fibers::fixedsize_stack stacks(16 << 10);
    for (uint64_t who = 0; who < flows; who++)
        all.emplace_back(std::allocator_arg, stacks, [&sum, who, yields] {
            sum += flow(who == 0, yields, [] { boost::this_fiber::yield(); });
        });
    boost::this_fiber::yield();
    long bytes = memory() - before;
    for (auto &fiber : all) fiber.join();
    return report(flows, yields, sum, ns(Clock::now() - start), bytes);
}
