package cli

import (
	"strings"
	"testing"

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
