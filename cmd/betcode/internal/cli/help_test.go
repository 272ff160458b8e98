package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/manual"
)

// TestHelpHasGroups: the help of the program lists each visible command once, below the title of its group, those of every day
// first, and no hidden one.
func TestHelpHasGroups(t *testing.T) {
	app := newProgram(Build{}, nil, nil, nil, nil).app()
	text := manual.Help(app, nil, 80)
	_, list, _ := strings.Cut(text, "COMMANDS:\n")
	list, _, _ = strings.Cut(list, "GLOBAL OPTIONS:")
	var titles []string
	group, listed := "", map[string]string{}
	for line := range strings.Lines(list) {
		switch {
		case strings.HasPrefix(line, "      "), strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "     "):
			name := strings.Fields(line)[0]
			if listed[name] != "" {
				t.Errorf("%s is listed twice", name)
			}
			listed[name] = group
		default:
			group = strings.TrimSpace(line)
			titles = append(titles, group)
		}
	}
	if want := []string{"Everyday work", "Sessions", "Approvals and rules", "Journal and history", "Daemon", "Machine and integration", "Help"}; !slices.Equal(titles, want) {
		t.Errorf("groups %q, want %q", titles, want)
	}
	for _, c := range app.Commands {
		if want := c.Category; listed[c.Name] != want || (want == "") != c.Hidden {
			t.Errorf("%s: listed below %q, its group is %q, hidden %t", c.Name, listed[c.Name], want, c.Hidden)
		}
		delete(listed, c.Name)
	}
	if len(listed) > 0 {
		t.Errorf("listed, and no commands: %v", listed)
	}
}

// TestHelpOfCommands: the help of each command names all its flags with their values, says no default that says nothing, and
// fits a terminal.
func TestHelpOfCommands(t *testing.T) {
	app := newProgram(Build{}, nil, nil, nil, nil).app()
	empty := regexp.MustCompile(`\(default: (0|0s|0\.0+|false|"?"?)\)|  --[^ ]+(, -.)? VALUE\b|"\)|m0s`)
	var walk func(path []string, commands []*cli.Command)
	walk = func(path []string, commands []*cli.Command) {
		for _, c := range commands {
			if c.Hidden {
				continue
			}
			at := append(slices.Clone(path), c.Name)
			text := manual.Help(app, at, 80)
			if found := empty.FindString(text); found != "" {
				t.Errorf("betcode %s --help has %q:\n%s", strings.Join(at, " "), found, text)
			}
			for _, f := range c.VisibleFlags() {
				if !strings.Contains(text, "   --"+f.Names()[0]) {
					t.Errorf("betcode %s --help lacks --%s", strings.Join(at, " "), f.Names()[0])
				}
			}
			for line := range strings.Lines(text) {
				if arranged := strings.Contains(strings.TrimSpace(line), "  "); len([]rune(line)) > 81 && !arranged && len(strings.Fields(line)) > 1 && !strings.HasPrefix(line, "    ") {
					t.Errorf("betcode %s --help: a line of %d characters: %s", strings.Join(at, " "), len([]rune(line)), line)
				}
			}
			walk(at, c.Subcommands)
		}
	}
	walk(nil, app.Commands)
}
