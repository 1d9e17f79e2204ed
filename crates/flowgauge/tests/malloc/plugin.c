// A program and its plugin in one file. The plugin is opened with RTLD_DEEPBIND, by a name that only the
// program's RUNPATH finds; each side frees what the other one allocated.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLUGIN
char *text(void) { return strdup("from the plugin"); }
void give_back(void *block) { free(block); }
void *grow(void *block, size_t size) { return realloc(block, size); }
#else
int main(void) {
    void *plugin = dlopen("libplugin.so", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    char *(*text)(void) = dlsym(plugin, "text");
    void (*give_back)(void *) = dlsym(plugin, "give_back");
    void *(*grow)(void *, size_t) = dlsym(plugin, "grow");
    for (size_t size = 1; size < 4 << 20; size *= 2) {
        char *theirs = text();
        char *ours = grow(strcpy(malloc(size + 16), "ours"), 2 * size + 16);
        if (strcmp(theirs, "from the plugin") || strcmp(ours, "ours") || malloc_usable_size(theirs) < 16)
            return 2;
        free(theirs);
        give_back(ours);
        give_back(malloc(size));
    }
    puts("well");
    return dlclose(plugin);
}
#endif
