package protect

import (
	"cmp"

	"betcode/actors/internal/realpath"
	"betcode/actors/internal/rules"
)

// Real is the state of the disk that a call meets.
type Real struct {
	Files map[string]Found // by path as it is spelled
	Git   string           // why a person is asked about the runs of git; empty: they decide nothing
}

// Found is the file of one path.
type Found struct {
	Path  string // with symbolic links resolved
	Doubt string // why other processes may reach another file by it; empty: they do not
	Names bool   // the file has more than one name

	Repository bool // it is in the directory of a repository, of any name
}

// Resolve resolves the paths that a call writes. It reads the disk.
func Resolve(w Writes) Real {
	found := Real{Files: make(map[string]Found, len(w.Paths))}
	repositories := map[string]bool{}
	for _, p := range w.Paths {
		file := realpath.Resolve(p)
		found.Files[p] = Found{file.Path, file.Doubt, file.Regular() && manyNames(file.Path), inRepository(file.Path, repositories)}
	}
	for _, run := range w.Git {
		found.Git = cmp.Or(found.Git, runsHere(run, w.session))
	}
	return found
}

// Check parses, resolves and judges a call: [List.Read], [Resolve] and [List.Judge]. It reads
// the disk.
func (l *List) Check(c rules.Call) string {
	w := l.Read(c)
	if w.Why != "" {
		return w.Why
	}
	return l.Judge(w, Resolve(w))
}

// CheckDirectory is [List.Exposed] for a directory as it is spelled and with symbolic
// links resolved, and also finds listed files that may have another name in it. It reads the disk.
func (l *List) CheckDirectory(dir string) string {
	if l == nil || dir == "" {
		return ""
	}
	actual := realpath.Resolve(dir).Path
	return cmp.Or(l.Exposed(dir), l.Exposed(actual), l.hardLinked(actual))
}

// Resolve returns the places with symbolic links resolved. It reads the disk.
func (p Places) Resolve() Places {
	one := func(dir string) string {
		if dir == "" {
			return ""
		}
		return realpath.Resolve(dir).Path
	}
	all := func(list []string) []string {
		found := make([]string, 0, len(list))
		for _, dir := range list {
			found = append(found, one(dir))
		}
		return found
	}
	return Places{Home: one(p.Home), Agent: all(p.Agent), Daemon: all(p.Daemon)}
}
