package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// off is "no limit" as a size or a time.
const off = -1

// maxReminders bounds the times in a [Durations]: the journal stores two reminders per request.
const maxReminders = 2

// parse parses a value from a command line or a variable.
func (s *Setting) parse(text string) (any, error) {
	v, ok := s.read(strings.TrimSpace(text))
	if !ok || !s.within(v) {
		return nil, fmt.Errorf("%q is not %s", text, s.Wants())
	}
	return v, nil
}

func (s *Setting) read(text string) (v any, ok bool) {
	var err error
	if s.Off && text == "off" {
		if s.Kind == Duration {
			return time.Duration(off), true
		}
		return int64(off), true
	}
	switch s.Kind {
	case Text:
		if len(s.Values) > 0 {
			text = strings.ToLower(text)
			return text, slices.Contains(s.Values, text)
		}
		return text, !strings.HasPrefix(text, "-") && !strings.ContainsRune(text, 0)
	case Path:
		return text, text != "" && !strings.ContainsRune(text, 0)
	case Number:
		v, err = strconv.ParseInt(text, 10, 64)
	case Switch:
		v, err = strconv.ParseBool(text)
	case Duration:
		v, err = parseDuration(text)
	case Size:
		v, err = sizeOf(text)
	case Money:
		v, err = ParseMoney(text)
	case Durations:
		return parseDurations(text)
	case Command, Shell:
		return parseCommand(text)
	case Names:
		return parseNames(text)
	case Paths:
		return parsePaths(text)
	}
	return v, err == nil
}

// within reports whether a value is within the bounds of the setting.
func (s *Setting) within(v any) bool {
	switch v := v.(type) {
	case int64:
		return (s.Off && v == off) || s.between(v)
	case time.Duration:
		return (s.Off && v == off) || s.between(int64(v))
	case []time.Duration:
		return !slices.ContainsFunc(v, func(d time.Duration) bool { return !s.between(int64(d)) })
	}
	return true
}

func (s *Setting) between(n int64) bool {
	return n >= s.bound(s.Min, math.MinInt64) && n <= s.bound(s.Max, math.MaxInt64)
}

// bound returns a bound of the table as a number; TestTable shows that each parses.
func (s *Setting) bound(text string, otherwise int64) int64 {
	if text == "" {
		return otherwise
	}
	switch s.Kind {
	case Duration, Durations:
		d, _ := parseDuration(text)
		return int64(d)
	case Money:
		n, _ := ParseMoney(text)
		return n
	default:
		n, _ := sizeOf(text)
		return n
	}
}

// format returns a value in the form that parse accepts.
func (s *Setting) format(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case time.Duration:
		if s.Off && v == off {
			return "off"
		}
		return formatDuration(v)
	case int64:
		switch {
		case s.Off && v == off:
			return "off"
		case s.Kind == Size:
			return formatSize(v)
		case s.Kind == Money:
			return formatMoney(v)
		}
		return strconv.FormatInt(v, 10)
	case []time.Duration:
		words := []string{}
		for _, d := range v {
			words = append(words, formatDuration(d))
		}
		if len(words) == 0 {
			return "off"
		}
		return strings.Join(words, ",")
	case []string:
		if s.Kind == Names || s.Kind == Paths {
			return cmp.Or(strings.Join(v, ","), "off")
		}
		list, err := json.Marshal(v)
		if err != nil {
			panic("encode texts: " + err.Error())
		}
		return string(list)
	}
	panic(fmt.Sprintf("setting %s has a value of type %T", s.Name, v))
}

// inFile returns a value in the form of settings.json.
func (s *Setting) inFile(v any) any {
	switch v := v.(type) {
	case bool, []string:
		return v
	case int64:
		if s.Kind == Number {
			return v
		}
	case []time.Duration:
		words := []string{}
		for _, d := range v {
			words = append(words, formatDuration(d))
		}
		return words
	}
	return s.format(v)
}

// fromFile parses a value from settings.json or daemon.toml.
func (s *Setting) fromFile(n node) (any, error) {
	wrong := fmt.Errorf("%s must be %s", s.Name, s.Wants())
	var text string
	switch v := n.value.(type) {
	case string:
		if s.Kind == Number || s.Kind == Switch || s.Kind == Command || s.Kind == Shell {
			return nil, wrong
		}
		text = v
	case json.Number:
		if s.Kind != Number && s.Kind != Size && s.Kind != Money {
			return nil, wrong
		}
		text = wholeNumber(v)
	case bool:
		if s.Kind != Switch {
			return nil, wrong
		}
		return v, nil
	case []node:
		words, ok := texts(v)
		switch {
		case !ok:
			return nil, wrong
		case s.Kind == Command || s.Kind == Shell:
			if len(words) == 0 || words[0] == "" || strings.ContainsRune(strings.Join(words, ""), 0) {
				return nil, wrong
			}
			return words, nil
		case s.Kind == Durations && len(words) == 0:
			return []time.Duration{}, nil
		case (s.Kind == Names || s.Kind == Paths) && len(words) == 0:
			return []string{}, nil
		case s.Kind == Durations, s.Kind == Names, s.Kind == Paths:
			text = strings.Join(words, ",")
		default:
			return nil, wrong
		}
	default:
		return nil, wrong
	}
	v, err := s.parse(text)
	if err != nil {
		return nil, wrong
	}
	return v, nil
}

// wholeNumber returns 1e3 and 1000.0 as 1000, and any other text as it is.
func wholeNumber(n json.Number) string {
	if f, err := n.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.FormatInt(int64(f), 10)
	}
	return n.String()
}

func texts(list []node) (words []string, ok bool) {
	for _, n := range list {
		word, ok := n.value.(string)
		if !ok {
			return nil, false
		}
		words = append(words, word)
	}
	return words, true
}

// ParseDuration parses a time in the notation of settings: 90s, 36h, 7d.
func ParseDuration(s string) (time.Duration, error) { return parseDuration(s) }

// parseDuration is time.ParseDuration that also accepts whole days as "7d".
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

// micros is how many millionths a US dollar has.
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

// formatMoney returns an amount as ParseMoney takes it, with cents.
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

// parseCommand parses a program with its arguments: a JSON list, or a program alone. No shell
// is used and nothing is split at spaces, so no quoting is needed.
func parseCommand(s string) ([]string, bool) {
	if !strings.HasPrefix(s, "[") {
		return []string{s}, s != ""
	}
	var argv []string
	err := json.Unmarshal([]byte(s), &argv)
	return argv, err == nil && len(argv) > 0 && argv[0] != ""
}

// sizeUnits are the units of sizes. MB means MiB, as people use it; a few per cent do not matter
// here.
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
