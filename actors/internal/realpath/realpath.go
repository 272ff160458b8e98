package realpath

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// maxLinks bounds the symbolic links followed for one path; Linux follows 40.
const maxLinks = 64

// MaxLength is the longest path that is followed, in bytes: systems open no longer one.
const MaxLength = 4096

// File is the file that a path names.
type File struct {
	// Path is absolute, clean and free of symbolic links. If the end of the path
	// does not exist, its existing part is resolved and the rest is appended.
	Path string
	// Doubt is the reason why another process may reach another file by the same path, or why
	// the path could not be followed to its end. Empty: it names the file for every process.
	Doubt string
	// Exists reports whether there is a file at Path, and Mode is its mode.
	Exists bool
	Mode   fs.FileMode
}

// Regular reports whether the file exists and is neither a directory nor special.
func (f File) Regular() bool { return f.Exists && f.Mode.IsRegular() }

// Resolve follows an absolute path. ".." is applied after the links before it have
// been followed, as the kernel does. Pass a clean path if the program that uses
// the path cleans it first (Node.js does).
func Resolve(file string) File {
	if len(file) > MaxLength {
		return File{Path: path.Clean(file), Doubt: "it is too long to be followed"}
	}
	if runtime.GOOS == "windows" {
		return resolveWindows(file)
	}
	w := walk{at: "/", mode: fs.ModeDir, left: components(file)}
	for more := true; more && len(w.left) > 0; {
		more = w.step()
	}
	return w.file()
}

// walk is a path that is being followed one component at a time.
type walk struct {
	at    string   // resolved so far
	left  []string // components to go
	links int
	doubt string
	gone  bool // at does not exist
	mode  fs.FileMode
}

// step follows the next component. It returns false if the walk cannot continue.
func (w *walk) step() bool {
	name := w.left[0]
	w.left = w.left[1:]
	if name == ".." {
		w.at, w.gone, w.mode = path.Dir(w.at), false, fs.ModeDir
		return true
	}
	next := path.Join(w.at, name)
	if perProcess(w.at) {
		w.doubt = "it leads through the directory of a process in /proc"
	}
	info, err := os.Lstat(next)
	if err != nil {
		w.at, w.gone = next, true // the rest is appended as it is spelled
		if !os.IsNotExist(err) && w.doubt == "" {
			w.doubt = "a part of it cannot be looked at"
		}
		return true
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		w.at, w.gone, w.mode = next, false, info.Mode()
		return true
	}
	target, err := os.Readlink(next)
	if w.links++; err != nil || w.links > maxLinks {
		w.at, w.doubt = next, "its symbolic links cannot be followed to their end"
		return false
	}
	if path.IsAbs(target) {
		w.at = "/"
	}
	w.mode = fs.ModeDir
	w.left = append(components(target), w.left...)
	return true
}

func (w *walk) file() File {
	return File{
		Path:  path.Join(append([]string{w.at}, w.left...)...),
		Doubt: w.doubt, Exists: !w.gone && w.doubt == "", Mode: w.mode,
	}
}

// perProcess reports whether a directory is one that /proc has for each process:
// the targets of its links depend on the process.
func perProcess(dir string) bool {
	rest, ok := strings.CutPrefix(dir, "/proc/")
	if !ok {
		return false
	}
	name, _, _ := strings.Cut(rest, "/")
	return strings.Trim(name, "0123456789") == ""
}

// PerProcess reports whether a clean absolute path is spelled so that it depends on
// the process that opens it: /proc/self/cwd, /proc/1/root, /dev/fd/3, /dev/stdin.
func PerProcess(file string) bool {
	for _, dir := range []string{"/proc/self", "/proc/thread-self", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		if rest, ok := strings.CutPrefix(file, dir); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return perProcess(file)
}

func components(file string) []string {
	return strings.FieldsFunc(file, func(r rune) bool { return r == '/' })
}

// resolveWindows resolves links with the library, which knows volumes and shares.
func resolveWindows(file string) File {
	missing := ""
	for up := file; ; {
		if found, err := filepath.EvalSymlinks(up); err == nil {
			f := File{Path: filepath.ToSlash(filepath.Join(found, missing))}
			if info, err := os.Stat(found); err == nil && missing == "" {
				f.Exists, f.Mode = true, info.Mode()
			}
			return f
		}
		parent := filepath.Dir(up)
		if parent == up {
			return File{Path: filepath.ToSlash(file), Doubt: "a part of it cannot be looked at"}
		}
		missing, up = filepath.Join(filepath.Base(up), missing), parent
	}
}
