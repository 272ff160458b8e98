package rules

import (
	"regexp"
	"slices"
	"strings"

	"betcode/actors/internal/flags"
)

// ownCommands are commands of programs with many of them that run any program, or that change settings which name
// programs. Their beginnings count too, since npm takes these.
var ownCommands = map[string][]string{
	"npm":  {"exec", "x", "explore", "edit", "set"},
	"pnpm": {"exec", "dlx", "set", "node"},
	"yarn": {"exec", "dlx", "set", "node"},
	"gh":   {"alias", "extension", "extensions", "ext"},
	"helm": {"plugin"},
	"ip":   {"netns", "vrf"},
	"hg":   {"debugshell"},
}

// whole are programs whose commands cannot be abbreviated.
var whole = set("pnpm", "yarn", "gh", "helm", "hg")

// configNames are the beginnings of `config` that npm accepts.
var configNames = []string{"c", "co", "con", "conf", "confi"}

// configReads are the commands of a program's own `config` that change nothing.
var configReads = map[string][]string{
	"npm": {"get", "list", "ls"}, "pnpm": {"get", "list", "ls"}, "yarn": {"get", "list", "ls"}, "gh": {"get", "list", "ls"},
	"kubectl": {"view", "get-contexts", "get-clusters", "get-users", "current-context", "use-context"},
}

// ownCommandRuns reports whether a program gets one of its ownCommands.
func ownCommandRuns(name string, words []string) bool {
	listed, known := ownCommands[name]
	reads, configures := configReads[name]
	if !known && !configures {
		return false
	}
	for _, w := range mayBeCommand(words) {
		switch {
		case oneOf(w, listed), !whole[name] && len(w) > 2 && anyWord(listed, func(l string) bool { return strings.HasPrefix(l, w) }):
			return true
		case configures && (w == "config" || name == "npm" && oneOf(w, configNames)):
			return !anyWord(words, func(w string) bool { return oneOf(w, reads) })
		case name == "pnpm" && !pnpmCommands[w]: // it runs a program if the package has no script of that name
			return true
		}
	}
	return false
}

// mayBeCommand returns the words that a program may take for its own command: the first that is no option, and the one
// after it if it may be the value of an option.
func mayBeCommand(words []string) (all []string) {
	for n, w := range words {
		if w == "" || strings.HasPrefix(w, "-") {
			continue
		}
		all = append(all, w)
		if n == 0 || !strings.HasPrefix(words[n-1], "-") || strings.Contains(words[n-1], "=") {
			break
		}
	}
	return all
}

// pnpmCommands are commands of pnpm, and names of scripts that are no programs.
var pnpmCommands = set("add", "approve-builds", "audit", "bin", "c", "config", "dedupe", "deploy", "fetch", "get", "i", "import", "info", "init", "install",
	"la", "licenses", "link", "list", "ll", "ln", "ls", "outdated", "pack", "patch", "patch-commit", "prune", "publish", "rb", "rebuild", "remove", "rm", "root",
	"run", "run-script", "show", "start", "store", "t", "test", "tst", "un", "uninstall", "unlink", "up", "update", "upgrade", "version", "view", "why",
	"build", "check", "ci", "clean", "coverage", "dev", "e2e", "format", "lint", "preview", "typecheck", "watch:test")

// textRuns are programs that take commands in words which are no options, with patterns of commands that run a program or
// write a file.
var textRuns = map[string]*regexp.Regexp{
	"psql":    regexp.MustCompile(`[\\|]|(?i:\bprogram\b)|^-[A-Za-z]*f|^--file`),
	"mysql":   regexp.MustCompile(`\\|(?i:\b(system|pager|tee|edit|source)\b)|^--?(defaults-|plugin|pager|tee)`),
	"sqlite3": regexp.MustCompile(`(?i:load_extension|writefile|\bedit\s*\()|^--?init`),
	"socat":   regexp.MustCompile(`(?i:exec|system|shell):`),
	"less":    regexp.MustCompile(`^\++[^/]*[^0-9GgF/+]`),
	"rustc":   rustLinker, "rustdoc": rustLinker, "cargo": rustLinker,
	"openssl": regexp.MustCompile(`^--?(engine|provider|config)`),
}

// rustLinker finds options of Rust's compiler that name its linker, the linker's arguments, or a library to load. They
// may be words of their own, behind -C or -Z.
var rustLinker = regexp.MustCompile(`linker=|link-arg|codegen-backend=|dlltool=|^@|-tool=|^--runtool`)

// dotCommand finds commands of sqlite3 itself.
var dotCommand = regexp.MustCompile(`(?m)^\s*\.([a-z]+)`)

// harmlessDots are commands of sqlite3 that run nothing and write no file.
var harmlessDots = []string{
	"tables", "schema", "headers", "header", "mode", "databases", "indexes", "dump", "fullschema", "show", "width", "nullvalue", "separator", "stats", "timer",
	"help", "quit", "exit", "bail", "echo", "changes", "eqp", "explain", "print",
}

// textCommandRuns reports whether a word that is no option makes a program run another one.
func textCommandRuns(name string, words []string) bool {
	switch name {
	case "mariadb":
		name = "mysql"
	case "zless":
		name = "less"
	case "make", "gmake":
		return anyWord(words, isMakeText) || anyWord(words, func(w string) bool { return flags.Abbreviates(w, "--eval") || flags.Bundled(w, "E", "CfIjlOoW") })
	case "sqlite3":
		for _, w := range words {
			for _, found := range dotCommand.FindAllStringSubmatch(w, -1) {
				if !slices.Contains(harmlessDots, found[1]) {
					return true
				}
			}
		}
	}
	if editors[name] && anyWord(words, isEditorCommand) {
		return true
	}
	pattern := textRuns[name]
	return pattern != nil && anyWord(words, func(w string) bool { return open(w) || pattern.MatchString(w) })
}

// beyond returns the argument of a command that makes a program do more than a rule for the program alone covers.
func beyond(words []string) string {
	if why := namesProgram(words); why != "" {
		return why
	}
	return writesFile(base(words[0]), words[1:])
}

// writesFile returns the argument of a reading program that makes it write or delete files.
func writesFile(name string, words []string) string {
	writes := false
	switch name {
	case "sort", "shuf":
		writes = anyWord(words, func(w string) bool { return flags.Abbreviates(w, "--output") || flags.Bundled(w, "o", "kStTn") })
	case "tree":
		writes = anyWord(words, func(w string) bool { return flags.Bundled(w, "o", "LPIHT") })
	case "find":
		writes = anyWord(words, func(w string) bool { return w == "-delete" || strings.HasPrefix(w, "-fprint") || w == "-fls" })
	case "git":
		writes = gitWrites(words)
	}
	if writes {
		return "an argument of `" + name + "` writes or deletes files that the rule does not name"
	}
	return ""
}

// gitWrites reports whether a reading command of git writes a file, or one that checks files out does so elsewhere.
func gitWrites(words []string) bool {
	for n, w := range words {
		switch w {
		case "log", "diff", "show", "diff-tree", "diff-index", "diff-files", "whatchanged", "reflog", "range-diff":
			return anyWord(words[n+1:], func(w string) bool { return flags.Abbreviates(w, "--output") && len(w) > 4 })
		case "checkout-index":
			return anyWord(words[n+1:], func(w string) bool { return flags.Abbreviates(w, "--prefix") })
		}
	}
	return anyWord(words, func(w string) bool { return w == "--work-tree" || strings.HasPrefix(w, "--work-tree=") })
}
