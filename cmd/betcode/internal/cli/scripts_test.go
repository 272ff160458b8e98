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

// formless are lists whose forms no script compares with each other, with what compares some of them.
var formless = map[string]string{
	"commands agents":  "completion of words: plain.txtar",
	"commands path":    "completion of words: plain.txtar",
	"gitlab mrs":       "it needs a GitLab: TestGitLabCommands of this package",
	"gitlab pipelines": "as gitlab mrs",
	"gitlab jobs":      "as gitlab mrs",
	"gitlab issues":    "as gitlab mrs",
}

// TestCommandsHaveScripts: each command is played by a script of tests/cli on the built program. Scripts compare each exit code,
// and the forms of each list, unless formless has a reason against it.
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
			if !played {
				t.Errorf("no script of tests/cli plays 'betcode %s'", command)
			}
			compared := slices.ContainsFunc(lines, func(line string) bool {
				return (strings.HasPrefix(line, "forms list ") || strings.HasPrefix(line, "forms stream ")) && playsCommand(app, line, c)
			})
			if list := slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "sort" }); list && compared == (formless[command] != "") {
				t.Errorf("forms of 'betcode %s': a script compares them %t, and they are in the list of others %t", command, compared, !compared)
			}
		}
	}
	walk(nil, app.Commands)
	compared := regexp.MustCompile(`^(?:code|end|interrupt) (\d+)\b`)
	codes := map[string]bool{}
	for _, line := range lines {
		if match := compared.FindStringSubmatch(line); match != nil {
			codes[match[1]] = true
		}
	}
	for _, m := range exit.Meanings() {
		if code := strconv.Itoa(m.Code); !codes[code] {
			t.Errorf("no script of tests/cli compares exit code %s (%s)", code, m.Name)
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
// 'start NAME ARG...', 'forms KIND FIELD ARG...', or betcode in a shell.
func playsCommand(app *cli.App, line string, command *cli.Command) bool {
	var args []string
	switch words := strings.Fields(line); {
	case len(words) > 2 && words[0] == "code":
		args = words[2:]
	case len(words) > 2 && (words[0] == "until" || words[0] == "start"):
		args = words[2:]
	case len(words) > 3 && words[0] == "forms":
		args = words[3:]
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
