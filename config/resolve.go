package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Flags are the flags of a command line by the name of their setting, as they were
// given. [ConfigDirFlag] is one of them, although it is no setting.
type Flags map[string]string

// ConfigDirFlag is the flag that says where settings are.
const ConfigDirFlag = "config-dir"

// Origin is where a value comes from.
type Origin struct {
	Source Source
	Name   string // of the flag, the variable or the file
	Line   int    // in the file, else 0
}

// String is the origin for people.
func (o Origin) String() string {
	switch {
	case o.Source == FromFlag:
		return "--" + o.Name
	case o.Source == FromDefault:
		return "default"
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	}
	return cmp.Or(o.Name, string(o.Source))
}

// Value is a setting with what holds for it. Value is nil where nobody says
// anything and there is no default.
type Value struct {
	*Setting
	Value  any // of the Go type that Kind names
	Origin Origin
}

// Text is the value as a command line has it, empty for none.
func (v Value) Text() string { return v.format(v.Value) }

// Public is the value for whoever may only look: of a program without its arguments.
func (v Value) Public() string {
	argv, ok := v.Value.([]string)
	if !v.Private || !ok || len(argv) < 2 {
		return v.Text()
	}
	return v.format([]string{argv[0], "…"})
}

// Settings is everything that was said, and by whom.
type Settings struct {
	ConfigDir string
	Values    []Value     // as the table is ordered
	Rules     []FileRules // of the user, by file
	Features  map[string]Feature
	Warnings  []*FileError
}

// Load reads the user's settings and decides each value: by a flag, a variable,
// settings.json, daemon.toml, the default. The error joins everything that is
// wrong; the settings are then those that can be told.
func Load(flags Flags, e Environment) (Settings, error) {
	dir, err := e.configDir(flags[ConfigDirFlag])
	if err != nil {
		return Settings{}, err
	}
	files, wrong := UserFiles(dir)
	s, err := resolve(flags, e, dir, files)
	return s, errors.Join(wrong, err)
}

// userFiles are the user's settings files, unread, the more important first.
func userFiles(dir string) []*File {
	return []*File{
		{Path: filepath.Join(dir, SettingsFile), Source: FromUser},
		{Path: filepath.Join(dir, TOMLFile), Source: FromTOML},
	}
}

// resolve decides each value; of the files the first is the most important.
func resolve(flags Flags, e Environment, dir string, files []*File) (Settings, error) {
	s := Settings{ConfigDir: dir, Features: map[string]Feature{}}
	var wrong []error
	for i := range table {
		v, err := decide(&table[i], flags, e, dir, files)
		s.Values, wrong = append(s.Values, v), append(wrong, err)
	}
	for _, f := range slices.Backward(files) {
		s.Warnings = append(s.Warnings, f.Warnings...)
		for name, feature := range f.Features {
			s.Features[name] = feature
		}
		s.Rules = append(s.Rules, f.FileRules())
	}
	return s, errors.Join(append(wrong, joined(s.contradictions(e)))...)
}

// decide is the value of one setting, by whoever says something first.
func decide(s *Setting, flags Flags, e Environment, dir string, files []*File) (Value, error) {
	out := Value{Setting: s, Origin: Origin{Source: FromDefault}}
	said := func(text string, o Origin, what string) (Value, error) {
		v, err := s.parse(text)
		if err == nil {
			v, err = e.place(s, v, "")
		}
		if err != nil {
			return out, fmt.Errorf("set %s: %w", what, err)
		}
		return Value{s, v, o}, nil
	}
	if text := flags[s.Name]; text != "" {
		return said(text, Origin{Source: FromFlag, Name: s.Flag}, "--"+s.Flag)
	}
	if s.Env != "" {
		if text := e.Getenv(s.Env); text != "" {
			return said(text, Origin{Source: FromEnvironment, Name: s.Env}, s.Env)
		}
	}
	for _, f := range files {
		if entry, ok := f.values[s.Name]; ok {
			v, err := e.place(s, entry.value, filepath.Dir(f.Path))
			return Value{s, v, entry.origin}, err
		}
	}
	text := s.Default
	if s.otherwise != nil {
		var err error
		if text, err = s.otherwise(e, dir); err != nil {
			return out, err
		}
	}
	if text == "" {
		return out, nil
	}
	v, err := s.parse(text)
	out.Value = v
	return out, err
}

// place makes a path absolute: in a file it begins where the file is, or at home
// for "~/"; else in the working directory. A program may be a bare name.
func (e Environment) place(s *Setting, v any, dir string) (any, error) {
	path, ok := v.(string)
	if s.Kind != Path || !ok || (s.Name == "agent.path" && !strings.ContainsAny(path, `/\`)) {
		return v, nil
	}
	if below, ok := strings.CutPrefix(path, "~/"); ok && dir != "" {
		return e.underHome(below)
	}
	if dir != "" && !filepath.IsAbs(path) {
		return filepath.Join(dir, path), nil
	}
	return e.absolute(path)
}

// Get is the value of the setting with a name; it panics for one that is not in the
// table.
func (s Settings) Get(name string) Value {
	for _, v := range s.Values {
		if v.Name == name {
			return v
		}
	}
	panic("no setting " + name)
}

// In is the settings as they hold in a directory that has files of its own, the
// nearer first: what a flag or a variable says still counts more.
func (s Settings) In(files []*File) Settings {
	s.Values = slices.Clone(s.Values)
	for i, v := range s.Values {
		if !v.Directory || v.Origin.Source == FromFlag || v.Origin.Source == FromEnvironment {
			continue
		}
		for _, f := range files {
			if e, ok := f.values[v.Name]; ok {
				s.Values[i].Value, s.Values[i].Origin = e.value, e.origin
				break
			}
		}
	}
	return s
}

// OfDirectory reports whether a working directory's own file is the origin.
func (o Origin) OfDirectory() bool { return o.Source == FromLocal || o.Source == FromProject }

// ReadDirectory reads what a directory brings along, the nearer file first. Files
// that cannot be read say nothing.
func ReadDirectory(dir, home string) []*File {
	sources := map[string]Source{LocalFile: FromLocal, ProjectFile: FromProject}
	var files []*File
	for _, name := range OwnSettings(dir, home) {
		if source, ok := sources[name]; ok {
			if f, err := ReadFile(filepath.Join(dir, name), source); err == nil {
				files = append(files, f)
			}
		}
	}
	return files
}

// Changed names the settings that have another value than before, and rules or
// features, if they have changed.
func (s Settings) Changed(before Settings) []string {
	changed := []string{}
	for i, v := range s.Values {
		if i >= len(before.Values) || v.Text() != before.Values[i].Text() {
			changed = append(changed, v.Name)
		}
	}
	if !reflect.DeepEqual(s.Rules, before.Rules) {
		changed = append(changed, "permissions")
	}
	on := func(f map[string]Feature) map[string]bool {
		out := map[string]bool{}
		for name, feature := range f {
			out[name] = feature.On
		}
		return out
	}
	if !maps.Equal(on(s.Features), on(before.Features)) {
		changed = append(changed, "feature_flags")
	}
	return changed
}

// Same reports whether two settings say the same in the same places.
func (s Settings) Same(other Settings) bool {
	if len(s.Changed(other)) > 0 || len(s.Warnings) != len(other.Warnings) {
		return false
	}
	for i, v := range s.Values {
		if v.Origin != other.Values[i].Origin {
			return false
		}
	}
	return true
}

// Pending names the settings that have changed since a daemon was started and count
// only with its next start.
func (s Settings) Pending(started Settings) []string {
	pending := []string{}
	for i, v := range s.Values {
		if !v.Live && v.Text() != started.Values[i].Text() {
			pending = append(pending, v.Name)
		}
	}
	return pending
}
