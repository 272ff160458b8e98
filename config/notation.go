package config

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration parses a time in the notation of settings: 90s, 36h, 7d.
func ParseDuration(s string) (time.Duration, error) { return parseDuration(s) }

// parseDuration is time.ParseDuration, but also accepts whole days as "7d".
func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(s)
}

func formatDuration(d time.Duration) string {
	const day = 24 * time.Hour
	if d > 0 && d%day == 0 && d >= 2*day {
		return strconv.Itoa(int(d/day)) + "d"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// micros is the number of micro-dollars in a US dollar.
const micros = 1_000_000

// ParseMoney parses an amount of US dollars with at most six decimals, as "5", "0.25" or "$5", into millionths. It uses no floating
// point, so the sum of amounts is exact.
func ParseMoney(s string) (int64, error) {
	wrong := fmt.Errorf("%q is no amount of US dollars", s)
	whole, part, dot := strings.Cut(strings.TrimPrefix(s, "$"), ".")
	n, err := strconv.ParseUint(whole, 10, 32)
	if err != nil || len(part) > 6 || dot && part == "" {
		return 0, wrong
	}
	fraction, err := strconv.ParseUint((part + "000000")[:6], 10, 32)
	if err != nil {
		return 0, wrong
	}
	return int64(n)*micros + int64(fraction), nil
}

// formatMoney formats an amount for ParseMoney, with cents.
func formatMoney(n int64) string {
	part := strings.TrimRight(fmt.Sprintf("%06d", n%micros), "0")
	return fmt.Sprintf("%d.%s", n/micros, part+"00"[:max(0, 2-len(part))])
}

// parseDurations parses "1h,24h"; "off" is the empty list.
func parseDurations(s string) ([]time.Duration, bool) {
	if s == "off" {
		return []time.Duration{}, true
	}
	var all []time.Duration
	for part := range strings.SplitSeq(s, ",") {
		d, err := parseDuration(strings.TrimSpace(part))
		if err != nil || (len(all) > 0 && d <= all[len(all)-1]) {
			return nil, false
		}
		all = append(all, d)
	}
	return all, len(all) <= maxReminders
}

// parseCommand parses a program with its arguments: a JSON list, or a program alone. It uses no
// shell and does not split at spaces, so no quoting is needed.
func parseCommand(s string) ([]string, bool) {
	if !strings.HasPrefix(s, "[") {
		return []string{s}, s != ""
	}
	var argv []string
	err := json.Unmarshal([]byte(s), &argv)
	return argv, err == nil && len(argv) > 0 && argv[0] != ""
}

// sizeUnits are the units of sizes. MB means MiB, as many people use it; the difference does not matter here.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40},
	{"GiB", 1 << 30},
	{"MiB", 1 << 20},
	{"KiB", 1 << 10},
	{"TB", 1 << 40},
	{"GB", 1 << 30},
	{"MB", 1 << 20},
	{"KB", 1 << 10},
	{"B", 1},
	{"", 1},
}

func sizeOf(s string) (int64, error) {
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(s, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/unit.bytes {
			return 0, fmt.Errorf("%q is not a size", s)
		}
		return n * unit.bytes, nil
	}
	return 0, fmt.Errorf("%q is not a size", s)
}

func formatSize(n int64) string {
	for _, unit := range sizeUnits[:4] {
		if n > 0 && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}
