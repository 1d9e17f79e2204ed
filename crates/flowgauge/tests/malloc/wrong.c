/* Does what its argument names, all of it wrong. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words) {
    char *volatile block = malloc(40);
    if (count < 2) return 2;
    if (!strcmp(words[1], "twice")) free(block), free(block);
    if (!strcmp(words[1], "beyond")) block[40] = 1, free(block);
    if (!strcmp(words[1], "inside")) free(block + 16);
    return 0;
}
