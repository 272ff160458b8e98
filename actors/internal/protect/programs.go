package protect

import (
	"path"
	"slices"
	"strings"
)

// kind is the kind of a program.
type kind uint8

const (
	other      kind = iota // may write files that its arguments name
	reads                  // only reads
	writes                 // writes its arguments
	wraps                  // runs the command among its arguments
	interprets             // runs the text among its arguments or in its input
	moves                  // changes the working directory
	git
)

var kinds = func() map[string]kind {
	all := map[string]kind{"git": git}
	for k, list := range map[kind]string{
		reads: "[ : basename cat cksum cmp column comm cut date df diff dirname du echo egrep exit expr false fgrep file find fold " +
			"grep head hexdump id jq join ls lsof md5sum nl od paste printenv printf ps pwd readlink realpath rg seq sed sha1sum sha256sum sha512sum " +
			"sleep sort stat strings sum tac tail test tr tree true type uname uniq wc which whoami xxd yes zcat",
		writes: "cp mv ln tee rm rmdir unlink mkdir install dd touch truncate chmod chown chgrp sponge rsync patch shred split csplit mkfifo mknod scp setfacl",
		wraps:  "sudo doas env command builtin exec nohup nice ionice timeout time stdbuf setsid xargs chroot unshare flock strace taskset busybox then do else",
		interprets: "eval bash sh zsh dash ksh ash fish source . trap su script python python2 python3 node deno bun perl ruby php lua awk gawk mawk " +
			"osascript pwsh powershell tclsh ed ex vi vim nvim emacs sqlite3 parallel watch ssh",
		moves: "cd pushd popd",
	} {
		for name := range strings.FieldsSeq(list) {
			all[name] = k
		}
	}
	return all
}()

// shells are the interpreters whose text is shell text.
var shells = map[string]bool{
	"eval": true, "bash": true, "sh": true, "zsh": true, "dash": true, "ksh": true, "ash": true, "su": true, "trap": true,
	"script": true, "parallel": true, "watch": true, "fish": true,
}

func kindOf(name string) kind {
	if k, ok := kinds[name]; ok {
		return k
	}
	for _, prefix := range []string{"python", "perl", "ruby", "lua", "node"} {
		if strings.HasPrefix(name, prefix) && strings.Trim(name[len(prefix):], "0123456789.") == "" {
			return interprets
		}
	}
	return other
}

// program returns the name of a program without its path.
func program(word string) string { return path.Base(word) }

// writesAnyway reports whether the arguments of a reading program make it write.
func writesAnyway(name string, words []string) bool {
	some := func(is func(string) bool) bool { return slices.ContainsFunc(words[1:], is) }
	switch name {
	case "find":
		return some(func(w string) bool {
			return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") || w == "-delete" || strings.HasPrefix(w, "-f") && w != "-follow" && w != "-fstype" && w != "-false"
		})
	case "sed":
		return some(func(w string) bool {
			return strings.HasPrefix(w, "-") && strings.ContainsAny(w, "iI") || w == "--in-place" || strings.ContainsAny(w, "wWe")
		})
	case "sort", "tree":
		return some(func(w string) bool { return strings.HasPrefix(w, "-") && strings.Contains(w, "o") })
	case "uniq", "xxd":
		return true
	case "jq", "rg", "date", "file", "diff":
		return some(func(w string) bool {
			return strings.HasPrefix(w, "--pre") || strings.HasPrefix(w, "--output") || w == "-C"
		})
	}
	return false
}
