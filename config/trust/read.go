package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of an inspection. A directory beyond them is not trusted.
const (
	maxFiles    = 10_000   // files and directories together
	maxBytes    = 64 << 20 // of all files together
	maxFile     = 16 << 20 // of one file
	maxDepth    = 16       // of directories below commands, skills, …
	maxPointer  = 4 << 10  // of a git file
	maxFindings = 2_000
	maxText     = 500 // bytes of a finding
)

// present reports whether a path exists. A path that cannot be examined is a problem, unless the
// directory above is closed to this user, and so to the agent.
func (in *inspector) present(path string) bool {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return true
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || notDirectory(err):
		return false
	}
	in.problem(path, "cannot be examined: "+plain(err))
	return false
}

// read adds a file to the report and returns its content. ok is false if the file does not exist or cannot be trusted.
func (in *inspector) read(path string) (content []byte, ok bool) {
	if !in.present(path) || !in.room(path) {
		return nil, false
	}
	if _, known := in.report.Files[path]; known {
		return nil, false
	}
	if foreign(path) {
		in.problem(path, "belongs to another user")
		return nil, false
	}
	content, reason := readBounded(path, min(maxFile, maxBytes-in.bytes))
	if reason != "" {
		in.problem(path, reason)
		return nil, false
	}
	in.bytes += int64(len(content))
	sum := sha256.Sum256(content)
	in.report.Files[path] = hex.EncodeToString(sum[:])
	return content, true
}

// room counts one more file or directory, and reports whether that is within limits.
func (in *inspector) room(path string) bool {
	if in.count++; in.count <= maxFiles {
		return true
	}
	if !in.full {
		in.full = true
		in.problem(path, fmt.Sprintf("there are more than %d files", maxFiles))
	}
	return false
}

// tree reports all files below a directory. It follows symbolic links like the agent.
func (in *inspector) tree(path, kind string, depth int) {
	if in.full || !in.present(path) {
		return
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // a dangling link
	case err != nil:
		in.problem(path, "cannot be examined: "+plain(err))
		return
	case !info.IsDir():
		if content, ok := in.read(path); ok {
			in.find(fileFindings(path, kind, content)...)
		}
		return
	case depth > maxDepth:
		in.problem(path, fmt.Sprintf("is more than %d directories deep", maxDepth))
		return
	case foreign(path):
		in.problem(path, "belongs to another user")
		return
	}
	names, err := list(path)
	if err != nil {
		in.problem(path, "cannot be listed: "+plain(err))
		return
	}
	for _, name := range names {
		if !in.room(path) {
			return
		}
		in.tree(filepath.Join(path, name), kind, depth+1)
	}
}

// list returns the names in a directory, sorted, up to the limit of an inspection.
func list(path string) ([]string, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxFiles + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

func (in *inspector) problem(path, reason string) {
	p := Problem{path, reason}
	if !slices.Contains(in.report.Problems, p) && len(in.report.Problems) < 100 {
		in.report.Problems = append(in.report.Problems, p)
	}
}

func (in *inspector) find(all ...Finding) {
	for _, f := range all {
		if len(in.report.Findings) >= maxFindings {
			in.problem(f.Path, fmt.Sprintf("there are more than %d things to show", maxFindings))
			return
		}
		f.Text = oneLine(f.Text)
		in.report.Findings = append(in.report.Findings, f)
	}
}

// readBounded reads a regular file of at most limit bytes. Otherwise reason is why not. It never
// waits for the other end of a pipe.
func readBounded(path string, limit int64) (content []byte, reason string) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "cannot be read: " + plain(err)
	}
	if !info.Mode().IsRegular() {
		return nil, "is not a regular file"
	}
	file, err := openNonblocking(path)
	if err != nil {
		return nil, "cannot be read: " + plain(err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, "is not a regular file"
	}
	content, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, "cannot be read: " + plain(err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Sprintf("is larger than %d bytes", limit)
	}
	return content, ""
}

// foreign reports whether a file, a symbolic link to it, or the directory that the
// link leads to belongs to neither this user nor root.
func foreign(path string) bool {
	link, err := os.Lstat(path)
	if err != nil || owned(link) != nil {
		return err == nil
	}
	if link.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	target, err := os.Stat(path)
	return err == nil && owned(target) != nil
}

// plain returns the text of an error without the path, which is shown beside it.
func plain(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}
