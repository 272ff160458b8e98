package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/exit"
)

// scripts are the scripts that play commands on the built program.
const scripts = "../../../../tests/cli/testdata/*.txtar"

// unscripted are commands without a script there, with what plays them instead.
var unscripted = map[string]string{
	"daemon run":           "every story of tests/e2e runs it",
	"mcp":                  "an agent starts it: stories of fleets in tests/e2e",
	"chat":                 "a terminal: make tui",
	"ui":                   "a terminal: make tui",
	"permission answer":    "no script yet; tests of this package with a fake daemon",
	"permission test":      "no script yet; tests of this package with a fake daemon",
	"doctor":               "no script yet; tests of this package with a fake daemon",
	"import":               "no script yet; tests of this package with a fake daemon",
	"commands run":         "no script yet; tests of this package with a fake daemon",
	"journal restore":      "no script yet; tests of this package with a fake daemon",
	"journal repair":       "no script yet; tests of this package with a fake daemon",
	"worktree create":      "stories of worktrees in tests/e2e",
	"worktree switch":      "stories of worktrees in tests/e2e",
	"worktree setup":       "stories of worktrees in tests/e2e",
	"worktree prune":       "stories of worktrees in tests/e2e",
	"worktree remove":      "stories of worktrees in tests/e2e",
	"subagent spawn":       "stories of subagents in tests/e2e",
	"subagent watch":       "stories of subagents in tests/e2e",
	"subagent send":        "stories of subagents in tests/e2e",
	"subagent cancel":      "stories of subagents in tests/e2e",
	"subagent revoke":      "stories of subagents in tests/e2e",
	"repo add":             "stories of repositories in tests/e2e",
	"repo show":            "stories of repositories in tests/e2e",
	"repo update":          "stories of repositories in tests/e2e",
	"repo scan":            "stories of repositories in tests/e2e",
	"repo remove":          "stories of repositories in tests/e2e",
	"repo branches list":   "stories of repositories in tests/e2e",
	"repo branches create": "stories of repositories in tests/e2e",
	"repo branches delete": "stories of repositories in tests/e2e",
	"orchestrate plan":     "stories of plans in tests/e2e",
	"orchestrate run":      "stories of plans in tests/e2e",
	"orchestrate watch":    "stories of plans in tests/e2e",
	"orchestrate retry":    "stories of plans in tests/e2e",
	"orchestrate cancel":   "stories of plans in tests/e2e",
	"orchestrate pause":    "stories of plans in tests/e2e",
	"orchestrate resume":   "stories of plans in tests/e2e",
	"gateway socket":       "make gateways runs it",
	"gateway portal":       "make gateways runs it",
	"gateway pair":         "make gateways runs it",
	"gateway token":        "make gateways runs it",
	"gateway share":        "make gateways runs it",
	"proxy login":          "make gateways runs it",
	"proxy logout":         "make gateways runs it",
}

// uncompared are exit codes that no script compares yet, with the tests that do.
var uncompared = map[string]string{
	"4":   "TestCode of package exit",
	"7":   "TestCode of package exit",
	"130": "the stories of Ctrl-C in tests/e2e",
}

// TestCommandsHaveScripts: each command is played by a script of tests/cli on the built program, or the list says why not. Each
// exit code is compared by one.
func TestCommandsHaveScripts(t *testing.T) {
	lines := scriptLines(t)
	app := newProgram(Build{}, nil, nil, nil, nil).app()
	var walk func(path []string, commands []*cli.Command)
	walk = func(path []string, commands []*cli.Command) {
		for _, c := range commands {
			if c.Hidden {
				continue
			}
			names := slices.Concat(path, []string{c.Name})
			walk(names, c.Subcommands)
			if len(c.Subcommands) > 0 || c.Name == "help" {
				continue
			}
			command := strings.Join(names, " ")
			played := slices.ContainsFunc(lines, func(line string) bool { return playsCommand(app, line, c) })
			switch reason := unscripted[command]; {
			case !played && reason == "":
				t.Errorf("no script of tests/cli plays 'betcode %s'", command)
			case played && reason != "":
				t.Errorf("a script plays 'betcode %s': delete it from the list", command)
			}
		}
	}
	walk(nil, app.Commands)
	compared := regexp.MustCompile(`^code (\d+)\b`)
	codes := map[string]bool{}
	for _, line := range lines {
		if match := compared.FindStringSubmatch(line); match != nil {
			codes[match[1]] = true
		}
	}
	for _, m := range exit.Meanings() {
		if code := strconv.Itoa(m.Code); codes[code] == (uncompared[code] != "") {
			t.Errorf("exit code %s (%s): compared by a script of tests/cli %t, in the list of others %t", code, m.Name, codes[code], uncompared[code] != "")
		}
	}
}

// scriptLines returns the lines of all scripts.
func scriptLines(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(scripts)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	var all []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Split(string(content), "\n")...)
	}
	return all
}

// playsCommand reports whether a line of a script runs a command, as the program reads it: 'code 0 ARG...', 'until TEXT ARG...',
// 'start NAME ARG...', or betcode in a shell.
func playsCommand(app *cli.App, line string, command *cli.Command) bool {
	var args []string
	switch words := strings.Fields(line); {
	case len(words) > 2 && words[0] == "code":
		args = words[2:]
	case len(words) > 2 && (words[0] == "until" || words[0] == "start"):
		args = words[2:]
	default:
		i := slices.IndexFunc(words, func(w string) bool { return strings.Trim(w, "'$(") == "betcode" })
		if i < 0 || words[0] != "exec" {
			return false
		}
		args = words[i+1:]
	}
	commands := app.Commands
	if len(args) > 1 && args[0] == "help" {
		args = args[1:]
	}
	for _, arg := range args {
		found := find(commands, strings.TrimRight(arg, "')"))
		if found == nil {
			return false
		}
		if found == command {
			return true
		}
		commands = found.Subcommands
	}
	return false
}
