package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of a search for nested skills.
const (
	maxSearched = 50_000 // directories that are listed
	maxNested   = 500    // directories with skills that are returned
)

// skills is the only folder that an agent obeys below its working directory.
const skills = "skills"

// Nested returns the ".claude/skills" below a directory, sorted, without its own. Claude Code
// 2.1.330 loads them when it reads or writes a file below, at any time of a session. It loads no
// settings, servers, commands, agents and plugins from there (seen with strace).
//
// A search lists every directory, so it runs only for a review, or when the agent has reported
// that its commands have changed. Directories behind symbolic links are checked and not
// entered. The search ends at its limits; directories closer to the top come first.
//
// The problems list what the search could not see although the agent may obey it: everything below
// a directory that can be entered but not listed, and skills beyond the limit.
func Nested(directory string) (found []string, problems []Problem) {
	top := resolved(directory)
	queue := []string{top}
	for searched := 0; len(queue) > 0 && searched < maxSearched && len(found) < maxNested; searched++ {
		dir := queue[0]
		queue = queue[1:]
		entries, err := os.ReadDir(dir)
		if err != nil {
			if closed(dir) {
				continue // closed to this user, and so to the agent
			}
			if dir == top && errors.Is(err, fs.ErrNotExist) {
				return nil, []Problem{{dir, "does not exist"}}
			}
			if problems = append(problems, Problem{dir, "cannot be listed, so skills below it are not seen"}); dir != top {
				found = appendSkills(found, dir)
			}
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case e.Type()&fs.ModeSymlink != 0:
				found = appendSkills(found, path)
			case !e.IsDir():
				continue
			case len(queue) < maxSearched:
				queue = append(queue, path)
			}
			if dir != top && strings.EqualFold(e.Name(), folder) { // the file system may ignore case
				found = appendSkills(found, dir)
			}
		}
	}
	if len(found) >= maxNested {
		problems = append(problems, Problem{top, fmt.Sprintf("has skills in %d directories below or more, and not all are seen", maxNested)})
	}
	slices.Sort(found)
	return slices.Compact(found), problems
}

// closed reports whether nothing in a directory can be opened. In a directory that can be entered
// but not listed, files with known names can be.
func closed(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, folder))
	return err != nil && !errors.Is(err, fs.ErrNotExist)
}

// appendSkills adds the skills of a directory, if it has any.
func appendSkills(found []string, dir string) []string {
	at := filepath.Join(dir, folder, skills)
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return found
	}
	return append(found, at)
}

// Nested returns the ".claude/skills" below a directory with files that were trusted.
func (l Ledger) Nested(directory string) []string {
	directory = resolved(directory)
	var found []string
	for _, record := range l.Records {
		for path := range record.Files {
			if at, ok := below(path, directory); ok {
				found = append(found, at)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// below returns the ".claude/skills" that contains a file, if that is below directory.
func below(path, directory string) (at string, ok bool) {
	const separator = string(filepath.Separator)
	inner, within := strings.CutPrefix(path, strings.TrimSuffix(directory, separator)+separator)
	dir, _, found := strings.Cut(inner, separator+filepath.Join(folder, skills)+separator)
	if !within || !found {
		return "", false
	}
	return filepath.Join(directory, dir, folder, skills), true
}
