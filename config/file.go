package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The names of the settings files: in the configuration directory, and in a working directory,
// where the agent reads them too.
const (
	SettingsFile = "settings.json"
	TOMLFile     = "daemon.toml"

	ProjectFile = ".claude/settings.json"
	LocalFile   = ".claude/settings.local.json"
)

// Source is the kind of origin of a value, in order of precedence.
type Source string

// The sources.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromLocal       Source = "local"   // LocalFile of a directory
	FromProject     Source = "project" // ProjectFile of a directory
	FromUser        Source = "user"    // SettingsFile of the user
	FromTOML        Source = "toml"    // TOMLFile of the user
	FromDefault     Source = "default"
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

// object reads the settings of an object.
func (f *File) object(name string, n node) {
	for _, m := range n.members() {
		if strings.Contains(m.name, ".") {
			f.warn(m.node, "unknown setting %q", m.name) // a section must be an object
			continue
		}
		f.member(dotted(name, m.name), m)
	}
}

func dotted(above, name string) string {
	if above == "" {
		return name
	}
	return above + "." + name
}

func (f *File) member(name string, m member) {
	if s := find(name); s != nil {
		f.set(s, m.node)
		return
	}
	switch name {
	case "permissions.allow":
		f.Permissions.Allow = f.rules(name, m.node)
	case "permissions.ask":
		f.Permissions.Ask = f.rules(name, m.node)
	case "permissions.deny":
		f.Permissions.Deny = f.rules(name, m.node)
	case "feature_flags":
		f.features(m.node)
	default:
		_, isObject := m.value.([]member)
		section, _, _ := strings.Cut(name, ".")
		switch {
		case isSection(name) && isObject: // the agent may have settings in the same section
			f.object(name, m.node)
		case agentsOwn[name], agentsOwn[section]:
		case isSection(name):
			f.wrong(m.node, "%q must be an object", name)
		default:
			f.warn(m.node, "unknown setting %s", name)
		}
	}
}

func (f *File) set(s *Setting, n node) {
	if f.ofDirectory() && !s.Directory {
		f.warn(n, "%s can be set in your own settings only, not in a directory's", s.Name)
		return
	}
	v, err := s.fromFile(n)
	if err != nil {
		f.wrong(n, "%w", err)
		return
	}
	f.values[s.Name] = entry{v, f.origin(n)}
}

// ofDirectory reports whether the file is a working directory's.
func (f *File) ofDirectory() bool { return f.Source == FromLocal || f.Source == FromProject }

func (f *File) origin(n node) Origin {
	return Origin{Source: f.Source, Name: f.Path, Line: n.line}
}

func (f *File) features(n node) {
	if _, ok := n.value.([]member); !ok {
		f.wrong(n, "feature_flags must be an object")
	}
	for _, m := range n.members() {
		on, ok := m.value.(bool)
		if !ok {
			f.wrong(m.node, "feature_flags.%s must be true or false", m.name)
			continue
		}
		f.Features[m.name] = Feature{on, f.origin(m.node)}
	}
}

func (f *File) rules(name string, n node) []string {
	list, ok := n.value.([]node)
	if !ok {
		f.wrong(n, "%s must be a list of rules", name)
	}
	var rules []string
	for _, item := range list {
		rule, ok := item.value.(string)
		switch {
		case !ok:
			f.wrong(item, `a rule in %s must be text, for example "Bash(git *)"`, name)
		case strings.TrimSpace(rule) == "":
			f.wrong(item, "a rule in %s is empty", name)
		case strings.HasPrefix(rule, "-"):
			f.wrong(item, "a rule in %s begins with a dash", name)
		default:
			rules = append(rules, rule)
			if f.lines == nil {
				f.lines = map[string]int{}
			}
			f.lines[strings.TrimPrefix(name, "permissions.")+" "+rule] = item.line
		}
	}
	return rules
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

// isSection reports whether a name is a section of settings, such as "disk".
func isSection(name string) bool {
	if name == "permissions" {
		return true
	}
	for i := range table {
		if strings.HasPrefix(table[i].Name, name+".") {
			return true
		}
	}
	return false
}

// agentsOwn are members of settings.json that only the agent uses. They cause no warnings, since
// settings are often copied.
var agentsOwn = func() map[string]bool {
	own := map[string]bool{}
	for name := range strings.FieldsSeq(`$schema alwaysThinkingEnabled apiKeyHelper attribution autoMemoryEnabled
		autoUpdatesChannel availableModels awsAuthRefresh awsCredentialExport cleanupPeriodDays companyAnnouncements
		disableAllHooks disabledMcpjsonServers effortLevel enableAllProjectMcpServers enabledMcpjsonServers enabledPlugins env
		extraKnownMarketplaces fastMode fileSuggestion forceLoginMethod forceLoginOrgUUID hooks includeCoAuthoredBy
		includeGitInstructions language otelHeadersHelper outputStyle plansDirectory prefersReducedMotion respectGitignore sandbox
		showTurnDuration skipDangerousModePermissionPrompt spinnerTipsEnabled spinnerTipsOverride spinnerVerbs statusLine
		teammateMode terminalProgressBarEnabled worktree
		permissions.additionalDirectories permissions.defaultMode permissions.disableBypassPermissionsMode`) {
		own[name] = true
	}
	return own
}()

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

// Said returns the first value of each setting in files, in the order of the table.
func Said(files ...*File) []Value {
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
