/* Does what its first argument names, all of it wrong, with a block of as many bytes as its second says. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words) {
    if (count < 3) return 2;
    cpu_set_t here; /* the magazines of another CPU would not know what this one has */
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
    size_t size = strtoul(words[2], 0, 10);
    char *volatile block = malloc(size);
    memset(block, 1, size);
    if (!strcmp(words[1], "twice")) free(block), free(block);
    if (!strcmp(words[1], "beyond")) block[size] = 1, free(block);
    if (!strcmp(words[1], "inside")) free(block + 16);
    if (!strcmp(words[1], "unaligned")) free(block + 8);
    if (!strcmp(words[1], "grown")) block = realloc(block + 16, size);
    if (!strcmp(words[1], "nowhere")) free((void *)0x10000000010);
    return 0;
}
