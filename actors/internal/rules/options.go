package rules

import (
	"strings"

	"betcode/actors/internal/flags"
)

// commandOptions are the options with which programs that are often allowed run another
// program. Long ones may be abbreviated.
var commandOptions = map[string]struct {
	long   []string
	short  string   // letters, alone or with others
	exact  []string // with one dash or two
	prefix []string // with one dash or two, in front of a value
	inside []string // texts in any word that begins with a dash
	lax    bool     // long ones are taken with any number of dashes
}{
	"tar":    {long: []string{"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script"}, short: "IF"},
	"bsdtar": {long: []string{"--use-compress-program"}},
	"sort":   {long: []string{"--compress-program"}},
	"rg":     {long: []string{"--pre", "--hostname-bin"}},
	"split":  {long: []string{"--filter"}},
	"man":    {long: []string{"--pager", "--html", "--preprocessor", "--config-file"}, short: "PHC"},
	"go":     {exact: []string{"exec", "toolexec", "vettool", "gccgoflags"}},
	"rsync":  {long: []string{"--rsh", "--rsync-path", "--daemon"}, short: "e"},
	"scp":    {short: "SoFD"},
	"sftp":   {short: "SoFDb"}, // a batch may have commands for the local shell
	"zip":    {long: []string{"--unzip-command"}, inside: []string{"TT"}},
	"npm":    {long: npmLong, exact: []string{"c", "C"}, lax: true},
	"pnpm":   {long: append([]string{"--shell-emulator", "--dir"}, npmLong...), exact: []string{"c", "C"}, prefix: []string{"config."}, lax: true},
	"yarn":   {long: []string{"--script-shell", "--use-yarnrc"}, lax: true},
	"cargo":  {long: []string{"--config"}},
	"gcc": {
		exact:  []string{"Xlinker", "Xclang", "load"},
		prefix: []string{"B", "prefix", "specs", "wrapper", "fpass-plugin", "ld-path", "config", "for-linker", "fuse-ld=/", "fuse-ld=.", "gcc-toolchain", "gcc-install-dir", "ccc-"},
		inside: []string{"plugin", ",@"},
	},
}

// npmLong are settings of npm that name programs or files with such settings, as options.
var npmLong = []string{
	"--script-shell", "--node-options", "--userconfig", "--globalconfig", "--prefix", "--call", "--shell", "--git", "--editor", "--viewer", "--browser",
	"--init-module", "--node-gyp", "--python",
}

// compilers take the options of gcc.
var compilers = set("gcc", "g++", "cc", "c++", "cpp", "clang", "clang++", "gfortran")

var fds = set("fd", "fdfind")

// namesProgram says which argument of a command makes a program run another one that a rule
// for the program alone does not name.
func namesProgram(words []string) string {
	name, rest := base(words[0]), words[1:]
	runs := false
	switch {
	case name == "git":
		runs = gitRuns(rest) != "" || anyWord(rest, abbreviatesGit)
	case name == "sed" || name == "gsed":
		runs = sedRuns(rest)
	case awks[name]:
		runs = anyWord(rest, isAwkProgram)
	case name == "find" || fds[name]:
		runs = anyWord(rest, isFindCommand) || fds[name] && anyWord(rest, func(w string) bool { return flags.Bundled(w, "xX", "dteEcjSo") })
	case name == "go":
		runs = anyWord(rest, isLinkerOption) || oneOf("env", rest) && anyWord(rest, func(w string) bool { return strings.HasPrefix(w, "-w") || strings.HasPrefix(w, "--w") })
	}
	if runs || hasCommandOption(name, rest) {
		return "an argument of `" + name + "` may name a command to run"
	}
	return ""
}

// hasCommandOption reports whether a program gets one of its commandOptions.
func hasCommandOption(name string, words []string) bool {
	key := strings.TrimRight(name, "-.0123456789")
	if key = key[strings.LastIndexByte(key, '-')+1:]; compilers[key] {
		if name = "gcc"; anyWord(words, func(w string) bool { return strings.HasPrefix(w, "@") }) {
			return true
		}
	}
	options, known := commandOptions[name]
	if !known {
		return false
	}
	for n, w := range words {
		bare := strings.TrimLeft(w, "-")
		dashes := len(w) - len(bare)
		option, _, _ := strings.Cut(w, "=")
		switch {
		case dashes > 0 && anyWord(options.inside, func(text string) bool { return strings.Contains(w, text) }):
			return true
		case dashes == 2 && flags.Abbreviates(w, options.long...), options.lax && isLong(dashes, bare) && flags.Abbreviates("--"+bare, options.long...), dashes > 0 && oneOf(strings.TrimLeft(option, "-"), options.exact):
			return true
		case dashes > 0 && anyWord(options.prefix, func(prefix string) bool { return strings.HasPrefix(bare, prefix) }):
			return true
		case dashes == 1 && strings.ContainsAny(w, options.short), name == "tar" && n == 0 && strings.ContainsAny(w, options.short):
			return true
		}
	}
	return false
}

// isLong reports whether npm takes a word for a long option: with one dash it needs more than
// one letter, and letters of short options alone are those.
func isLong(dashes int, bare string) bool {
	option, _, _ := strings.Cut(bare, "=")
	return dashes > 1 || dashes == 1 && len(option) > 1
}

// isFindCommand recognises the options of find and fd that run a command for each file.
func isFindCommand(w string) bool {
	return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") || strings.HasPrefix(w, "--exec")
}

// isLinkerOption recognises what makes the linker of Go run another one, or read options
// from a file.
func isLinkerOption(w string) bool {
	return strings.Contains(w, "-extld") || strings.Contains(w, "=@") || strings.Contains(w, " @") || strings.HasPrefix(w, "@")
}

// abbreviatesGit recognises short forms of the options of git that name programs.
func abbreviatesGit(w string) bool {
	return flags.Abbreviates(w, "--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager", "--extcmd")
}

func oneOf(word string, list []string) bool {
	for _, l := range list {
		if word == l {
			return true
		}
	}
	return false
}
