package protect

import (
	"os"
	"path"
	"slices"
)

// maxEntries bounds how many files are checked in each directory.
const maxEntries = 1024

// inner are subdirectories of listed directories whose files are run or read as settings.
var inner = []string{"", "hooks", "info", "commands", "agents"}

// hardLinked returns why an agent that changes files of a directory without asking may
// change a listed file all the same: a listed file has another name, which may be in the
// directory, and a command that writes to that name is not recognised. It
// reads the disk: the files of the project that the directory is in, those of the
// home directory and those that the list names by their whole path, but none at greater
// depth.
func (l *List) hardLinked(dir string) string {
	tops := project(dir)
	for _, top := range slices.Concat(tops, l.home) {
		for _, name := range sorted(files) {
			if why := l.otherNames(path.Join(top, name)); why != "" {
				return why
			}
		}
	}
	for _, top := range tops {
		for _, name := range sorted(directories) {
			if why := l.otherNamesBelow(path.Join(top, name)); why != "" {
				return why
			}
		}
	}
	for _, r := range l.roots {
		if path.Base(r.path) == "bin" {
			continue // programs often have several names
		}
		if why := l.otherNamesBelow(r.path); why != "" {
			return why
		}
	}
	return ""
}

// project returns a directory and those above it, up to the root of its repository; the
// directory alone if it is in none.
func project(dir string) []string {
	var all []string
	for top := path.Clean(dir); ; top = path.Dir(top) {
		all = append(all, top)
		if _, err := os.Lstat(path.Join(top, ".git")); err == nil {
			return all
		}
		if top == path.Dir(top) {
			return all[:1]
		}
	}
}

// otherNames returns a reason if a file is listed and has another name.
func (l *List) otherNames(file string) string {
	if reason := l.listed(foldPath(file)); reason != "" && manyNames(file) {
		return file + ", which " + reason + ", has another name, by which shell commands change it"
	}
	return ""
}

// otherNamesBelow does the same for a file, or for those in a directory.
func (l *List) otherNamesBelow(root string) string {
	if why := l.otherNames(root); why != "" {
		return why
	}
	for _, name := range inner {
		dir, err := os.Open(path.Join(root, name))
		if err != nil {
			continue
		}
		entries, _ := dir.Readdirnames(maxEntries) // none if it is not a directory
		dir.Close()
		for _, entry := range entries {
			if why := l.otherNames(path.Join(root, name, entry)); why != "" {
				return why
			}
		}
	}
	return ""
}
