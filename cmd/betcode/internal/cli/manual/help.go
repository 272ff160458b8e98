package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Lines of help are as long as the terminal is wide, within bounds. A pipe gets lines of the usual length.
const (
	usualWidth = 100
	leastWidth = 60
	mostWidth  = 120
)

// maxNames bounds the column with names, so that a long one leaves room for the meanings of the others.
const maxNames = 30

// Help returns the help of a command for a terminal of a width; 0 is unknown. path has the names of the command; an empty one
// is the program, whose commands are listed in their groups.
func Help(app *cli.App, path []string, width int) string {
	if width == 0 {
		width = usualWidth
	}
	h := helpText{width: min(max(width, leastWidth), mostWidth)}
	if len(path) == 0 {
		h.program(app)
	} else {
		h.command(pageAt(app, path))
	}
	return h.b.String()
}

// pageAt describes the command at a path, hidden ones too.
func pageAt(app *cli.App, path []string) page {
	var found *cli.Command
	commands, full := app.Commands, app.Name
	for _, name := range path {
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(name) })
		found = commands[i]
		commands, full = found.Subcommands, full+" "+found.Name
	}
	return pageOf(full, found)
}

// helpText builds a text of a width.
type helpText struct {
	b     strings.Builder
	width int
}

// helpFlag is a flag of each command.
var helpFlag = option{"--help, -h", "show this"}

func (h *helpText) program(app *cli.App) {
	h.section("NAME", app.Name+" - "+app.Usage)
	h.section("USAGE", app.Name+" [FLAG...] COMMAND")
	h.section("VERSION", app.Version)
	h.section("DESCRIPTION", app.Description)
	h.b.WriteString("COMMANDS:\n")
	groups := groupsOf(app)
	var all []option
	for _, g := range groups {
		all = append(all, g.rows()...)
	}
	for _, g := range groups {
		fmt.Fprintf(&h.b, "   %s\n", g.title)
		h.rows(5, column(all), g.rows())
		h.b.WriteString("\n")
	}
	h.flags("GLOBAL OPTIONS", append(options(app.Flags), helpFlag, option{"--version, -v", "print the version"}))
}

func (h *helpText) command(p page) {
	h.section("NAME", p.path+" - "+p.usage)
	h.section("USAGE", p.synopsis())
	h.section("ALSO", strings.Join(p.aliases, ", "))
	h.section("DESCRIPTION", p.description)
	if len(p.commands) > 0 {
		rows := make([]option, len(p.commands))
		for i, sub := range p.commands {
			rows[i] = option{strings.Join(append([]string{sub.name()}, sub.aliases...), ", "), sub.usage}
		}
		h.b.WriteString("COMMANDS:\n")
		h.rows(3, column(rows), rows)
		h.b.WriteString("\n")
	}
	h.flags("OPTIONS", append(p.flags, helpFlag))
}

// section writes a title with a text, whose lines stay as they are unless they are too long. An empty text has no section.
func (h *helpText) section(title, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(&h.b, "%s:\n", title)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || isArranged(line) {
			h.b.WriteString(strings.TrimRight("   "+line, " ") + "\n")
			continue
		}
		for _, part := range fold(line, h.width-3) {
			h.b.WriteString("   " + part + "\n")
		}
	}
	h.b.WriteString("\n")
}

func (h *helpText) flags(title string, all []option) {
	fmt.Fprintf(&h.b, "%s:\n", title)
	h.rows(3, column(all), all)
}

// column returns how wide a column for the names of options is.
func column(all []option) int {
	wide := 0
	for _, o := range all {
		if n := len([]rune(o.names)); n <= maxNames {
			wide = max(wide, n)
		}
	}
	return wide
}

// rows writes names and, from one column on, their meanings.
func (h *helpText) rows(indent, column int, all []option) {
	start := indent + column + 2
	for _, o := range all {
		line := strings.Repeat(" ", indent) + o.names
		if len([]rune(o.names)) > column {
			h.b.WriteString(line + "\n")
			line = ""
		}
		for _, part := range fold(o.meaning, h.width-start) {
			line += strings.Repeat(" ", start-len([]rune(line))) + part
			h.b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = ""
		}
	}
}

// fold breaks a text at its blanks into lines of at most width characters, where its words permit it. It has at least one line.
func fold(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len([]rune(*last))+1+len([]rune(word)) > width:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}
