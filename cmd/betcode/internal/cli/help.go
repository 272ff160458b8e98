package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/manual"
	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

// helpName is the word that asks for help: 'betcode help', 'betcode help session list', 'betcode session help'.
const helpName = "help"

// helpCommand is shown and completed. arrange reads lines with it, so it never runs.
func (p *program) helpCommand() *cli.Command {
	return &cli.Command{
		Name: helpName, Aliases: []string{"h"}, Usage: "show the help of a command", ArgsUsage: "[COMMAND...]",
		Action: func(c *cli.Context) error { return p.help(c.App, nil) },
	}
}

// help prints the help of the command at a path; empty is the program.
func (p *program) help(app *cli.App, path []string) error {
	return p.print(manual.Help(app, path, p.Terminal.Width))
}

func (p *program) exitCodesCommand() *cli.Command {
	return &cli.Command{
		Name: "exit-codes", Usage: "list the exit codes",
		Action: func(*cli.Context) error { return p.print(exitCodesHelp()) },
	}
}

// exitCodesHelp is the page about exit codes.
func exitCodesHelp() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, e := range exit.Meanings() {
		fmt.Fprintf(w, "%d\t%s\t%s\n", e.Code, e.Name, e.Text)
	}
	_ = w.Flush() // into memory
	return b.String()
}

func (p *program) print(text string) error {
	_, err := fmt.Fprint(p.Stdout, text)
	return err
}

func (p *program) environmentCommand() *cli.Command {
	return &cli.Command{
		Name: "environment", Usage: "list the environment variables",
		Action: func(*cli.Context) error { return p.print(environmentHelp()) },
	}
}

// environmentHelp is the page about environment variables.
func environmentHelp() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, v := range environment() {
		fmt.Fprintf(w, "%s\t%s\n", v[0], v[1])
	}
	_ = w.Flush() // into memory
	return b.String()
}

// formattingHelp is the page about forms of output.
const formattingHelp = `Commands that show something take the same flags.

-o table        columns that fit the terminal, or COLUMNS; the widest is shortened
   wide         all columns, nothing shortened
   json         one object with the name of its schema; --json is the same
   jsonl        one object per line for each item of a list
   yaml         as json
   name         ids only
   template=T   the Go template T for each item: {{.id}}, {{json .field}},
                {{short 20 .name}}, {{timeago .updated_at}}

--json=a,b      these fields only; a list is then an array. --json= lists the fields
--jq EXPR       what a jq expression finds: texts as they are, anything else as JSON
--sort FIELD    order of a list; -FIELD is descending
--no-headers    no titles above the columns
--watch         again as it changes, until Ctrl-C

Without -o a list is a table on a terminal. In a pipe it is one line per item, with
tabs between whole values and without titles. The name of a schema ends with its
version: a field that goes or changes its kind makes a new version. Integers are
numbers, empty lists are [].

audit, events, 'permission test', 'subagent watch' and 'orchestrate watch' print
entries as they come: JSON is a line for each entry, YAML a document, --jq sees one
entry at a time. They take neither --sort nor --watch; 'betcode events -f' goes on
with what happens.
`

func (p *program) formattingCommand() *cli.Command {
	return &cli.Command{
		Name: "formatting", Usage: "describe the forms of output",
		Action: func(*cli.Context) error { return p.print(formattingHelp) },
	}
}

// environment returns every variable that has an effect, with its purpose.
func environment() [][2]string {
	all := [][2]string{
		{"BETCODE_CONFIG_DIR", "directory of settings.json and daemon.toml"},
		{"BETCODE_AUTOSTART", "1: start a daemon if none runs"},
		{"BETCODE_ADDRESS", "host:port of a daemon that is reached over TCP"},
		{"BETCODE_TOKEN_FILE", "file with the token for BETCODE_ADDRESS"},
		{"BETCODE_TLS", "1: use TLS for BETCODE_ADDRESS"},
		{"BETCODE_TLS_CA", "file with the certificate of the authority that signed the daemon's certificate"},
		{"BETCODE_CONNECT_TIMEOUT", "how long an unattended command waits for a lost daemon"},
	}
	for _, s := range config.Table() {
		if s.Env != "" {
			all = append(all, [2]string{s.Env, s.Help + " (" + s.Name + ")"})
		}
	}
	return append(all,
		[2]string{"BETCODE_GITLAB_TOKEN, GITLAB_TOKEN", "token for the GitLab, if gitlab.token_file is not set (daemon)"},
		[2]string{"NO_COLOR", "no colours"})
}
