package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Flags are the given flags of a command line by the name of their setting. [ConfigDirFlag] is
// one of them, although it is not a setting.
type Flags map[string]string

// ConfigDirFlag is the flag that names the configuration directory.
const ConfigDirFlag = "config-dir"

// Origin is the source of a value.
type Origin struct {
	Source Source
	Name   string // of the flag, the variable or the file
	Line   int    // in the file, else 0
}

// String returns the origin for people.
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

// Value is a setting with its effective value, which is nil if it is not set and has no default.
type Value struct {
	*Setting
	Value  any // of the Go type that Kind names
	Origin Origin
}

// Text returns the value as written on a command line, empty for none.
func (v Value) Text() string { return v.format(v.Value) }

// Public returns the value for callers that may only view: a program without its arguments, a URL without its path.
func (v Value) Public() string {
	if !v.Private {
		return v.Text()
	}
	switch value := v.Value.(type) {
	case []string:
		if len(value) > 1 {
			return v.format([]string{value[0], "…"})
		}
	case string:
		if u, err := url.Parse(value); err == nil && u.Host != "" {
			return u.Scheme + "://" + u.Host + "/…"
		}
	}
	return v.Text()
}

// Settings has all values with their origins.
type Settings struct {
	ConfigDir string
	Values    []Value     // in the order of the table
	Rules     []FileRules // of the user, by file
	Features  map[string]Feature
	Warnings  []*FileError
}

// Load reads the user's settings and resolves each value from a flag, a variable, settings.json,
// daemon.toml or the default. The error joins all faults; the settings then contain the valid
// values.
func Load(flags Flags, e Environment) (Settings, error) {
	dir, err := e.configDir(flags[ConfigDirFlag])
	if err != nil {
		return Settings{}, err
	}
	files, wrong := UserFiles(dir)
	s, err := resolve(flags, e, dir, files)
	return s, errors.Join(wrong, err)
}

// userFiles returns the user's settings files, unread, in order of precedence.
func userFiles(dir string) []*File {
	return []*File{
		{Path: filepath.Join(dir, SettingsFile), Source: FromUser},
		{Path: filepath.Join(dir, TOMLFile), Source: FromTOML},
	}
}

// resolve resolves each value. Files are in order of precedence.
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

// decide returns the value of a setting from the first origin that has one.
func decide(s *Setting, flags Flags, e Environment, dir string, files []*File) (Value, error) {
	out := Value{Setting: s, Origin: Origin{Source: FromDefault}}
	parsed := func(text string, o Origin, what string) (Value, error) {
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
		return parsed(text, Origin{Source: FromFlag, Name: s.Flag}, "--"+s.Flag)
	}
	if s.Env != "" {
		if text := e.Getenv(s.Env); text != "" {
			return parsed(text, Origin{Source: FromEnvironment, Name: s.Env}, s.Env)
		}
	}
	for _, f := range files {
		if entry, ok := f.values[s.Name]; ok {
			v, err := e.place(s, entry.value, filepath.Dir(f.Path))
			return Value{s, v, entry.origin}, err
		}
	}
	text := s.Default
	if s.fallback != nil {
		var err error
		if text, err = s.fallback(e, dir); err != nil {
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

// place makes a path absolute. In a file it is relative to the file's directory, or to the home
// directory for "~/"; otherwise to the working directory. A program may be a bare name.
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

// Get returns the value of a setting; it panics for a name that is not in the table.
func (s Settings) Get(name string) Value {
	for _, v := range s.Values {
		if v.Name == name {
			return v
		}
	}
	panic("no setting " + name)
}

// In returns the settings for a directory with its own files, which are in order of precedence.
// Flags and variables still precede them.
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

// OfDirectory reports whether the origin is a file of a working directory.
func (o Origin) OfDirectory() bool { return o.Source == FromLocal || o.Source == FromProject }

// ReadDirectory reads the settings files of a directory in order of precedence. Unreadable files are omitted.
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
