package trust

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Change is a difference between what was trusted and what is there now.
type Change struct {
	Mark byte // '+' added, '-' removed, '~' content changed without a change in findings
	Finding
}

// Verdict is the result of comparing a report with a ledger.
type Verdict struct {
	Trusted bool
	Known   bool     // the directory was trusted before, with other content
	Changes []Change // since then; empty unless Known and not Trusted
}

// Judge compares a report with what was trusted. A directory is trusted if each file
// has the content that was accepted for it, for the directory itself, for one above
// it, or for another working tree of the same repository, and none of those files is
// missing. An empty report is trusted: there is nothing to obey.
func (l Ledger) Judge(r Report) Verdict {
	if r.Empty() && !l.covers(r) {
		return Verdict{Trusted: true}
	}
	accepted := map[string]Accepted{}
	var missing []string
	known := l.legacy(r.Directory)
	for _, record := range slices.Backward(l.Records) { // in reverse order a directory precedes those above it
		files, applies := record.seenFrom(r)
		if !applies {
			continue
		}
		known = true
		for path, a := range files {
			if _, nearer := accepted[path]; !nearer || a.Hash == r.Files[path] {
				accepted[path] = a
			}
			if _, there := r.Files[path]; !there && !record.skippable(path, r) {
				missing = append(missing, path)
			}
		}
	}
	v := Verdict{Known: known, Trusted: len(r.Problems) == 0}
	slices.Sort(missing)
	for _, path := range slices.Compact(missing) {
		v.Changes = append(v.Changes, difference(path, accepted[path].Findings, nil)...)
	}
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		if a, ok := accepted[path]; !ok || a.Hash != r.Files[path] {
			v.Changes = append(v.Changes, difference(path, a.Findings, r.of(path))...)
		}
	}
	v.Trusted = v.Trusted && len(v.Changes) == 0
	if !v.Known || v.Trusted {
		v.Changes = nil
	}
	return v
}

// skippable reports whether a file that a record accepts may be absent from a report: skills
// below the directory are reported only after a search.
func (rec Record) skippable(path string, r Report) bool {
	directory := rec.Directory
	if !within(r.Directory, directory) { // the record is of another working tree
		inner, _ := filepath.Rel(rec.Worktree, rec.Directory)
		directory = filepath.Join(r.Worktree, inner)
	}
	_, nested := below(path, directory)
	return nested
}

// covers reports whether a record covers the directory of a report.
func (l Ledger) covers(r Report) bool {
	return slices.ContainsFunc(l.Records, func(record Record) bool {
		files, applies := record.seenFrom(r)
		return applies && len(files) > 0
	})
}

func (l Ledger) legacy(directory string) bool {
	return slices.ContainsFunc(l.Directories, func(d string) bool { return within(directory, d) })
}

// seenFrom returns the files that a record accepts, by their paths in a report, and whether the
// record covers that directory.
func (rec Record) seenFrom(r Report) (map[string]Accepted, bool) {
	if within(r.Directory, rec.Directory) {
		return rec.Files, true
	}
	if rec.Repository == "" || rec.Repository != r.Repository || rec.Worktree == r.Worktree || !within(rec.Directory, rec.Worktree) {
		return nil, false
	}
	inner, _ := filepath.Rel(rec.Worktree, rec.Directory)
	if !within(r.Directory, filepath.Join(r.Worktree, inner)) {
		return nil, false
	}
	files := map[string]Accepted{}
	for path, a := range rec.Files {
		moved := path
		if within(path, rec.Worktree) {
			rel, _ := filepath.Rel(rec.Worktree, path)
			moved = filepath.Join(r.Worktree, rel)
		}
		if _, there := r.Files[path]; there {
			files[path] = a
		}
		if _, there := r.Files[moved]; there || filepath.Base(path) != localFile && moved != path && !within(path, rec.Repository) {
			files[moved] = a // local settings and git's settings are not under version control, so no worktree has them
		}
	}
	return files, true
}

// difference returns the changes in one file.
func difference(path string, before, after []Finding) []Change {
	var changes []Change
	add := func(mark byte, these, others []Finding) {
		for _, f := range these {
			if !slices.ContainsFunc(others, func(o Finding) bool { return o.Kind == f.Kind && o.Text == f.Text }) {
				f.Path = path
				changes = append(changes, Change{mark, f})
			}
		}
	}
	add('-', before, after)
	add('+', after, before)
	if len(changes) == 0 {
		changes = append(changes, Change{'~', Finding{File, path, "content changed"}})
	}
	return changes
}

// within reports whether a path is a directory or below it.
func within(path, directory string) bool {
	return path == directory || strings.HasPrefix(path, strings.TrimSuffix(directory, string(filepath.Separator))+string(filepath.Separator))
}
