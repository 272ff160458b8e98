package paths

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"betcode/messages"
)

const op = "complete path"

// maxRead is how many entries of a directory are read, a batch at a time.
const (
	maxRead   = 20_000
	readBatch = 1000
)

// Complete lists the paths below dir that begin with query: directories first, each
// sorted by name, at most so many. A name that begins with a dot is found by a query
// with the dot. A missing directory has no completions; a query that leaves dir is
// refused with [messages.Invalid] or [messages.Denied].
func Complete(dir, query string, most int) (messages.PathList, error) {
	parent, prefix, err := split(dir, query)
	if err != nil {
		return messages.PathList{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return messages.PathList{}, messages.Errorf(op, messages.NotFound, "the working directory cannot be read: %w", err)
	}
	defer root.Close()
	below, err := enter(root, parent)
	if err != nil || below == nil {
		return messages.PathList{}, err
	}
	defer below.Close()
	names, more, err := read(below, prefix)
	if err != nil {
		return messages.PathList{}, messages.Errorf(op, messages.Denied, "%s cannot be read: %w", parent, err)
	}
	names = slices.DeleteFunc(names, func(e fs.DirEntry) bool { return !stays(root, parent, e) })
	slices.SortFunc(names, byKind)
	if len(names) > most {
		names, more = names[:most], true
	}
	list := messages.PathList{Truncated: more}
	for _, e := range names {
		list.Entries = append(list.Entries, entry(parent, e))
	}
	return list, nil
}

// enter opens a directory, and returns nil if there is none. It checks the type first, because opening a
// pipe waits for its writer.
func enter(root *os.Root, name string) (*os.Root, error) {
	info, err := root.Stat(name)
	if err == nil {
		if !info.IsDir() {
			return nil, nil
		}
		var below *os.Root
		if below, err = root.OpenRoot(name); err == nil {
			return below, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var where *fs.PathError // it contains more than the caller may know
	if errors.As(err, &where) {
		err = where.Err
	}
	return nil, messages.Errorf(op, messages.Denied, "%s cannot be read: %w", name, err).
		WithHint("only what lies below the session's working directory can be completed")
}

// split splits a query into the directory to read, relative, and the prefix of the wanted
// names.
func split(dir, query string) (parent, prefix string, err error) {
	if filepath.IsAbs(query) {
		rest, ok := strings.CutPrefix(query, strings.TrimSuffix(dir, "/")+"/")
		if !ok {
			return "", "", outside(query)
		}
		query = rest
	}
	if strings.ContainsRune(query, 0) || slices.Contains(strings.Split(query, "/"), "..") {
		return "", "", outside(query)
	}
	parent, prefix = path.Split(query)
	return path.Clean("./" + parent), prefix, nil
}

func outside(query string) error {
	return messages.Errorf(op, messages.Invalid, "%q is not below the session's working directory", query)
}

// read returns the entries of a directory that begin with prefix, and whether there
// may be more.
func read(dir *os.Root, prefix string) (found []fs.DirEntry, more bool, err error) {
	file, err := dir.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	for seen := 0; seen < maxRead; {
		batch, err := file.ReadDir(readBatch)
		for _, e := range batch {
			if hidden := strings.HasPrefix(e.Name(), "."); strings.HasPrefix(e.Name(), prefix) && (!hidden || prefix != "") {
				found = append(found, e)
			}
		}
		seen += len(batch)
		if errors.Is(err, io.EOF) || len(batch) == 0 {
			return found, false, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return found, true, nil
}

// stays reports whether an entry does not lead out of the root.
func stays(root *os.Root, parent string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return true
	}
	_, err := root.Stat(path.Join(parent, e.Name()))
	return err == nil
}

func byKind(a, b fs.DirEntry) int {
	if a.IsDir() != b.IsDir() {
		if a.IsDir() {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Name(), b.Name())
}

func entry(parent string, e fs.DirEntry) messages.PathEntry {
	out := messages.PathEntry{Path: path.Join(parent, e.Name())}
	switch mode := e.Type(); {
	case mode.IsDir():
		out.Kind = messages.PathDirectory
	case mode.IsRegular():
		out.Kind = messages.PathFile
	case mode&fs.ModeSymlink != 0:
		out.Kind = messages.PathSymlink
	}
	if info, err := e.Info(); err == nil { // otherwise it was just removed
		out.Modified = info.ModTime()
		if out.Kind == messages.PathFile {
			out.Size = info.Size()
		}
	}
	return out
}
