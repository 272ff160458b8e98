package gitname

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of names, in bytes.
const (
	MaxBranch   = 200 // below the limit of file names
	MaxWorktree = 100
)

// CheckBranch returns why git would refuse a branch name, or nil. It also refuses HEAD and @.
func CheckBranch(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > MaxBranch:
		return fmt.Errorf("the name is longer than %d bytes", MaxBranch)
	case name == "HEAD" || name == "@":
		return fmt.Errorf("%q is a name of git's own", name)
	case strings.HasPrefix(name, "-"):
		return errors.New("the name begins with a dash")
	case strings.HasSuffix(name, "."):
		return errors.New("the name ends with a dot")
	}
	for n := range len(name) {
		if c := name[n]; c <= ' ' || c == 0x7f || strings.IndexByte("~^:?*[\\", c) >= 0 {
			return fmt.Errorf("the name has the character %q", c)
		}
	}
	for _, bad := range []string{"..", "@{"} {
		if strings.Contains(name, bad) {
			return fmt.Errorf("the name has %q in it", bad)
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return errors.New("the name has an empty part between slashes")
		case strings.HasPrefix(part, "."):
			return errors.New("a part of the name begins with a dot")
		case strings.HasSuffix(part, ".lock"):
			return errors.New("a part of the name ends with .lock")
		}
	}
	return nil
}

// CheckWorktree returns why a name is invalid for a worktree, or nil. The name is also the last element of its path.
func CheckWorktree(name string) error {
	switch {
	case name == "":
		return errors.New("it is empty")
	case len(name) > MaxWorktree:
		return fmt.Errorf("it is longer than %d bytes", MaxWorktree)
	case strings.ContainsAny(name, `/\`):
		return errors.New("it has a path separator")
	case name[0] == '.':
		return errors.New("it begins with a dot")
	case name[0] == '-':
		return errors.New("it begins with a dash")
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }):
		return errors.New("it has a control character")
	}
	return nil
}
