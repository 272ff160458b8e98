package rules

import "strings"

// commandOptions are the options with which programs that are often allowed run another
// program. Long ones may be abbreviated.
var commandOptions = map[string]struct {
	long  []string
	short string   // letters, alone or with others
	exact []string // with one dash or two
}{
	"tar":    {long: []string{"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script"}, short: "IF"},
	"bsdtar": {long: []string{"--use-compress-program"}},
	"sort":   {long: []string{"--compress-program"}},
	"rg":     {long: []string{"--pre", "--hostname-bin"}},
	"man":    {long: []string{"--pager", "--html", "--preprocessor"}, short: "PH"},
	"go":     {exact: []string{"exec", "toolexec", "vettool"}},
	"rsync":  {long: []string{"--rsh", "--rsync-path"}, short: "e"},
	"scp":    {short: "SoF"},
	"sftp":   {short: "SoFD"},
	"zip":    {long: []string{"--unzip-command"}, exact: []string{"TT"}},
	"npm":    {long: []string{"--script-shell", "--node-options"}},
	"pnpm":   {long: []string{"--script-shell", "--shell-emulator", "--node-options"}},
	"yarn":   {long: []string{"--script-shell"}},
	"cargo":  {long: []string{"--config"}},
	"gcc":    {exact: []string{"wrapper", "fplugin"}},
	"git":    {}, // see gitRuns
}

// namesProgram says which argument of a command makes a program run another one that a rule
// for the program alone does not name.
func namesProgram(words []string) string {
	name, rest := base(words[0]), words[1:]
	why := "an argument of `" + name + "` may name a command to run"
	switch {
	case name == "git":
		if gitRuns(rest) != "" || anyWord(rest, abbreviatesGit) {
			return why
		}
	case name == "sed" || name == "gsed":
		if anyWord(sedScripts(rest), isSedExecution) {
			return why
		}
	case awks[name]:
		if anyWord(rest, isAwkProgram) {
			return why
		}
	case (name == "find" || name == "fd") && runsOther(words) != "":
		return why
	}
	options, known := commandOptions[name]
	if !known {
		return ""
	}
	for n, w := range rest {
		dashes := len(w) - len(strings.TrimLeft(w, "-"))
		option, _, _ := strings.Cut(w, "=")
		switch {
		case dashes == 2 && abbreviates(option, options.long), dashes > 0 && oneOf(strings.TrimLeft(option, "-"), options.exact):
			return why
		case dashes == 1 && strings.ContainsAny(w, options.short), name == "tar" && n == 0 && strings.ContainsAny(w, options.short):
			return why
		}
	}
	return ""
}

// abbreviatesGit recognises short forms of the options of git that name programs.
func abbreviatesGit(w string) bool {
	option, _, _ := strings.Cut(w, "=")
	return abbreviates(option, []string{"--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager", "--extcmd"})
}

// abbreviates reports whether a word is a long option or the beginning of one.
func abbreviates(word string, options []string) bool {
	for _, o := range options {
		if len(word) > 2 && strings.HasPrefix(o, word) {
			return true
		}
	}
	return false
}

func oneOf(word string, list []string) bool {
	for _, l := range list {
		if word == l {
			return true
		}
	}
	return false
}

// sedScripts are the arguments of sed that are scripts or name one, with the options in
// front of them: other arguments are files.
func sedScripts(words []string) (scripts []string) {
	given := false
	for n := 0; n < len(words); n++ {
		switch w := words[n]; {
		case w == "-e" || w == "--expression" || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "e") && !strings.HasPrefix(w, "-i"):
			given = true
			if n++; n < len(words) {
				scripts = append(scripts, words[n])
			}
		case strings.HasPrefix(w, "--expression="):
			given = true
			scripts = append(scripts, strings.TrimPrefix(w, "--expression="))
		case strings.HasPrefix(w, "-e"):
			given = true
			scripts = append(scripts, w[2:])
		case strings.HasPrefix(w, "-") && len(w) > 1:
			scripts = append(scripts, w)
		case !given:
			given = true
			scripts = append(scripts, w)
		}
	}
	return scripts
}
