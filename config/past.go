package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Past says how much of what sessions said is kept, and how much agents have to
// read of it again. A limit that was not given is 0, one that is "off" is -1.
type Past struct {
	CompactThreshold uint64 // a context of more tokens is compacted; 0 = never

	Bytes        int64         // of the journal's sealed files together
	Age          time.Duration // since a file was sealed
	SessionBytes int64         // of the events of one session
	SessionAge   time.Duration // of an event
}

// What a limit may be. Less would drop what is still being talked about.
const (
	minRetainBytes = 1 << 20
	minRetainAge   = time.Hour
)

// ReadPast reads what settings.json in dir says about the past:
//
//	{"sessions":  {"auto_compact": true, "auto_compact_threshold": 150000},
//	 "retention": {"max_bytes": "20GiB", "max_age": "365d",
//	               "session_max_bytes": "2GiB", "session_max_age": "off"}}
//
// No file, or no such member, means the zero value.
func ReadPast(dir string) (Past, error) { return readSettings(dir, parsePast) }

func parsePast(raw []byte) (p Past, at int64, err error) {
	w, at, err := walk(raw)
	if err != nil {
		return p, at, err
	}
	off := false
	w.object("the settings", func(key string) {
		switch key {
		case "sessions":
			w.object(`"sessions"`, func(key string) {
				switch key {
				case "auto_compact":
					wanted, ok := w.next().(bool)
					if !ok {
						w.fail("sessions.auto_compact must be true or false")
					}
					off = !wanted
				case "auto_compact_threshold":
					p.CompactThreshold = w.tokens()
				default:
					w.skip()
				}
			})
		case "retention":
			w.object(`"retention"`, func(key string) {
				switch key {
				case "max_bytes":
					p.Bytes = w.bytes("retention." + key)
				case "max_age":
					p.Age = w.age("retention." + key)
				case "session_max_bytes":
					p.SessionBytes = w.bytes("retention." + key)
				case "session_max_age":
					p.SessionAge = w.age("retention." + key)
				default:
					w.skip()
				}
			})
		default:
			w.skip()
		}
	})
	if off {
		p.CompactThreshold = 0
	}
	return p, w.at, w.err
}

func (w *walker) tokens() uint64 {
	n, ok := w.next().(float64)
	if !ok || n < 0 || n != math.Trunc(n) || n >= 1<<32 {
		w.fail("sessions.auto_compact_threshold must be a number of tokens; 0 is never")
		return 0
	}
	return uint64(n)
}

// bytes reads a size: a number, or text with a unit.
func (w *walker) bytes(name string) int64 {
	var n int64
	var err error
	switch value := w.next().(type) {
	case float64:
		n, err = sizeOf(strconv.FormatFloat(value, 'f', -1, 64))
	case string:
		if value == "off" {
			return -1
		}
		n, err = sizeOf(value)
	default:
		err = strconv.ErrSyntax
	}
	if err != nil || n < minRetainBytes {
		w.fail(`%s must be a size of 1MiB or more, for example "20GiB", or "off"`, name)
		return 0
	}
	return n
}

func (w *walker) age(name string) time.Duration {
	value, ok := w.next().(string)
	if value == "off" {
		return -1
	}
	age, err := parseDuration(value)
	if !ok || err != nil || age < minRetainAge {
		w.fail(`%s must be a time of 1h or more, for example "90d", or "off"`, name)
		return 0
	}
	return age
}

// sizeUnits are the units of sizes. MB is what people write for MiB, and nobody
// minds a few per cent of room.
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
			return 0, fmt.Errorf("%q is no size", s)
		}
		return n * unit.bytes, nil
	}
	return 0, fmt.Errorf("%q is no size", s)
}
