package rules

import (
	"slices"
	"strings"
)

// runners are programs with many commands, some of which run another program, or a text, among their arguments:
// docker exec, uv run, npm exec. The words behind their own command may be a command, so rules that forbid ask about it.
var runners = set("docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "incus", "vagrant", "npm", "pnpm", "yarn", "bun", "deno", "uv", "poetry", "pipenv", "pdm", "hatch",
	"rye", "tox", "nox", "bundle", "direnv", "mise", "rtx", "asdf", "nix", "nix-shell", "guix", "conda", "mamba", "micromamba", "pixi", "op", "aws-vault", "sops", "doppler",
	"infisical", "chamber", "nodemon", "concurrently", "cargo", "rustup", "pyenv", "rbenv", "nodenv", "devbox", "devenv", "apptainer", "singularity", "flatpak", "toolbox",
	"distrobox", "ip", "socat", "nc", "ncat", "netcat", "lldb", "xterm", "kitty", "foot", "alacritty", "wezterm", "gnome-terminal", "konsole", "zellij", "ansible", "pdsh", "clush",
	"mosh", "launchctl", "machinectl", "apt", "apt-get", "sqlite3", "psql", "mysql", "mariadb", "ftp", "lftp", "split", "make", "gmake", "just")

// mayRun returns the parts of a runner's arguments that may be a command: the words behind its own command, and each text
// in an argument of several words.
func (s *shellOf) mayRun(words []string) []string {
	if !runners[base(words[0])] {
		return nil
	}
	var all []string
	add := func(text string) {
		*s.left -= len(text)
		all = append(all, foldFirst(text[strings.LastIndexByte(firstWord(text), '/')+1:]))
	}
	for n := 1; n < len(words) && *s.left > 0; n++ {
		if n > 1 && words[n] != "" {
			add(strings.Join(words[n:], " "))
		}
		if w := words[n]; strings.ContainsAny(w, " \t") {
			for at := 0; at < len(w) && *s.left > 0; at++ {
				if startsWord(w, at) {
					add(w[at:])
				}
			}
		}
	}
	return all
}

// startsWord reports whether a word begins at a place in a text.
func startsWord(text string, at int) bool {
	inside := func(c byte) bool { return letter(c) || digit(c) || strings.IndexByte("-_./"+holes, c) >= 0 }
	return inside(text[at]) && (at == 0 || !inside(text[at-1]))
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// obeyInput are programs that read commands from their input, some of which run programs.
var obeyInput = set("ed", "red", "ex", "sqlite3", "psql", "mysql", "mariadb", "gdb", "lldb", "dc", "ftp", "lftp", "crontab")

// takeValues are the short options of interpreters whose value is the next word.
var takeValues = map[string]string{
	"python": "WX", "pypy": "WX", "ipython": "WX", "perl": "I", "ruby": "IrCE", "node": "rC", "nodejs": "rC", "bun": "rc", "php": "dctS", "lua": "l", "julia": "LtpCJ",
	"guile": "Ll", "racket": "tlr", "elixir": "rS",
}

// longValues are interpreters with long options whose value is the next word.
var longValues = set("node", "nodejs", "bun", "deno", "julia", "elixir", "ruby", "php", "emacs")

// takesValue reports whether the word behind an option may be its value.
func takesValue(name, option string) bool {
	if strings.HasPrefix(option, "--") {
		return longValues[name] && len(option) > 2 && !strings.Contains(option, "=")
	}
	return len(option) > 1 && strings.IndexByte(takeValues[name], option[len(option)-1]) >= 0
}

// codeModules are modules of python that run a text among their arguments, or their input.
var codeModules = []string{"timeit", "pdb", "code", "asyncio"}

// runsModule reports whether python is called with one of codeModules.
func runsModule(words []string) bool {
	for n, w := range words {
		if !strings.HasPrefix(w, "-") || strings.HasPrefix(w, "--") {
			continue
		}
		_, module, found := strings.Cut(w, "m")
		if found && module == "" && n+1 < len(words) {
			module = words[n+1]
		}
		if found && (open(module) || slices.Contains(codeModules, module)) {
			return true
		}
	}
	return false
}

var editors = set("vi", "vim", "nvim", "view", "gvim", "vimdiff", "gview", "rvim", "nvi")

// isEditorCommand recognises arguments with which editors run commands at their start.
func isEditorCommand(w string) bool {
	return strings.HasPrefix(w, "+") && strings.Trim(w, "+0123456789/") != "" || strings.HasPrefix(w, "--cmd") || strings.HasPrefix(w, "--startuptime") ||
		strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.ContainsAny(w, "cSseEul"+holes)
}

// isMakeText recognises arguments of make with which it runs its input or a variable.
func isMakeText(w string) bool {
	name, value, assigned := strings.Cut(w, "=")
	return w == "-f-" || w == "-" || w == "/dev/stdin" || w == "-f/dev/stdin" || w == "--file=-" || w == "--makefile=-" ||
		assigned && !strings.HasPrefix(name, "-") && (steers(name) || name == ".SHELLFLAGS" || strings.ContainsAny(value, " \t$;|&"+holes))
}
