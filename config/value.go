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

// bound returns a bound of the table as a number; TestTable checks that each parses.
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
		var list strings.Builder
		encoder := json.NewEncoder(&list)
		encoder.SetEscapeHTML(false) // people read it, and programs of shells have < > &
		if err := encoder.Encode(v); err != nil {
			panic("encode texts: " + err.Error())
		}
		return strings.TrimSuffix(list.String(), "\n")
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

// wholeNumber returns 1e3 and 1000.0 as 1000, and any other text unchanged.
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
