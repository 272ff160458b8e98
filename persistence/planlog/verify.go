package planlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"betcode/messages"
)

// Survey checks all journals of a directory. A directory that does not exist has none.
func Survey(ctx context.Context, directory string) ([]Checked, error) {
	marks, err := Mark(directory)
	if err != nil {
		return nil, err
	}
	var all []Checked
	for _, f := range marks.files {
		c, err := Check(ctx, filepath.Join(directory, f.Name), f.Bytes)
		switch {
		case errors.Is(err, os.ErrNotExist): // removed meanwhile
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			c.Damage = err
			all = append(all, c)
		default:
			all = append(all, c)
		}
	}
	return all, nil
}

// Verify reads all journals of a directory while they are used, and reports counts and damage. In a copy it also finds
// missing files.
func Verify(ctx context.Context, directory string) (messages.JournalFile, []messages.JournalProblem, error) {
	read := messages.JournalFile{Name: DirectoryName}
	all, err := Survey(ctx, directory)
	if err != nil {
		return read, nil, err
	}
	var problems []messages.JournalProblem
	for _, c := range all {
		read.Keys, read.Events, read.Bytes = read.Keys+1, read.Events+int64(c.Head), read.Bytes+c.Sound //nolint:gosec // at most the lines of a file
		if c.Damage != nil {
			problems = append(problems, messages.JournalProblem{File: c.Name(), Err: c.Damage})
		}
	}
	read.Complete = true
	return read, append(problems, compare(directory, all)...), nil
}

// compare finds missing or cut files of a copy.
func compare(directory string, all []Checked) (problems []messages.JournalProblem) {
	report := func(name string, err error) {
		problems = append(problems, messages.JournalProblem{File: filepath.Join(DirectoryName, name), Err: err})
	}
	l, is, err := listed(directory)
	if err != nil {
		report(listName, err)
		return problems
	}
	if !is {
		return nil
	}
	for _, f := range l.Files {
		at := slices.IndexFunc(all, func(c Checked) bool { return c.File == f.Name })
		switch {
		case at < 0:
			report(f.Name, errors.New("the file is missing"))
		case all[at].Damage == nil && all[at].Sound != f.Bytes:
			report(f.Name, fmt.Errorf("it has %d bytes of %d", all[at].Sound, f.Bytes))
		}
	}
	return problems
}
