//go:build linux

package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// target is the goal of a figure on two cores. A missed target fails no test, since a busy machine
// misses it.
type target struct {
	row, unit string
	most      float64 // 0 = no upper bound
	least     float64
	none      bool // not once
}

var targets = []target{
	{row: "Flood", unit: unitEvents, least: 100_000},
	{row: "Flood", unit: unitOfCeiling, least: 0.6},
	{row: "Flood", unit: unitDisk, most: 3},
	{row: "Day", unit: unitP50, most: 2},
	{row: "Day", unit: unitOfFloor, most: 2},
	{row: "Day", unit: unitP99, most: 8},
	{row: "Day", unit: unitCores, most: 0.6},
	{row: "Day", unit: unitDisk, most: 25},
	{row: "Loud", unit: unitOfQuiet, most: 2},
	{row: "Audience", unit: unitP99, most: 25},
	{row: "Many/sessions", unit: unitLagging, none: true},
	{row: "Many/sessions", unit: unitP99, most: 25},
	{row: "Many/sessions", unit: unitPeak, most: 300},
	{row: "Many/clients", unit: unitLagging, none: true},
	{row: "Many/clients", unit: unitP99, most: 25},
	{row: "Many/clients", unit: unitPeak, most: 300},
	{row: "Fleet", unit: unitLagging, none: true},
	{row: "Fleet", unit: unitPeak, most: 250},
	{row: "Fleet", unit: unitStep, most: 20},
	{row: "Gateway", unit: unitOfGRPC, least: 0.8},
	{row: "Pages/login", unit: unitLagging, none: true},
	{row: "Pages/login", unit: unitP99, most: 25},
	{row: "Pages/login", unit: unitPeak, most: 300},
	{row: "Pages/logins", unit: unitLagging, none: true},
	{row: "Pages/logins", unit: unitPeak, most: 300},
	{row: "Proxies", unit: unitLagging, none: true},
	{row: "Proxies", unit: unitP99, most: 25},
	{row: "Proxies", unit: unitPeak, most: 300},
	{row: "Replay/one", unit: unitOfCeiling, least: 0.6},
	{row: "Replay/many", unit: unitOfCeiling, least: 0.6},
	{row: "Replay/first", unit: unitFirst, most: 5},
	{row: "Growth/events", unit: unitOfFirst, most: 1.25},
	{row: "Growth/sessions", unit: unitOfFirst, most: 1.25},
	{row: "Growth/retention", unit: unitOfFirst, most: 1.25},
	{row: "Start", unit: unitStart, most: 300},
	{row: "Adopt", unit: unitAdopt, most: 1000},
	{row: "Rest", unit: unitAnon, most: 60},
	{row: "Rest", unit: unitBusy, most: 0.1},
	{row: "Rest", unit: unitWakes, most: 1},
	{row: "Streams", unit: unitEach, most: 30},
	{row: "Stalled", unit: unitEach, most: 2 * stalledBudget},
	{row: "Stalled", unit: unitOfQuiet, most: 2},
	{row: "Stalled", unit: unitLagging, none: true},
	{row: "Hostile", unit: unitOfQuiet, most: 2},
}

// say formats the target, and whether value meets it.
func (t target) say(value float64) string {
	bound, met := "≥ "+round(t.least), value >= t.least
	switch {
	case t.none:
		bound, met = "none", value == 0
	case t.most > 0:
		bound, met = "≤ "+round(t.most), value <= t.most
	}
	if met {
		return bound
	}
	return bound + ", **missed**"
}

// markdown is the table for the README: the figures with a target first.
func (s *sheet) markdown() string {
	var b strings.Builder
	fmt.Fprint(&b, "\n| scenario | figure | measured | target |\n|---|---|---:|---|\n")
	for _, row := range s.rows {
		units := make([]string, 0, len(s.figures[row]))
		for unit := range s.figures[row] {
			units = append(units, unit)
		}
		slices.Sort(units)
		for _, t := range targets {
			if value := s.get(row, t.unit); t.row == row && !math.IsNaN(value) {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row, t.unit, round(value), t.say(value))
				units = slices.DeleteFunc(units, func(unit string) bool { return unit == t.unit })
			}
		}
		for _, unit := range units {
			fmt.Fprintf(&b, "| %s | %s | %s | |\n", row, unit, round(s.get(row, unit)))
		}
	}
	return b.String() + "\n"
}

// headlines are the figures of the last line.
var headlines = []struct{ name, row, unit string }{
	{"throughput", "Flood", unitEvents},
	{"of_ceiling", "Flood", unitOfCeiling},
	{"p50_ms", "Day", unitP50},
	{"p99_ms", "Day", unitP99},
	{"of_floor", "Day", unitOfFloor},
	{"replay", "Replay/one", unitEvents},
	{"of_grpc", "Replay/one", unitOfCeiling},
	{"write_amp", "Day", unitDisk},
	{"start_ms", "Start", unitStart},
	{"anon_mb", "Rest", unitAnon},
}

// summary is the last line, for machines; "-" is an unmeasured figure.
func (s *sheet) summary() string {
	line := "bench:"
	for _, h := range headlines {
		line += " " + h.name + "=" + round(s.get(h.row, h.unit))
	}
	return line
}

// write saves all figures and the facts of the machine.
func (s *sheet) write(path string, machine facts) error {
	medians := map[string]map[string]float64{}
	for _, row := range s.rows {
		medians[row] = map[string]float64{}
		for unit := range s.figures[row] {
			medians[row][unit] = s.get(row, unit)
		}
	}
	content, err := json.MarshalIndent(struct {
		Machine facts                           `json:"machine"`
		Medians map[string]map[string]float64   `json:"medians"`
		Runs    map[string]map[string][]float64 `json:"runs"`
	}{machine, medians, s.figures}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(content, '\n'), 0o644)
}

// publish writes the report: the table, the file if one is wanted, the last line.
func (s *sheet) publish(out io.Writer, path string, machine facts) error {
	fmt.Fprint(out, s.markdown())
	if path != "" {
		if err := s.write(path, machine); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, s.summary())
	return nil
}

// round writes a figure with three digits that count.
func round(v float64) string {
	switch size := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case size >= 100 || v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
