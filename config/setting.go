package config

import (
	"fmt"
	"strings"
)

// Setting describes a setting of the daemon: its values, its origins, and when a change takes effect.
type Setting struct {
	Name string // as in settings.json and daemon.toml, "disk.low" for {"disk": {"low": …}}
	Kind Kind

	Default  string   // as on the command line; empty = none, see Unset
	Unset    string   // the behaviour while it is not set, for people
	Min, Max string   // as Default; empty = no bound
	Values   []string // of a Text: the only ones
	Off      bool     // "off" is allowed: no limit
	Unit     string   // of a Number, for people

	Env     string   // environment variable
	Flag    string   // of the daemon's commands, without dashes; empty = none
	Aliases []string // other names in files

	Private   bool   // the value may contain private data
	Live      bool   // a change takes effect at once; else with the next start
	Directory bool   // settings of a trusted directory may set it for sessions there
	Help      string // one line, for people

	field    func(*Daemon) any                               // the field for its value; nil = none
	fallback func(e Environment, dir string) (string, error) // the default, if it depends on the machine
}

// Kind is the type and notation of a setting.
type Kind uint8

// The kinds, with the type of their values.
const (
	Text      Kind = iota // string
	Path                  // string, absolute
	Number                // int64
	Switch                // bool
	Duration              // time.Duration
	Size                  // int64, bytes
	Durations             // []time.Duration, rising
	Command               // []string: a program and its arguments
	Names                 // []string: of variables; a final * matches any rest
	Paths                 // []string: each absolute, or below the home directory as ~/…
	Shell                 // []string: commands of the shell
	Money                 // int64, millionths of a US dollar
)

var kindNames = [...]string{"text", "path", "number", "switch", "time", "size", "times", "command", "names", "paths", "shell", "amount"}

// String returns the name of the kind in docs/settings.md.
func (k Kind) String() string { return kindNames[k] }

// Wants describes the valid values for errors and pages: "a time from 1h to 30d".
func (s *Setting) Wants() string {
	var what, example string
	switch s.Kind {
	case Text:
		what = "text"
		if len(s.Values) > 0 {
			what = "one of " + strings.Join(s.Values, ", ")
		}
	case Path:
		what = "a path"
	case Number:
		what = "a whole number"
	case Switch:
		what = "true or false"
	case Duration:
		what, example = "a time", ", for example 90s or 7d"
	case Size:
		what, example = "a size", ", for example 512MiB"
	case Money:
		what, example = "an amount of US dollars", ", for example 5 or 0.25"
	case Durations:
		return fmt.Sprintf("one time, or two with the earlier one first, each from %s to %s, for example 1h,24h; or off", s.Min, s.Max)
	case Names:
		return "a list of names of variables, in which a last * matches any rest, for example PATH,LC_*; or off"
	case Paths:
		return "a list of absolute paths, of which ~/… is below the home directory, for example ~/notes,/srv/data; or off"
	case Shell:
		return `a list of shell commands, for example ["npm install","make"]`
	case Command:
		return `a list of texts, the first of which names a program, for example ["notify-send","betcode"]`
	}
	switch {
	case s.Min != "" && s.Max != "":
		what += " from " + s.Min + " to " + s.Max
	case s.Min != "":
		what += " of " + s.Min + " or more"
	}
	if s.Off {
		example += ", or off"
	}
	return what + example
}

// find returns the setting with a name or an alias.
func find(name string) *Setting {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
		for _, alias := range table[i].Aliases {
			if alias == name {
				return &table[i]
			}
		}
	}
	return nil
}

// Find returns the setting that a person has named.
func Find(name string) (*Setting, error) {
	if s := find(name); s != nil {
		return s, nil
	}
	if like := near(name); like != "" {
		return nil, fmt.Errorf("there is no setting %q; did you mean %s?", name, like)
	}
	return nil, fmt.Errorf("there is no setting %q; 'betcode config show' lists them", name)
}

// near returns the one setting whose name has the same letters, such as daemon.log_level for log-level; empty if there is none, or
// several.
func near(name string) string {
	letters := func(s string) string {
		return strings.ToLower(strings.NewReplacer(".", "", "_", "", "-", "").Replace(s))
	}
	wanted, found := letters(name), ""
	for i := range table {
		_, last, _ := strings.Cut(table[i].Name, ".")
		if letters(table[i].Name) != wanted && letters(last) != wanted {
			continue
		}
		if found != "" {
			return ""
		}
		found = table[i].Name
	}
	return found
}
