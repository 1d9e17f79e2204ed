/* fork, exec and wait, N times: prints the wall time of each in ns. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    for (int left = atoi(argv[1]); left > 0; left--) {
        long long began = now();
        pid_t child = fork();
        if (child == 0) {
            execv(argv[2], argv + 2);
            _exit(127);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
        printf("%lld\n", now() - began);
    }
    return 0;
}
