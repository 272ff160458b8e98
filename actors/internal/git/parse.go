package git

import (
	"fmt"
	"strconv"
	"strings"
)

// Tree is one working tree of a repository, as git lists it.
type Tree struct {
	Path     string // absolute
	Commit   string // empty in a bare repository
	Branch   string // without refs/heads/; empty if none is checked out
	Bare     bool   // it is the repository itself
	Locked   bool   // a person, or a git that was killed, has locked it
	Reason   string // of the lock
	Prunable bool   // its directory does not exist
}

// parseTrees parses the output of "worktree list --porcelain -z". The first is the main working tree.
func parseTrees(text string) ([]Tree, error) {
	var trees []Tree
	for record := range strings.SplitSeq(text, "\x00\x00") {
		record = strings.TrimSuffix(record, "\x00")
		if record == "" {
			continue
		}
		var t Tree
		for line := range strings.SplitSeq(record, "\x00") {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				t.Path = value
			case "HEAD":
				t.Commit = value
			case "branch":
				t.Branch = strings.TrimPrefix(value, "refs/heads/")
			case "bare":
				t.Bare = true
			case "locked":
				t.Locked, t.Reason = true, value
			case "prunable":
				t.Prunable = true
			}
		}
		if t.Path == "" {
			return nil, fmt.Errorf("git worktree list: a record has no path: %.100q", record)
		}
		trees = append(trees, t)
	}
	return trees, nil
}

// Status is the difference between a working tree and what is committed and pushed.
type Status struct {
	Commit   string
	Branch   string // empty if none is checked out
	Upstream string // empty if the branch follows none
	Ahead    uint32 // commits that the upstream does not have
	Behind   uint32 // commits that only the upstream has
	Changed  int    // files that differ from the commit
	Deleted  int    // part of Changed: files that are missing from the directory
	Foreign  int    // files and directories that git does not track
	Unpushed uint32 // commits that neither a remote nor another branch has
}

// Dirty reports whether files are changed or not tracked.
func (s Status) Dirty() bool { return s.Changed+s.Foreign > 0 }

// parseStatus parses the output of "status --porcelain=v2 -z".
func parseStatus(text string) (Status, error) {
	var s Status
	lines := strings.Split(text, "\x00")
	for n := 0; n < len(lines); n++ {
		line := lines[n]
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "":
		case "1", "u":
			s.Changed++
			if strings.HasPrefix(rest, ".D ") {
				s.Deleted++
			}
		case "2":
			s.Changed++
			n++ // the former name is a line of its own
		case "?":
			s.Foreign++
		case "!":
		default:
			return s, fmt.Errorf("git status: unknown line %.100q", line)
		}
	}
	return s, nil
}

// distance parses the output of "rev-list --left-right --count".
func (s *Status) distance(text string) error {
	ahead, behind, _ := strings.Cut(strings.TrimSpace(text), "\t")
	a, err := strconv.ParseUint(ahead, 10, 32)
	if err != nil {
		return fmt.Errorf("git rev-list: %w", err)
	}
	b, err := strconv.ParseUint(behind, 10, 32)
	if err != nil {
		return fmt.Errorf("git rev-list: %w", err)
	}
	s.Ahead, s.Behind = uint32(a), uint32(b)
	return nil
}

// file is an entry of a commit.
type file struct {
	path string // with slashes, relative to the root
	size int64  // 0 for a submodule
}

// parseFile parses one record of "ls-tree -r -l -z".
func parseFile(record string) (file, error) {
	head, path, ok := strings.Cut(record, "\t")
	words := strings.Fields(head)
	if !ok || len(words) != 4 || path == "" {
		return file{}, fmt.Errorf("git ls-tree: unknown line %.100q", record)
	}
	f := file{path: path}
	if words[3] != "-" {
		size, err := strconv.ParseInt(words[3], 10, 64)
		if err != nil {
			return file{}, fmt.Errorf("git ls-tree: %w", err)
		}
		f.size = size
	}
	return f, nil
}
