package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SettingsFile is the name of the settings in a configuration directory.
const SettingsFile = "settings.json"

// Permissions are the rules a user has written down for all sessions, in the
// agent's own notation: "Bash(git *)", "Edit(src/**/*.ts)", "mcp__github__*".
type Permissions struct {
	Allow, Deny, Ask []string
}

// FileError is what is wrong with a file, and where.
type FileError struct {
	Path         string
	Line, Column int // from 1
	Err          error
}

// Error implements error in the form editors understand.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.Path, e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *FileError) Unwrap() error { return e.Err }

// ReadPermissions reads the rules of settings.json in dir. No file means no rules.
// What else the file has is left alone.
func ReadPermissions(dir string) (Permissions, error) { return readSettings(dir, parsePermissions) }

// ReadPermissionsFile reads the rules of a file like settings.json, which must be
// there.
func ReadPermissionsFile(path string) (Permissions, error) {
	raw, err := readWhole(path)
	if err != nil {
		return Permissions{}, fmt.Errorf("read rules: %w", err)
	}
	return readPart(path, raw, parsePermissions)
}

// readSettings reads a part of settings.json in dir, empty if there is no file.
func readSettings[T any](dir string, parse func(raw []byte) (T, int64, error)) (T, error) {
	var none T
	raw, err := readWhole(filepath.Join(dir, SettingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("read settings: %w", err)
	}
	return readPart(filepath.Join(dir, SettingsFile), raw, parse)
}

// maxSettings bounds a settings file, in bytes.
const maxSettings = 4 << 20

// readWhole reads a settings file. One that is no file, such as a pipe that
// somebody has put there, is an error.
func readWhole(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() > maxSettings:
		return nil, fmt.Errorf("%s has %d bytes; %d are the most", path, info.Size(), maxSettings)
	}
	return os.ReadFile(path)
}

// readPart reads a part of settings; the error says where it is wrong.
func readPart[T any](path string, raw []byte, parse func(raw []byte) (T, int64, error)) (T, error) {
	var none T
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	part, at, err := parse(raw)
	if err != nil {
		line, column := position(raw, at)
		return none, &FileError{Path: path, Line: line, Column: column, Err: err}
	}
	return part, nil
}

// parsePermissions also returns where the error is.
func parsePermissions(raw []byte) (p Permissions, at int64, err error) {
	w, at, err := walk(raw)
	if err != nil {
		return p, at, err
	}
	w.object("the settings", func(key string) {
		if key != "permissions" {
			w.skip()
			return
		}
		w.object(`"permissions"`, func(key string) {
			switch key {
			case "allow":
				p.Allow = w.rules(key)
			case "deny":
				p.Deny = w.rules(key)
			case "ask":
				p.Ask = w.rules(key)
			default:
				w.skip()
			}
		})
	})
	return p, w.at, w.err
}

// walk begins to go through JSON, or says where it is not sound.
func walk(raw []byte) (w *walker, at int64, err error) {
	var whole any
	if err := json.Unmarshal(raw, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, max(syntax.Offset-1, 0), err
		}
		return nil, 0, err
	}
	return &walker{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw))}, 0, nil
}

// walker goes through JSON that is known to be sound, and remembers where the
// first thing is that it did not expect.
type walker struct {
	raw   []byte
	dec   *json.Decoder
	token int64 // where the last token begins
	at    int64
	err   error
}

func (w *walker) fail(format string, args ...any) {
	if w.err == nil {
		w.at, w.err = w.token, fmt.Errorf(format, args...)
	}
}

func (w *walker) next() json.Token {
	between := w.raw[w.dec.InputOffset():]
	w.token = int64(len(w.raw) - len(bytes.TrimLeft(between, " \t\r\n:,")))
	token, err := w.dec.Token()
	if err != nil && !errors.Is(err, io.EOF) {
		w.fail("%w", err)
	}
	return token
}

// more reports whether the present object or array goes on.
func (w *walker) more() bool { return w.err == nil && w.dec.More() }

func (w *walker) object(what string, member func(key string)) {
	if w.err != nil {
		return
	}
	if w.next() != json.Delim('{') {
		w.fail("%s must be an object", what)
		return
	}
	for w.more() {
		key, _ := w.next().(string)
		member(key)
	}
	if w.err == nil {
		w.next()
	}
}

func (w *walker) rules(name string) []string {
	if w.next() != json.Delim('[') {
		w.fail("permissions.%s must be a list of rules", name)
		return nil
	}
	var rules []string
	for w.more() {
		rule, ok := w.next().(string)
		switch {
		case !ok:
			w.fail(`a rule in permissions.%s must be text, for example "Bash(git *)"`, name)
		case strings.TrimSpace(rule) == "":
			w.fail("a rule in permissions.%s is empty", name)
		case strings.HasPrefix(rule, "-"):
			w.fail("a rule in permissions.%s begins with a dash", name)
		}
		rules = append(rules, rule)
	}
	if w.err == nil {
		w.next()
	}
	return rules
}

func (w *walker) skip() {
	var ignored json.RawMessage
	if err := w.dec.Decode(&ignored); err != nil {
		w.fail("%w", err)
	}
}

// position turns an offset into line and column, both from 1.
func position(raw []byte, at int64) (line, column int) {
	before := raw[:min(int(at), len(raw))]
	line = 1 + bytes.Count(before, []byte("\n"))
	column = len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return line, column
}
