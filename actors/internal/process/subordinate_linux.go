package process

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// subordinateFile lists the ids that a user may map into user namespaces (subuid(5)).
const subordinateFile = "/etc/subuid"

// mine reports whether a process with that id is this user's: under the same id, or one of
// the subordinate range, as in a container without privileges. An error means that the
// answer is unknown: the id is not mapped in this user namespace.
func (t processTable) mine(uid int) (bool, error) {
	own := os.Geteuid()
	if uid == own {
		return true, nil
	}
	if raw, err := os.ReadFile(filepath.Join(string(t), "sys/kernel/overflowuid")); err == nil && strings.TrimSpace(string(raw)) == strconv.Itoa(uid) {
		return false, errors.New("the owner of the caller's socket is not to be seen")
	}
	name := ""
	if u, err := user.LookupId(strconv.Itoa(own)); err == nil {
		name = u.Username
	}
	return subordinate(subordinateFile, own, name, uid)
}

// subordinate reports whether an id is in a range that the file gives to a user, by number
// or by name. A missing file gives none. A line of the user that cannot be parsed is an
// error, since it may be the one that applies.
func subordinate(path string, own int, name string, uid int) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		fields := strings.Split(line, ":")
		if line == "" || fields[0] != strconv.Itoa(own) && (name == "" || fields[0] != name) {
			continue
		}
		if len(fields) != 3 {
			return false, fmt.Errorf("%s is not understood: %q", path, line)
		}
		first, errFirst := strconv.ParseUint(fields[1], 10, 32)
		count, errCount := strconv.ParseUint(fields[2], 10, 33)
		if err := errors.Join(errFirst, errCount); err != nil {
			return false, fmt.Errorf("%s is not understood: %q: %w", path, line, err)
		}
		if id := uint64(uid); uid >= 0 && id >= first && id-first < count {
			return true, nil
		}
	}
	return false, lines.Err()
}
