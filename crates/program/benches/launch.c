/* fork, exec and wait, N times: prints the wall time of each in ns, from fork and from exec. */
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
        int note[2];
        if (pipe(note)) return 1;
        long long began = now(), execs;
        pid_t child = fork();
        if (child == 0) {
            execs = now();
            if (write(note[1], &execs, sizeof execs) != sizeof execs) _exit(126);
            close(note[0]);
            close(note[1]);
            execv(argv[2], argv + 2);
            _exit(127);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
        long long ended = now();
        if (read(note[0], &execs, sizeof execs) != sizeof execs) return 1;
        close(note[0]);
        close(note[1]);
        printf("%lld %lld\n", ended - began, ended - execs);
    }
    return 0;
}
