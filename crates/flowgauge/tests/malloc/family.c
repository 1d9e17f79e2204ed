/* The family of malloc as POSIX and glibc describe it; exits with the line that fails. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MUST(what) do { if (!(what)) exit(__LINE__ % 200 + 1); } while (0)

static void refused(void *block, int error) {
    MUST(block == NULL);
    MUST(errno == error);
    errno = 0;
}

int main(void) {
    free(NULL);
    void *volatile zero = malloc(0);
    MUST(zero != NULL);
    free(zero);
    volatile size_t most = SIZE_MAX;
    refused(malloc(most), ENOMEM);
    refused(malloc(PTRDIFF_MAX), ENOMEM);
    refused(calloc(most / 2, 3), ENOMEM);
    refused(reallocarray(NULL, most / 2, 3), ENOMEM);
    refused(aligned_alloc(24, 64), EINVAL);
    void *block = &block;
    MUST(posix_memalign(&block, 24, 64) == EINVAL);
    MUST(posix_memalign(&block, 2, 64) == EINVAL);
    MUST(posix_memalign(&block, 64, most - 100) == ENOMEM);
    MUST(block == (void *)&block);
    for (size_t align = 16; align <= (size_t)8 << 20; align *= 2) {
        for (size_t size = 1; size < 100000; size = size * 3 + 1) {
            MUST(posix_memalign(&block, align, size) == 0);
            MUST((uintptr_t)block % align == 0);
            MUST(malloc_usable_size(block) >= size);
            memset(block, 7, size);
            block = realloc(block, size * 2);
            MUST(block && ((char *)block)[size - 1] == 7);
            free(block);
        }
    }
    MUST((uintptr_t)valloc(10) % 4096 == 0);
    for (size_t size = 1; size < (size_t)40 << 20; size = size * 2 + 13) {
        unsigned char *zeros = calloc(1, size);
        MUST(zeros);
        for (size_t at = 0; at < size; at += size / 64 + 1) MUST(zeros[at] == 0);
        memset(zeros, 0xff, size);
        zeros = realloc(zeros, size * 3 / 2 + 1);
        MUST(zeros && zeros[0] == 0xff && zeros[size - 1] == 0xff);
        zeros = realloc(zeros, size / 3 + 1);
        MUST(zeros && zeros[size / 3] == 0xff);
        free(zeros);
    }
    MUST(realloc(malloc(10), 0) == NULL);
    malloc_trim(0);
    return 0;
}
