// go build -buildmode=c-shared -o libmine.so languages/mine.go
//
// The runtime of Go starts threads of its own when it is loaded, and a fork has one thread alone: such a
// body runs as threads, and not as processes.
package main

/*
#include <stdint.h>

typedef struct { uint64_t count, checksum; } proof_t;
extern int unit(void *shared, void *own, uint64_t number, uint64_t ops, proof_t *proof);

typedef struct {
    uint32_t version, flags;
    uint64_t stack_bytes;
    const void *args, *prepare, *begin, *unit, *end, *finish;
} table_t;
__attribute__((weak, visibility("default"))) const table_t flowgauge_body = {.version = 1, .unit = unit};
*/
import "C"
import "unsafe"

//export unit
func unit(shared, own unsafe.Pointer, number, ops C.uint64_t, proof *C.proof_t) C.int {
	sum := C.uint64_t(0)
	for op := C.uint64_t(0); op < ops; op++ {
		sum += op * op % (number + 7)
	}
	proof.count, proof.checksum = ops, sum
	return 0
}

func main() {}
