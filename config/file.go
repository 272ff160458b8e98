package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The names of the settings files: in the configuration directory, and in a working directory,
// where the agent reads them too.
const (
	SettingsFile = "settings.json"
	TOMLFile     = "daemon.toml"

	ProjectFile = ".claude/settings.json"
	LocalFile   = ".claude/settings.local.json"
)

// FileError is an error or a warning about a line of a file.
type FileError struct {
	Path         string
	Line, Column int // from 1
	Err          error
}

// Error implements error in the form editors understand.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.Path, e.Line, e.Column, e.Err)
}

// Unwrap returns the error without its position.
func (e *FileError) Unwrap() error { return e.Err }

// File is a settings file, read and checked.
type File struct {
	Path        string
	Source      Source
	Permissions Permissions
	Features    map[string]Feature // feature_flags, by name
	Warnings    []*FileError       // unknown settings, which are ignored

	values   map[string]entry // by the name of the setting
	lines    map[string]int   // of rules; see FileRules
	problems []error
}

// Feature is the value of a feature flag in a file.
type Feature struct {
	On     bool
	Origin Origin
}

type entry struct {
	value  any
	origin Origin
}

// ReadFile reads a settings file; one whose name ends in .toml is TOML. A missing file is empty.
// The error joins all faults, each a [*FileError].
func ReadFile(path string, source Source) (*File, error) {
	f := newFile(path, source)
	raw, err := readWhole(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("read settings: %w", err)
	}
	return f, f.parse(raw)
}

func newFile(path string, source Source) *File {
	return &File{Path: path, Source: source, Features: map[string]Feature{}, values: map[string]entry{}}
}

// maxSettings bounds a settings file, in bytes.
const maxSettings = 4 << 20

// readWhole reads a settings file. Anything but a regular file, such as a pipe, is an error.
func readWhole(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() > maxSettings:
		return nil, fmt.Errorf("%s has %d bytes, the limit is %d", path, info.Size(), maxSettings)
	}
	return os.ReadFile(path)
}

func (f *File) parse(raw []byte) error {
	read := readJSON
	if filepath.Ext(f.Path) == ".toml" {
		read = readTOML
	}
	root, err := read(f.Path, raw)
	if err != nil {
		return err
	}
	if _, ok := root.value.([]member); !ok {
		f.wrong(root, "the settings must be an object")
	}
	f.object("", root)
	return errors.Join(f.problems...)
}

// ofDirectory reports whether the file is a working directory's.
func (f *File) ofDirectory() bool { return f.Source == FromLocal || f.Source == FromProject }

func (f *File) origin(n node) Origin {
	return Origin{Source: f.Source, Name: f.Path, Line: n.line}
}

func (f *File) wrong(n node, format string, args ...any) {
	f.problems = append(f.problems, f.about(n, format, args...))
}

func (f *File) warn(n node, format string, args ...any) {
	f.Warnings = append(f.Warnings, f.about(n, format, args...))
}

func (f *File) about(n node, format string, args ...any) *FileError {
	return &FileError{Path: f.Path, Line: n.line, Column: n.column, Err: fmt.Errorf(format, args...)}
}

// UserFiles reads the user's settings files in order of precedence; see [ReadFile] for the error.
func UserFiles(dir string) ([]*File, error) {
	files := userFiles(dir)
	var wrong []error
	for i, f := range files {
		var err error
		files[i], err = ReadFile(f.Path, f.Source)
		wrong = append(wrong, err)
	}
	return files, errors.Join(wrong...)
}

// FileValues returns the first value of each setting in files, in the order of the table.
func FileValues(files ...*File) []Value {
	var values []Value
	for i := range table {
		for _, f := range files {
			if e, ok := f.values[table[i].Name]; ok {
				values = append(values, Value{&table[i], e.value, e.origin})
				break
			}
		}
	}
	return values
}
