package offers

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"betcode/messages"
	"betcode/messages/regular"
)

const (
	// maxFiles bounds the files that are read in one directory.
	maxFiles = 512
	// maxHead bounds the part of a file that is read, in bytes: its front matter.
	maxHead = 16 << 10
	// maxDepth bounds nested directories of commands and agents.
	maxDepth = 4
	// maxText bounds a name, a description or a hint, in bytes.
	maxText = 512
)

// Read returns the abilities that a configuration directory, for example "<project>/.claude", defines.
// A directory or file that cannot be read defines nothing.
func Read(directory string) messages.Abilities {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return messages.Abilities{}
	}
	defer root.Close()
	r := reader{root: root, files: root.FS()}
	r.walk("commands", func(name string) {
		h := r.head(name)
		command := strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(name, "commands/"), "/", ":"), ".md")
		r.found.Commands = append(r.found.Commands, messages.AgentCommand{Name: command, Description: h["description"], Arguments: h["argument-hint"]})
	})
	r.skills()
	r.walk("agents", func(name string) {
		h := r.head(name)
		r.found.Agents = append(r.found.Agents, messages.AgentType{
			Name: cmp.Or(h["name"], strings.TrimSuffix(path.Base(name), ".md")), Description: h["description"],
		})
	})
	return r.found
}

type reader struct {
	root   *os.Root
	files  fs.FS
	looked int
	found  messages.Abilities
}

// walk calls file for each Markdown file below a directory.
func (r *reader) walk(directory string, file func(name string)) {
	_ = fs.WalkDir(r.files, directory, func(name string, entry fs.DirEntry, err error) error {
		if r.looked++; err != nil || r.looked > maxFiles || strings.Count(name, "/") > maxDepth {
			return fs.SkipDir
		}
		if entry.Type().IsRegular() && strings.HasSuffix(name, ".md") {
			file(name)
		}
		return nil
	})
}

// skills adds skills, which are commands too. Each has a directory of its own.
func (r *reader) skills() {
	entries, err := fs.ReadDir(r.files, "skills")
	if err != nil {
		return
	}
	for _, entry := range entries {
		if r.looked++; r.looked > maxFiles {
			return
		}
		h := r.head("skills/" + entry.Name() + "/SKILL.md")
		if h == nil {
			continue
		}
		name := cmp.Or(h["name"], entry.Name())
		r.found.Commands = append(r.found.Commands, messages.AgentCommand{Name: name, Description: h["description"], Arguments: h["argument-hint"]})
		r.found.Skills = append(r.found.Skills, name)
	}
}

// head returns the front matter of a file; nil if the file cannot be read.
func (r *reader) head(name string) map[string]string {
	file, err := r.root.OpenFile(name, os.O_RDONLY|regular.NoWait, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(file, maxHead))
	if err != nil {
		return nil
	}
	return frontMatter(string(text))
}

// frontMatter parses "key: value" lines between two lines of dashes.
func frontMatter(text string) map[string]string {
	values := map[string]string{}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "?")
	rest, begins := strings.CutPrefix(text, "---\n")
	if !begins {
		return values
	}
	for line := range strings.Lines(rest) {
		if strings.TrimSpace(line) == "---" {
			break
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok || key != strings.TrimSpace(key) { // nested, or no pair
			continue
		}
		values[key] = plain(strings.TrimSpace(value))
	}
	return values
}

// plain returns a value without its quotes, cut.
func plain(value string) string {
	for _, quote := range []string{`"`, "'"} {
		if inner, ok := strings.CutPrefix(value, quote); ok && strings.HasSuffix(inner, quote) {
			value = strings.TrimSuffix(inner, quote)
			break
		}
	}
	return strings.ToValidUTF8(value[:min(len(value), maxText)], "")
}
