package rules

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// interprets are the commands that run the text in their arguments.
var interprets = set("eval", "bash", "sh", "zsh", "dash", "ksh", "mksh", "yash", "fish", "ash", "csh", "tcsh", "rbash", "busybox", "toybox", "source", ".",
	"trap", "su", "script", "ssh", "parallel", "watch", "at", "batch", "expect", "entr", "tmux", "screen", "osascript", "pwsh", "nu")

// wraps are the commands that run another one, which is among their arguments.
var wraps = set("sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice", "ionice", "timeout", "time", "stdbuf", "setsid",
	"xargs", "find", "fd", "fdfind", "chroot", "unshare", "nsenter", "flock", "strace", "ltrace", "taskset", "chrt", "runuser", "systemd-run", "setpriv", "pkexec",
	"unbuffer", "faketime", "proot", "fakeroot", "catchsegv", "parallel", "watch", "busybox", "toybox", "noglob", "nocorrect", "repeat", "-", "coproc",
	"caffeinate", "arch", "prlimit", "setarch", "linux32", "linux64", "i386", "x86_64", "firejail", "bwrap", "gdb", "valgrind", "perf", "rlwrap", "run-parts",
	"start-stop-daemon", "capsh", "sg", "newgrp", "ssh-agent", "dbus-run-session", "xvfb-run", "npx", "zargs", "then", "do", "else", "ld.so", "tsp", "cpulimit",
	"numactl", "eatmydata", "proxychains", "proxychains3", "proxychains4", "torsocks", "torify", "chronic", "ifne", "dumb-init", "tini", "catatonit", "gosu", "su-exec",
	"choom", "uclampset", "systemd-inhibit", "systemd-cat", "runcon", "chpst", "setlock", "softlimit", "envdir", "envuidgid", "setuidgid", "s6-setuidgid", "logsave",
	"cgexec", "trickle", "dotenv", "cross-env", "env-cmd", "schedtool", "coreutils", "heaptrack", "rr", "box64", "wine", "hyperfine", "watchexec", "bunx", "uvx", "pipx")

// isWrap reports whether a program is one of wraps, the dynamic linker, or an emulator.
func isWrap(name string) bool {
	return wraps[name] || strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || strings.HasPrefix(name, "qemu-")
}

// builtinWraps run builtins too.
var builtinWraps = set("command", "builtin", "noglob", "nocorrect", "-", "repeat", "time")

// scripting are languages whose programs can run commands, with the options that
// contain a program.
var scripting = map[string]string{
	"python": "c", "perl": "eE", "ruby": "e", "node": "ep", "nodejs": "ep", "deno": "", "bun": "ep", "php": "rBE", "lua": "e", "tclsh": "", "wish": "",
	"Rscript": "e", "R": "e", "julia": "eE", "elixir": "e", "erl": "", "guile": "c", "scheme": "", "racket": "e", "ghc": "e", "groovy": "e", "jshell": "",
	"pypy": "c", "ipython": "c", "gawk": "", "sqlite3": "", "psql": "c", "mysql": "e", "ed": "", "ex": "c", "vi": "c", "vim": "c", "nvim": "c", "emacs": "", "gdb": "",
	"dc": "", "bc": "", "m4": "", "make": "", "gmake": "",
}

// runsOther returns why a simple command may run commands that are not written in it,
// as far as that is known of the program. Words may have holes.
func runsOther(words []string) string {
	name := base(words[0])
	rest := words[1:]
	switch {
	case interprets[name], redefines[name] && name != "export", name == "hash" && len(rest) > 0:
		return "`" + name + "` runs text or changes what commands mean"
	case name == "set" && anyWord(rest, func(w string) bool { return strings.ContainsAny(w, "k"+holes) && strings.HasPrefix(w, "-") }):
		return "`set` changes what commands mean"
	case (setters[name] || assigns(words) || name == "export") && anyWord(rest, steersText):
		return "it sets variables that decide which programs run"
	case (setters[name] || evaluates[name]) && anyWord(rest, func(w string) bool { return subscript(w) || setters[name] && strings.Contains(w, "[") }):
		return "`" + name + "` may evaluate a subscript among its arguments"
	case name == "xargs", name == "parallel":
		return "`" + name + "` reads commands or arguments from its input"
	case name == "env" && anyWord(rest, isEnvText):
		return "`env` splits a text into a command or sets variables that decide which programs run"
	case (name == "find" || name == "sed" || name == "gsed" || fds[name]) && anyWord(rest, open):
		return "an argument of `" + name + "` that is known only when it runs may name a command"
	case name != "git" && anyWord(rest, isCommandOption):
		return "an option of `" + name + "` may name a command"
	}
	if why := namesProgram(words); why != "" {
		return why
	}
	return scripted(name, rest)
}

var awks = set("awk", "gawk", "mawk", "nawk", "original-awk", "goawk")

// isAwkProgram recognises programs of awk that run commands, programs in files, and options that
// are not known to be harmless.
func isAwkProgram(w string) bool {
	if strings.ContainsAny(w, "|"+holes) || strings.Contains(w, "system") || strings.Contains(w, "getline") || strings.HasPrefix(w, "--") && w != "--" {
		return true
	}
	if len(w) > 1 && w[0] == '-' && w != "--" {
		return strings.IndexByte("Fve", w[1]) < 0 && strings.Trim(w[1:], "bcnrtSMNPOs") != ""
	}
	return strings.HasPrefix(w, "@") || awkIndirect.MatchString(w)
}

// awkIndirect finds directives of gawk and calls of a function whose name is computed.
var awkIndirect = regexp.MustCompile(`@\s*[A-Za-z_]`)

// isCommandOption recognises options that pass a command to well-known programs.
func isCommandOption(w string) bool {
	for _, p := range []string{
		"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh", "--rsync-path", "--filter=", "--compress-program",
		"--pre=", "--preview", "--exec", "--unzip-command", "--pager=", "ProxyCommand", "-oProxyCommand", "--info-script", "--rmt-command", "--upload-pack",
		"--receive-pack", "--coreutils-prog", "--extcmd", "--open-files-in-pager", "--command=", "--eval", "--execute",
	} {
		if strings.HasPrefix(w, p) {
			return true
		}
	}
	return false
}

func steersText(w string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(w, "-v"), "=")
	return steers(name) || open(name)
}

func isEnvText(w string) bool {
	name, _, assigned := strings.Cut(w, "=")
	return strings.HasPrefix(w, "-S") || strings.HasPrefix(w, "--split") || strings.HasPrefix(w, "-") && strings.Contains(w, "S") && !strings.HasPrefix(w, "--") ||
		assigned && (steers(name) || open(name))
}

// scripted returns why the program of a scripting language cannot be read: it is an
// argument, or comes from the standard input.
func scripted(name string, rest []string) string {
	const why = "` runs a program that is not a file"
	plain := strings.TrimRight(name, "0123456789.")
	switch {
	case obeyInput[name] && !harmlessStart(rest), editors[name] && anyWord(rest, isEditorCommand), (plain == "python" || plain == "pypy") && runsModule(rest),
		name == "emacs" && anyWord(rest, func(w string) bool { return strings.HasPrefix(w, "-") && w != "-nw" && w != "-Q" && w != "-q" }),
		(name == "make" || name == "gmake") && anyWord(rest, isMakeText):
		return "`" + name + why
	}
	options, known := scripting[plain]
	if !known {
		options, known = scripting[name]
	}
	if !known || strings.HasPrefix(name, "make") || name == "gmake" {
		return ""
	}
	file, value := false, false
	for _, w := range rest {
		was := value
		value = !was && takesValue(plain, w)
		switch {
		case was: // the value of the option before it
		case w == "-" || strings.HasPrefix(w, "--eval") || strings.HasPrefix(w, "--print") || strings.HasPrefix(w, "--exec") || strings.HasPrefix(w, "--run"):
			return "`" + name + why
		case strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.ContainsAny(w, options+holes):
			return "`" + name + why
		case !strings.HasPrefix(w, "-"):
			file = true
		}
		if file {
			break
		}
	}
	if !file && !harmlessStart(rest) {
		return "`" + name + why
	}
	return ""
}

// harmlessStart reports whether options alone start no program from the input.
func harmlessStart(options []string) bool {
	if len(options) == 0 {
		return false
	}
	switch options[0] {
	case "--version", "-version", "-v", "-V", "--help", "-help", "-m":
		return true
	}
	return false
}

// fed records a statement that runs its input, which comes from a here-document or a pipe.
// Shells are recorded anyway.
func (s *shellOf) fed(stmt *syntax.Stmt) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	for _, r := range stmt.Redirs {
		if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc || r.Op == syntax.RdrIn {
			for _, w := range call.Args {
				name := base(loose(w))
				if _, ok := scripting[strings.TrimRight(name, "0123456789.")]; ok || interprets[name] || open(name) {
					s.runs = first(s.runs, "`"+strings.NewReplacer(hole, "…", names, "…").Replace(name)+"` may run what it reads")
				}
			}
		}
	}
}
