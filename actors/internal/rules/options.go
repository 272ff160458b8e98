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
	valued string   // letters with a value, if the short options are recognised only in front of these
}{
	"tar":    {long: []string{"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script"}, short: "IF"},
	"bsdtar": {long: []string{"--use-compress-program"}},
	"sort":   {long: []string{"--compress-program"}},
	"rg":     {long: []string{"--pre", "--hostname-bin"}},
	"split":  {long: []string{"--filter"}},
	"man":    {long: []string{"--pager", "--html", "--preprocessor", "--config-file"}, short: "PHC"},
	"go":     {exact: []string{"exec", "toolexec", "vettool", "gccgoflags"}},
	"rsync":  {long: []string{"--rsh", "--rsync-path", "--daemon", "--password-command"}, short: "e"},
	"scp":    {short: "SoFD"},
	"sftp":   {short: "SoFDb"}, // a batch may have commands for the local shell
	"zip":    {long: []string{"--unzip-command"}, inside: []string{"TT"}},
	"npm":    {long: npmLong, exact: []string{"c", "C"}, lax: true},
	"pnpm":   {long: append([]string{"--shell-emulator", "--dir"}, npmLong...), exact: []string{"c", "C"}, prefix: []string{"config."}, lax: true},
	"yarn":   {long: []string{"--script-shell", "--use-yarnrc"}, lax: true},
	"cargo":  {long: []string{"--config"}},
	"curl":   {long: []string{"--config", "--engine", "--libcurl"}, prefix: []string{"expand-"}, short: "K", valued: "AbcCdDeEFhHmoPQrtTuUwxXyYz"},
	"wget":   {long: []string{"--use-askpass", "--execute", "--config"}, short: "e", valued: "aABDiIlOoPQRtTUwX"},
	"less":   {long: []string{"--lesskey-src", "--lesskey-file", "--lesskey-content", "--log-file", "--LOG-FILE"}, short: "koO", valued: "bDhjpPtTxyz#"},
	"sdiff":  {long: []string{"--diff-program"}}, "diff3": {long: []string{"--diff-program"}},
	"cpio":    {long: []string{"--rsh-command"}},
	"install": {long: []string{"--strip-program"}},
	"tcpdump": {short: "z", valued: "BcCDEFGijmMQrsTVwWy"},
	"tshark":  {prefix: []string{"X"}},
	"nmap":    {long: []string{"--script", "--script-args-file", "--datadir", "--servicedb", "--versiondb"}},
	"gpg":     {long: []string{"--photo-viewer", "--options", "--agent-program", "--dirmngr-program", "--keyboxd-program", "--homedir", "--exec-path"}},
	"helm":    {long: []string{"--post-renderer", "--kubeconfig"}},
	"kubectl": {long: []string{"--kubeconfig"}},
	"docker":  {long: []string{"--config"}},
	"apt":     {long: []string{"--option", "--config-file"}, short: "oc", valued: "t"},
	"dpkg":    {long: []string{"--pre-invoke", "--post-invoke", "--status-logger"}},
	"javac":   {exact: []string{"processor", "processorpath", "processor-path", "processor-module-path"}, prefix: []string{"J", "Xplugin"}},
	"ld":      {inside: []string{"plugin"}},
	"nm":      {long: []string{"--plugin"}}, "ar": {long: []string{"--plugin"}}, "ranlib": {long: []string{"--plugin"}}, "strip": {long: []string{"--plugin"}},
	"ack": {long: []string{"--pager", "--ackrc"}}, "ag": {long: []string{"--pager"}}, "bat": {long: []string{"--pager"}}, "delta": {long: []string{"--pager", "--config"}},
	"ctags":      {long: []string{"--options", "--options-maybe"}},
	"ssh-keygen": {short: "Dw"}, "ssh-add": {short: "sS"},
	"ncat":   {long: []string{"--exec", "--sh-exec", "--lua-exec"}, short: "ec", valued: "pswGgimoWxX"},
	"nc":     {short: "ec", valued: "pswGgimoWxXIOqTV"},
	"pandoc": {long: []string{"--filter", "--lua-filter", "--pdf-engine", "--defaults", "--data-dir"}, short: "FLd", valued: "frtwoMVHBATcD"},
	"svn":    {long: []string{"--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option", "--config-dir"}},
	"hg":     {long: []string{"--config", "--repository", "--cwd"}, short: "R", valued: "rmldu"},
	"jj":     {long: []string{"--config", "--config-file", "--config-toml", "--repository"}, short: "R", valued: "rmT"},
	"yq":     {inside: []string{"security-enable"}},
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

// namesProgram returns the argument of a command that makes a program run another one, which a
// rule for the program alone does not name.
func namesProgram(words []string) string {
	name, rest := base(words[0]), words[1:]
	if same, known := sameOptions[name]; known {
		name = same
	}
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
	if runs || hasCommandOption(name, rest) || ownCommandRuns(name, rest) || textCommandRuns(name, rest) {
		return "an argument of `" + name + "` may name a command to run"
	}
	return ""
}

// sameOptions are programs that take the options of another one.
var sameOptions = map[string]string{
	"apt-get": "apt", "apt-cache": "apt", "aptitude": "apt", "gpg2": "gpg", "batcat": "bat", "netcat": "nc", "wireshark": "tshark", "zless": "less", "podman": "docker",
	"ginstall": "install", "gsort": "sort", "gtar": "tar", "ripgrep": "rg", "lld": "ld", "gold": "ld", "ld.gold": "ld", "ld.bfd": "ld", "ld.lld": "ld", "oc": "kubectl",
	"yarnpkg": "yarn", "objdump": "nm", "size": "nm", "gcc-nm": "nm", "gcc-ar": "ar",
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
		case dashes == 1 && options.valued != "":
			if flags.Bundled(w, options.short, options.valued) {
				return true
			}
		case dashes == 1 && strings.ContainsAny(w, options.short), name == "tar" && n == 0 && strings.ContainsAny(w, options.short):
			return true
		}
	}
	return false
}

// isLong reports whether npm takes a word for a long option. With one dash it needs more than
// one letter, and must not consist of letters of short options alone.
func isLong(dashes int, bare string) bool {
	option, _, _ := strings.Cut(bare, "=")
	return dashes > 1 || dashes == 1 && len(option) > 1
}

// isFindCommand recognises the options of find and fd that run a command for each file.
func isFindCommand(w string) bool {
	return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") || strings.HasPrefix(w, "--exec")
}

// isLinkerOption recognises options that make the linker of Go run another one, or read options
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
