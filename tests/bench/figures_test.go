//go:build linux

package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// The units of the figures. Ratios are to the floor or ceiling of the same run.
const (
	unitEvents    = "events/s"
	unitOfCeiling = "of-ceiling" // 1 = as fast as the bare building block
	unitP50       = "p50-µs"
	unitP99       = "p99-µs"
	unitOfFloor   = "of-floor" // of the p50; 1 = nothing above the bare path
	unitCPU       = "daemon-µs/event"
	unitCores     = "daemon-cores"
	unitDisk      = "disk-B/B"    // written by the daemon, as the kernel counts, per byte of events
	unitJournal   = "journal-B/B" // written to the journal, as bbolt counts
	unitBatch     = "events/append"
	unitCommits   = "commits/s"
	unitSize      = "B/event"
	unitAnon      = "anon-MB" // anonymous memory of the daemon when the work was done
)

// columns of the table, in their order.
var columns = []struct{ unit, heading, format string }{
	{unitEvents, "events/s", "%.0f"},
	{unitOfCeiling, "of ceiling", "%.2f"},
	{unitP50, "p50 µs", "%.0f"},
	{unitP99, "p99 µs", "%.0f"},
	{unitOfFloor, "of floor", "%.1f"},
	{unitCPU, "daemon µs/event", "%.1f"},
	{unitCores, "daemon cores", "%.2f"},
	{unitDisk, "disk bytes per event byte", "%.1f"},
	{unitJournal, "journal bytes per event byte", "%.1f"},
	{unitCommits, "commits/s", "%.0f"},
	{unitBatch, "events per append", "%.1f"},
	{unitSize, "bytes per event", "%.0f"},
	{unitAnon, "anonymous MB", "%.0f"},
}

// sheet collects every figure of every benchmark.
type sheet struct {
	rows    []string
	figures map[string]map[string][]float64
}

var table = sheet{figures: map[string]map[string][]float64{}}

// report adds the figures of one run of a benchmark, and gives the benchmark the
// medians so far.
func report(b *testing.B, figures map[string]float64) {
	row := strings.TrimPrefix(b.Name(), "Benchmark")
	cells := table.figures[row]
	if cells == nil {
		cells = map[string][]float64{}
		table.rows, table.figures[row] = append(table.rows, row), cells
	}
	for unit, value := range figures {
		cells[unit] = append(cells[unit], value)
		b.ReportMetric(median(cells[unit]), unit)
	}
	b.ReportMetric(0, "ns/op") // not what is measured
}

// markdown is the table for the README.
func (s *sheet) markdown() string {
	var used []int
	for i, c := range columns {
		if slices.ContainsFunc(s.rows, func(row string) bool { return len(s.figures[row][c.unit]) > 0 }) {
			used = append(used, i)
		}
	}
	var b strings.Builder
	cells := func(first string, cell func(i int) string) {
		fmt.Fprintf(&b, "| %s |", first)
		for _, i := range used {
			fmt.Fprintf(&b, " %s |", cell(i))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	cells("", func(i int) string { return columns[i].heading })
	cells("---", func(int) string { return "---:" })
	for _, row := range s.rows {
		cells(row, func(i int) string {
			if all := s.figures[row][columns[i].unit]; len(all) > 0 {
				return fmt.Sprintf(columns[i].format, median(all))
			}
			return ""
		})
	}
	b.WriteString("\n")
	return b.String()
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

// micros is a time in nanoseconds, in microseconds.
func micros(ns int64) float64 { return float64(ns) / 1e3 }
