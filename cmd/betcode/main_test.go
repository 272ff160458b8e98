package main

import (
	"os"
	"runtime"
	"testing"
)

// The program is initialized without a collection: the test has the packages of the program.
func TestInitializedWithoutACollection(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("the operator sets the pace")
	}
	runtime.GC() // a collection that has begun ends before
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.NumGC != m.NumForcedGC {
		t.Errorf("%d collections before the test", m.NumGC-m.NumForcedGC)
	}
}
