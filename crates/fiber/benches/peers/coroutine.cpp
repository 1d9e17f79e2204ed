// C++20 coroutines, which have no stack: each one goes on with the next by symmetric transfer. Their
// frames lie one after the other on huge pages, and are asked for ahead.
#include "peer.hpp"
#include <coroutine>
#include <vector>

constexpr size_t AHEAD = 32;
static uint64_t yields, sum;
static char *frames;
static std::vector<std::coroutine_handle<>> all;

struct Flow {
    struct promise_type {
        static void *operator new(size_t bytes) {
            void *frame = frames;
            frames += (bytes + 15) / 16 * 16;
            return frame;
        }
        static void operator delete(void *) {}
        Flow get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() { return {}; }
        auto final_suspend() noexcept;
        void return_void() {}
        void unhandled_exception() { std::exit(1); }
    };
    std::coroutine_handle<promise_type> handle;
};

// Whose turn it is; behind the last one stands the driver, at which a lap ends.
static std::coroutine_handle<> *turn;

struct Next {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept {
        __builtin_prefetch(turn[AHEAD].address());
        return *++turn;
    }
    void await_resume() noexcept {}
};

auto Flow::promise_type::final_suspend() noexcept { return Next{}; }

// With `WORDS`, four words in memory that change at each turn.
template <bool WORDS> static Flow body(bool first) {
    if (yields == 0) {
        sum += 1;
        co_return;
    }
    uint64_t own = 0, words[4] = {};
    for (uint64_t at = 0; at <= yields; at++) {
        co_await Next{};
        if constexpr (WORDS) {
            asm volatile("" : : "r"(words) : "memory");
            for (uint64_t &word : words) word++;
        }
        if (first && at == 0) began = Clock::now();
        if (first && at == yields) ended = Clock::now();
        own += at;
    }
    sum += own;
}

int main(int count, char **arguments) {
    bool words = count > 3;
    uint64_t flows = std::strtoull(arguments[1], nullptr, 10);
    yields = std::strtoull(arguments[2], nullptr, 10);
    long before = memory();
    auto start = Clock::now();
    frames = on_huge_pages(flows * 256);
    all.resize(flows + 1 + AHEAD, std::noop_coroutine());
    for (uint64_t who = 0; who < flows; who++) 
        all[who] = (words ? body<true>(who == 0) : body<false>(who == 0)).handle;
    uint64_t laps = yields == 0 ? 1 : yields + 2;
    for (uint64_t lap = 0; lap < laps; lap++) {
        turn = all.data();
        turn->resume();
    }
    return report(flows, yields, sum, ns(Clock::now() - start), memory() - before);
}
