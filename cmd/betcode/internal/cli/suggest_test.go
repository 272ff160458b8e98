package cli

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
)

func TestSuggest(t *testing.T) {
	commands := (&program{&base.Program{Console: &console.Console{}}}).app().Commands
	for typed, want := range map[string]string{
		"lgos": "logs", "log": "logs", "atach": "attach", "att": "attach", "sesion": "session", "permissoin": "permission", "permit": "permission",
		"list": "ps", "kill": "stop", "inspect": "session show", "delte": "session delete", "wait": "session wait", "RUN": "run", "cnofig": "config",
		"xyzzy": "", "zzz": "", "q": "",
	} {
		if got := suggest(commands, typed, true); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
	for _, c := range commands {
		if c.Name == "daemon" {
			if got := suggest(c.Subcommands, "hand-ovr", false); got != "" {
				t.Errorf("a hidden command is suggested: %s", got)
			}
			if got := suggest(c.Subcommands, "list", false); got != "" {
				t.Errorf("a purpose of the top level is suggested below it: %s", got)
			}
		}
	}
}

// Each purpose names a command that exists.
func TestPurposes(t *testing.T) {
	app := (&program{&base.Program{Console: &console.Console{}}}).app()
	for word, target := range purposes {
		commands := app.Commands
		for _, name := range strings.Fields(target) {
			if strings.HasPrefix(name, "-") {
				continue
			}
			c := find(commands, name)
			if c == nil || c.Hidden {
				t.Errorf("%s: there is no command %s", word, target)
				break
			}
			commands = c.Subcommands
		}
	}
}

func TestSuggestFlag(t *testing.T) {
	app := (&program{&base.Program{Console: &console.Console{}}}).app()
	for typed, want := range map[string]string{
		"ps stats": "--state", "ps statuss": "--status", "ps format": "--output", "ps follow": "--watch", "ps sokcet": "--socket",
		"run detached": "--detach", "run mdoel": "--model", "run resume": "--session", "logs lines": "--tail", "events folow": "--follow", "ps xyzzy": "", "ps q": "", "run output": "--output-format", "stop force": "", "events srot": "",
	} {
		name, flag, _ := strings.Cut(typed, " ")
		if got := suggestFlag(find(app.Commands, name).VisibleFlags(), app.VisibleFlags(), flag); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

// Each purpose of a flag names flags that some command has.
func TestFlagPurposes(t *testing.T) {
	app := (&program{&base.Program{Console: &console.Console{}}}).app()
	known := map[string]bool{}
	note := func(flags []cli.Flag) {
		for _, f := range flags {
			for _, name := range f.Names() {
				known[name] = true
			}
		}
	}
	note(app.Flags)
	forEachCommand(app.Commands, func(c *cli.Command) { note(c.Flags) })
	for word, flags := range flagPurposes {
		for _, flag := range flags {
			if !known[flag] {
				t.Errorf("%s: no command has the flag --%s", word, flag)
			}
		}
	}
}
