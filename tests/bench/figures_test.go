//go:build linux

package bench

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// The units of the figures. Ratios are to the floor or ceiling of the same run.
const (
	unitEvents    = "events/s"
	unitOfCeiling = "of-ceiling" // 1 = as fast as the bare building block
	unitOfGRPC    = "of-grpc"    // 1 = as fast as over gRPC
	unitP50       = "p50-ms"
	unitP99       = "p99-ms"
	unitOfFloor   = "of-floor"    // of the p50; 1 = nothing above the bare path
	unitBare      = "bare-p99-ms" // of bare gRPC streams at the same pace
	unitOfQuiet   = "of-quiet"    // of the p99; 1 = as without the flood
	unitCPU       = "daemon-µs/event"
	unitGateway   = "gateway-µs/event"
	unitClientCPU = "clients-µs/event" // of all clients, which are in this process
	unitCores     = "daemon-cores"
	unitWaited    = "daemon-waited" // seconds in which a thread of its was ready and had no processor, per second
	unitDisk      = "disk-B/B"      // written by the daemon, as the kernel counts, per byte of events
	unitNaive     = "naive-B/B"     // the same for a commit per event
	unitAppend    = "append-B/B"    // the same for a bare append + fdatasync per event
	unitJournal   = "journal-B/B"   // written to the journal, as it counts itself
	unitBatch     = "events/append"
	unitCommits   = "commits/s"
	unitSize      = "B/event"
	unitAnon      = "anon-MB"   // anonymous memory of the daemon when the work was done
	unitPeak      = "peak-MB"   // the most there was meanwhile
	unitGrown     = "grown-MB"  // how much there was more than before
	unitLagging   = "lagging"   // Lagging events, summed over all clients
	unitEach      = "KB/stream" // anonymous memory of the daemon for one more
	unitStep      = "step-ms"   // processor time of the daemon for a step of a plan
	unitFirst     = "first-ms"  // until the first event came, in the worst place
	unitAppendMS  = "append-ms" // p50 of one group of ten appends
	unitOfFirst   = "of-first"  // of the same before there was so much
	unitStart     = "start-ms"
	unitAdopt     = "adopt-ms"
	unitBusy      = "busy-%" // of one core
	unitWakes     = "wakes/s"
	unitFiles     = "files"
	unitRoutines  = "goroutines"
	unitState     = "state-MB" // spools and journal on disk
	unitHeap      = "heap-MB"  // of the daemon, including garbage
	unitKept      = "journal-MB"
	unitSpool     = "spool-MB"   // what agents wrote and the daemon has not archived
	unitArchive   = "archive-MB" // size of the archive
)

// table has every figure of every benchmark that ran.
var table = sheet{figures: map[string]map[string][]float64{}}

// sheet collects figures by benchmark and unit, one for each run.
type sheet struct {
	rows    []string
	figures map[string]map[string][]float64
}

// report adds the figures of one run of a benchmark, and gives the benchmark the
// medians so far.
func report(b *testing.B, figures map[string]float64) {
	row := strings.TrimPrefix(b.Name(), "Benchmark")
	for unit, value := range figures {
		b.ReportMetric(table.add(row, unit, value), unit)
	}
	b.ReportMetric(0, "ns/op") // not what is measured
}

// add adds one figure and returns the median of its kind.
func (s *sheet) add(row, unit string, value float64) float64 {
	cells := s.figures[row]
	if cells == nil {
		cells = map[string][]float64{}
		s.rows, s.figures[row] = append(s.rows, row), cells
	}
	cells[unit] = append(cells[unit], value)
	return median(cells[unit])
}

// get returns the median of the samples, NaN if there are none.
func (s *sheet) get(row, unit string) float64 {
	if all := s.figures[row][unit]; len(all) > 0 {
		return median(all)
	}
	return math.NaN()
}

func median[T int64 | float64](all []T) T {
	return (quantile(all, 0.5) + quantile(all, math.Nextafter(0.5, 0))) / 2
}

// quantile returns the value below which a share of all lies.
func quantile[T int64 | float64](all []T, share float64) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// millis is a time in nanoseconds, in milliseconds.
func millis(ns int64) float64 { return float64(ns) / 1e6 }

// megabytes is a number of bytes, in MB of 2^20.
func megabytes(n int64) float64 { return float64(n) / (1 << 20) }
