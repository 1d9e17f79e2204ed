/* The table for a language that has functions of C and no constant pointers to them. */
#include "flowgauge.h"

extern int unit(void *shared, void *own, uint64_t unit, uint64_t ops, flowgauge_proof *proof);

FLOWGAUGE_EXPORT const flowgauge_body_v1 flowgauge_body = {
    .version = 1, .flags = FLOWGAUGE_FIBERS, .unit = unit};
