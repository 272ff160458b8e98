package protect

import (
	"cmp"

	"betcode/actors/internal/realpath"
	"betcode/actors/internal/rules"
)

// Real is what a call meets on the disk.
type Real struct {
	Files map[string]Found // by path as it is spelled
	Git   string           // why a person is asked where the call runs git; empty: that decides nothing
}

// Found is what one path is on the disk.
type Found struct {
	Path  string // behind symbolic links
	Doubt string // why that is another one for other processes; empty: it is not
	Names bool   // the file has more than one

	Repository bool // it is in the directory of a repository, whatever that is called
}

// Resolve looks up what a call writes. It looks at the disk.
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

// Check reads a call, resolves and judges it: [List.Read], [Resolve] and [List.Judge]. It looks
// at the disk.
func (l *List) Check(c rules.Call) string {
	w := l.Read(c)
	if w.Why != "" {
		return w.Why
	}
	return l.Judge(w, Resolve(w))
}

// CheckDirectory is [List.Exposed] for a directory as it is spelled and behind symbolic
// links, and tells of listed files that may have another name in it. It looks at the disk.
func (l *List) CheckDirectory(dir string) string {
	if l == nil || dir == "" {
		return ""
	}
	actual := realpath.Resolve(dir).Path
	return cmp.Or(l.Exposed(dir), l.Exposed(actual), l.hardLinked(actual))
}

// Resolve returns the places behind symbolic links. It looks at the disk.
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
