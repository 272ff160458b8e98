package git

import (
	"errors"
	"fmt"
	"strings"
)

// maxName bounds the name of a branch, in bytes: below what a file name may have.
const maxName = 200

// CheckBranchName says why git would refuse a name for a branch; nil if it would not.
func CheckBranchName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d bytes", maxName)
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
