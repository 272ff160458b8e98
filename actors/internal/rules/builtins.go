package rules

import "strings"

// runsText returns why a simple command, although plain, runs its arguments as text
// or changes what later commands mean. No allow rule with an argument matches it.
func runsText(words []string) string {
	name := base(words[0])
	switch {
	case interprets[name], isWrap(name) && anyWord(words[1:], func(w string) bool { return interprets[base(w)] && (base(w) != "." || builtinWraps[name]) }):
		return "it runs what is in its arguments"
	case redefines[name], name == "hash" && len(words) > 1, name == "set" && len(words) > 1:
		return "it changes what later commands mean"
	case assigns(words):
		return "it changes variables"
	case evaluates[name] && anyWord(words[1:], subscript):
		return "`" + name + "` may evaluate a subscript among its arguments"
	case (name == "test" || name == "[") && anyWord(words[1:], isVariableTest):
		return "`" + name + "` may evaluate a subscript among its arguments"
	}
	return ""
}

// assigns reports whether a simple command is a builtin that sets or unsets variables.
func assigns(words []string) bool {
	switch name := base(words[0]); name {
	case "printf", "print", "wait":
		return anyWord(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") && strings.ContainsAny(w, "vp") })
	default:
		return setters[name]
	}
}

// setters are builtins whose arguments are names of variables.
var setters = set("read", "unset", "mapfile", "readarray", "getopts", "vared", "zparseopts", "strftime", "let", "sysread")

// evaluates are builtins that take names of variables, or numbers that one of the
// shells evaluates as arithmetic.
var evaluates = set("printf", "print", "test", "[", "wait", "exit", "return", "break", "continue", "shift", "kill", "jobs", "fg", "bg", "disown",
	"ulimit", "umask", "sleep", "history", "cd", "pushd", "popd", "dirs", "command", "builtin", "exec", "zformat", "pushln", "stat", "zstat",
	"logout", "caller", "suspend", "type", "echotc", "echoti")

// redefines are builtins that change the meaning of a name, or run text later.
var redefines = set("alias", "unalias", "enable", "disable", "bind", "bindkey", "complete", "compgen", "compopt", "compctl", "fc", "shopt", "setopt",
	"unsetopt", "emulate", "zmodload", "autoload", "functions", "zle", "sched", "add-zsh-hook", "zstyle", "unhash", "unfunction", "zcompile",
	"export", "declare", "typeset", "local", "readonly", "integer", "float", "nameref")

// subscript reports whether a shell that takes the text for the name of a variable,
// or for arithmetic, would run a command in it: 'a[$(rm x)]'.
func subscript(text string) bool {
	return strings.Contains(text, "[") && strings.ContainsAny(text, "$`<>")
}

// isVariableTest recognises the tests that take the name of a variable.
func isVariableTest(word string) bool { return word == "-v" || word == "-R" }

func anyWord(words []string, is func(string) bool) bool {
	for _, w := range words {
		if is(w) {
			return true
		}
	}
	return false
}

// steering are variables that determine which programs run, or what they run first.
// Names that begin with one of steeringPrefixes count too.
var (
	steering = set("PATH", "path", "IFS", "ENV", "BASH_ENV", "SHELL", "EDITOR", "VISUAL", "PAGER", "BROWSER", "MANPAGER", "PS4", "PS0", "PROMPT_COMMAND",
		"SHELLOPTS", "BASHOPTS", "CDPATH", "cdpath", "ZDOTDIR", "FPATH", "fpath", "NULLCMD", "READNULLCMD", "GLOBIGNORE", "EXECIGNORE", "HOME",
		"NODE_OPTIONS", "NODE_PATH", "RUBYOPT", "RUBYLIB", "PERL5OPT", "PERL5LIB", "PERL5DB", "JAVA_TOOL_OPTIONS", "MAKEFLAGS", "LESSOPEN", "LESSCLOSE",
		"RUSTC_WRAPPER", "CC", "CXX", "precmd_functions", "preexec_functions", "chpwd_functions", "aliases", "galiases", "functions", "commands",
		"BASH_ALIASES", "BASH_CMDS", "BASH_FUNC", "FUNCNEST", "POSIXLY_CORRECT", "TMPPREFIX", "FCEDIT", "HISTFILE", "INPUTRC", "command_not_found_handle")
	steeringPrefixes = []string{"LD_", "DYLD_", "GIT_", "PYTHON", "BASH_FUNC_", "npm_config_", "NPM_CONFIG_", "SSH_"}
)

func steers(name string) bool {
	if steering[name] {
		return true
	}
	for _, p := range steeringPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// Steers reports whether a variable determines which programs run, or what they run first.
func Steers(name string) bool { return steers(name) }
