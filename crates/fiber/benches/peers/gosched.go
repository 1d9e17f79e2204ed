// Goroutines on one kernel thread, yielding by runtime.Gosched.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

func memory() (bytes int) {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmRSS") || strings.HasPrefix(line, "VmPTE") {
			kib, _ := strconv.Atoi(strings.Fields(line)[1])
			bytes += kib * 1024
		}
	}
	return
}

func main() {
	runtime.GOMAXPROCS(1)
	flows, _ := strconv.Atoi(os.Args[1])
	yields, _ := strconv.Atoi(os.Args[2])
	before := memory()
	var began, ended time.Time
	var all sync.WaitGroup
	sum, bytes := 0, 0
	// Without a gate the first ones run, and end, before the last ones are made.
	gate := make(chan struct{})
	start := time.Now()
	all.Add(flows)
	for who := 0; who < flows; who++ {
		go func(first bool) {
			defer all.Done()
			<-gate
			if yields == 0 {
				sum++
				return
			}
			for turn := 0; turn <= yields; turn++ {
				runtime.Gosched()
				if first && turn == 0 {
					bytes = memory() - before
					began = time.Now()
				}
				if first && turn == yields {
					ended = time.Now()
				}
				sum += turn
			}
		}(who == 0)
	}
	close(gate)
	all.Wait()
	life := time.Since(start)
	expected := flows * yields * (yields + 1) / 2
	if yields == 0 {
		expected = flows
	}
	if sum != expected {
		fmt.Fprintf(os.Stderr, "the sum is %d, not %d\n", sum, expected)
		os.Exit(1)
	}
	switches := flows * yields
	if yields == 0 {
		switches = 1
	}
	fmt.Printf("%.4f %.2f %d\n", float64(ended.Sub(began).Nanoseconds())/float64(switches),
		float64(life.Nanoseconds())/float64(flows), bytes)
}
