package rules

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"betcode/actors/internal/realpath"
)

// maxDirectories bounds the possible working directories of a shell command, and
// maxUsed the paths that are resolved for it.
const (
	maxDirectories = 8
	maxUsed        = 512
)

// use is a path that a shell command reads or writes, as it is spelled.
type use struct {
	path          string // absolute; ".." is left in it, and it may have holes
	reads, writes bool
	area          bool // includes everything below it
	sure          bool // the program is known to use its arguments as files
}

// uses collects the files that a shell command names. The agent compares its rules about
// files with the commands it knows; here any argument may be a file.
type uses struct {
	place       Place
	directories []string // its possible working directories
	found       []use
}

// The programs that are known to read or write the files in their arguments.
var (
	readsFiles = set("cat", "head", "tail", "less", "more", "most", "bat", "batcat", "sed", "grep", "egrep", "fgrep", "rg", "ag", "ack", "awk", "gawk", "mawk",
		"cut", "sort", "uniq", "wc", "nl", "tac", "rev", "od", "xxd", "hexdump", "hd", "strings", "base64", "base32", "md5sum", "sha1sum", "sha256sum",
		"sha512sum", "cksum", "diff", "cmp", "comm", "join", "paste", "fold", "fmt", "column", "jq", "yq", "cp", "mv", "ln", "rsync", "scp", "tar", "zip", "gzip",
		"gunzip", "zcat", "bzip2", "xz", "zstd", "dd", "find", "fd", "tree", "du", "file", "view", "source", ".", "install", "iconv", "split", "csplit", "expand", "pr",
		"vi", "vim", "nvim", "nano", "ed", "patch", "sponge")
	writesFiles = set("tee", "touch", "rm", "rmdir", "unlink", "shred", "truncate", "mkdir", "chmod", "chown", "chgrp", "cp", "mv", "ln", "install", "dd", "sed",
		"patch", "sponge", "rsync", "scp", "ed", "vi", "vim", "nano", "split", "gzip", "gunzip")
	recursive      = set("rg", "ag", "ack", "find", "fd", "tree", "du", "tar", "zip", "rsync")
	maybeRecursive = set("grep", "egrep", "fgrep", "cp", "ls", "scp", "diff", "rm", "chmod", "chown", "chgrp")
	usesNoFiles    = set("echo", "printf", "true", "false", "test", "[", "cd", "pwd", "export", "sleep", "exit", "which", "type", "command", "kill", "seq")
)

// command collects the files of a simple command.
func (u *uses) command(words []string) {
	for len(words) > 1 && isWrap(base(words[0])) && base(words[0]) != "find" && base(words[0]) != "fd" {
		words = words[1:]
	}
	name := base(words[0])
	switch name {
	case "cd":
		u.enter(words[1:])
		return
	case "pushd", "popd":
		u.directories = append(u.directories, hole)
		return
	}
	if usesNoFiles[name] {
		return
	}
	kind := use{reads: readsFiles[name], writes: writesFiles[name], area: recursive[name]}
	kind.sure = kind.reads || kind.writes
	if !kind.sure {
		kind.reads, kind.writes = true, true
	}
	if maybeRecursive[name] {
		kind.area = anyWord(words[1:], func(w string) bool {
			return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.ContainsAny(w, "rRa") || strings.HasPrefix(w, "--rec") || strings.HasPrefix(w, "--arch")
		})
	}
	if kind.area {
		u.add(".", kind)
	}
	for _, w := range words[1:] {
		u.argument(w, kind)
	}
}

// argument collects the paths that may be in an argument: all of it, the value of an
// option, the file behind an @ or a colon, the file that a script of sed reads, a URL of a file.
func (u *uses) argument(w string, kind use) {
	if !strings.HasPrefix(w, "-") || w == "-" {
		u.add(w, kind)
	}
	if _, value, ok := strings.Cut(w, "="); ok {
		u.add(value, kind)
	}
	if _, value, ok := strings.Cut(w, "@"); ok {
		u.add(value, kind)
	}
	if strings.HasPrefix(w, "-") && len(w) > 2 && w[1] != '-' {
		u.add(w[2:], kind)
	}
	guess := use{reads: true, writes: kind.writes}
	if _, value, ok := strings.Cut(w, ":"); ok { // HEAD:.env of git, host:.env
		u.add(value, guess)
	}
	if kind.reads {
		for _, m := range readBySed.FindAllStringSubmatch(w, -1) {
			u.add(m[1], guess)
		}
	}
	if _, address, ok := strings.Cut(strings.ToLower(w), "file://"); ok {
		address = w[len(w)-len(address):]
		if decoded, err := url.PathUnescape(address); err == nil {
			address = decoded
		}
		if n := strings.IndexByte(address, '/'); n >= 0 {
			u.add(address[n:], guess)
		}
	}
}

// readBySed finds the files behind r and R in a script of sed, and more.
var readBySed = regexp.MustCompile(`(?:^|[^A-Za-z0-9])[rR]\s*([^\s;}]+)`)

// redirect collects the file of a redirection.
func (u *uses) redirect(r *syntax.Redirect) {
	kind := use{sure: true}
	switch r.Op {
	case syntax.RdrIn:
		kind.reads = true
	case syntax.RdrInOut:
		kind.reads, kind.writes = true, true
	case syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	default:
		kind.writes = true
	}
	u.add(loose(r.Word), kind)
}

func (u *uses) add(p string, kind use) {
	if p == "" || p == "/dev/null" || open(p) && !kind.sure {
		return
	}
	if len(p) > realpath.MaxLength {
		p = hole
	}
	for _, dir := range u.directories {
		if len(u.found) >= maxUsed {
			kind.path, kind.reads, kind.writes, kind.sure = hole, true, true, true
			u.found = append(u.found[:maxUsed-1], kind)
			return
		}
		kind.path = rooted(p, Place{Directory: dir, Home: u.place.Home})
		u.found = append(u.found, kind)
		if path.IsAbs(p) || strings.HasPrefix(p, "~") {
			return
		}
	}
}

// enter records a change of the working directory. It may fail, or apply to a
// subshell only, so the former directory stays possible.
func (u *uses) enter(words []string) {
	to := "~"
	for _, w := range words {
		if w == "-" {
			to = hole
		} else if !strings.HasPrefix(w, "-") {
			to = w
		}
	}
	for _, dir := range u.directories[:len(u.directories):len(u.directories)] {
		if len(u.directories) >= maxDirectories {
			to = hole
		}
		next := hole
		if !open(to) {
			next = rooted(to, Place{Directory: dir, Home: u.place.Home})
		}
		u.directories = append(u.directories, next)
		if next == hole {
			return
		}
	}
}

// located turns the files of a command into paths that rules are compared with.
func (u *uses) located(behind Real) (reads, writes []located) {
	for _, f := range u.found {
		l := located{path: path.Clean(f.path), place: u.place, area: f.area, doubtful: !f.sure}
		found, ok := behind.Files[f.path]
		l.area = l.area && !found.Regular()
		all := []located{l}
		if ok && (found.Path != l.path || behind.Place != u.place) {
			l.path, l.place = found.Path, behind.Place
			all = append(all, l)
		}
		if f.reads {
			reads = append(reads, all...)
		}
		if f.writes {
			writes = append(writes, all...)
		}
	}
	return reads, writes
}

// resolveUsed resolves the paths in a shell command.
func resolveUsed(command string, place Place) map[string]realpath.File {
	c := &call{tool: "Bash"}
	u := &uses{place: place, directories: []string{place.Directory}}
	c.parse(command, u)
	files := map[string]realpath.File{}
	for _, f := range u.found {
		if _, done := files[f.path]; !done && !open(f.path) {
			files[f.path] = realpath.Resolve(f.path)
		}
	}
	return files
}
