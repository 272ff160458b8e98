package protect

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"betcode/actors/internal/realpath"
	"betcode/actors/internal/rules"
)

// maxPaths bounds how many paths of one call are checked.
const maxPaths = 256

// Writes is what a call writes, as far as it can be parsed.
type Writes struct {
	Paths []string // absolute and clean, as they are spelled
	Git   []GitRun // the directories in which it runs git
	Why   string   // why a person is asked whatever the paths are; empty: the paths decide

	session string // its working directory
}

// writers are the tools that write files, and the members of their input that name them.
var writers = map[string]string{
	"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path",
}

// Concerned reports whether the list applies to calls of a tool.
func Concerned(tool string) bool { return tool == "Bash" || writers[tool] != "" }

// Read parses a call. It reads no disk.
func (l *List) Read(c rules.Call) Writes {
	if l == nil || !Concerned(c.Tool) {
		return Writes{}
	}
	var input map[string]json.RawMessage
	if json.Unmarshal(c.Input, &input) != nil {
		return Writes{Why: "the input of the call cannot be read"}
	}
	if c.Tool == "Bash" {
		command, ok := text(input["command"])
		if !ok {
			return Writes{Why: "the call has no command"}
		}
		return l.readCommand(command, c.Place)
	}
	var w Writes
	for name, value := range input {
		if !strings.EqualFold(name, "file_path") && !strings.EqualFold(name, "notebook_path") && !strings.EqualFold(name, "path") {
			continue
		}
		file, ok := text(value)
		if !ok {
			return Writes{Why: "the path of the call cannot be read"}
		}
		if len(file) > realpath.MaxLength {
			return Writes{Why: "the path of the call is too long"}
		}
		w.Paths = append(w.Paths, spellings(file, c.Place.Directory, c.Place.Home)...)
	}
	if len(w.Paths) == 0 {
		w.Why = "the call names no file"
	}
	slices.Sort(w.Paths)
	return w
}

func text(raw json.RawMessage) (string, bool) {
	var s *string
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// Judge returns why a person is to be asked about a call, empty if the list does not
// apply.
func (l *List) Judge(w Writes, actual Real) string {
	if l == nil {
		return ""
	}
	if w.Why != "" {
		return w.Why
	}
	if actual.Git != "" {
		return actual.Git
	}
	for _, p := range w.Paths {
		if reason := l.Path(p); reason != "" {
			return reason
		}
		found, known := actual.Files[p]
		if !known {
			continue
		}
		if reason := l.Path(found.Path); reason != "" {
			return p + " is " + reason
		}
		if found.Repository {
			return p + " " + gits
		}
		if found.Doubt != "" {
			return p + " cannot be judged: " + found.Doubt
		}
		if found.Names {
			return p + " " + linked
		}
	}
	return ""
}

// absolute returns the clean absolute path as a tool for files reads it.
func absolute(file, directory, home string) string {
	file = strings.ReplaceAll(file, "\x00", "")
	switch {
	case file == "~":
		return path.Clean(home)
	case strings.HasPrefix(file, "~/"):
		return path.Join(home, file[2:])
	case path.IsAbs(file):
		return path.Clean(file)
	}
	return path.Join(directory, file)
}

// spellings returns the readings of a path: cleaned as text, which is how the tools for files
// read it, and as the system does, where ".." is applied to the target of a link.
func spellings(file, directory, home string) []string {
	clean := absolute(file, directory, home)
	if !strings.Contains(file, "..") {
		return []string{clean}
	}
	if raw := file; path.IsAbs(raw) {
		return []string{clean, raw}
	}
	return []string{clean, directory + "/" + file}
}
