package health

import "runtime/metrics"

// memorySamples are the memory that the runtime got from the system, and the part that it returned. A memory limit applies to
// the difference. The journal's file, which is mapped, does not count.
var memorySamples = []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}

// memoryUsed returns how many bytes of memory this process uses.
func memoryUsed() int64 {
	samples := append([]metrics.Sample(nil), memorySamples...)
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64()) //nolint:gosec // far below
}
