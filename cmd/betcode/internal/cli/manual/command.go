package manual

import (
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// page is the description of one command.
type page struct {
	path        string // as it is typed: "betcode session list"
	aliases     []string
	usage       string
	arguments   string
	description string
	flags       []option
	commands    []page
}

// option is a flag with its meaning.
type option struct{ names, meaning string }

// pageOf describes a command and those below it. Hidden ones are left out.
func pageOf(path string, c *cli.Command) page {
	p := page{
		path: path, aliases: c.Aliases, usage: c.Usage, arguments: c.ArgsUsage, description: c.Description, flags: options(c.VisibleFlags()),
	}
	if p.arguments == " " {
		p.arguments = ""
	}
	for _, sub := range c.Subcommands {
		if !sub.Hidden {
			p.commands = append(p.commands, pageOf(path+" "+sub.Name, sub))
		}
	}
	return p
}

// name is the last word of the path.
func (p page) name() string { return p.path[strings.LastIndex(p.path, " ")+1:] }

// group is the commands of one category.
type group struct {
	title string
	pages []page
}

// groupsOf describes the commands at the top level by category, in the order of the table. Hidden ones are left out.
func groupsOf(app *cli.App) []group {
	var groups []group
	for _, c := range app.Commands {
		if c.Hidden {
			continue
		}
		if n := len(groups); n == 0 || groups[n-1].title != c.Category {
			groups = append(groups, group{title: c.Category})
		}
		last := &groups[len(groups)-1]
		last.pages = append(last.pages, pageOf(app.Name+" "+c.Name, c))
	}
	return groups
}

// rows are the commands of a group with what they do.
func (g group) rows() []option {
	rows := make([]option, len(g.pages))
	for i, p := range g.pages {
		rows[i] = option{p.name(), p.usage}
	}
	return rows
}

// documented returns the groups without the command that prints what the manual has.
func documented(app *cli.App) []group {
	groups := groupsOf(app)
	for i := range groups {
		groups[i].pages = slices.DeleteFunc(groups[i].pages, func(p page) bool { return p.name() == "help" })
	}
	return groups
}

// isArranged reports whether the blanks of a text arrange it, as in a table.
func isArranged(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") || strings.Contains(line, "  ") {
			return true
		}
	}
	return false
}

// synopsis is how the command is typed.
func (p page) synopsis() string {
	words := []string{p.path}
	if len(p.commands) > 0 {
		words = append(words, "COMMAND")
	}
	if len(p.flags) > 0 {
		words = append(words, "[FLAG...]")
	}
	if p.arguments != "" {
		words = append(words, p.arguments)
	}
	return strings.Join(words, " ")
}

// options describes flags. A word in backquotes in a usage is the name of the value.
func options(flags []cli.Flag) []option {
	all := make([]option, 0, len(flags))
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if name := f.Names()[0]; !ok || name == cli.HelpFlag.Names()[0] || name == cli.VersionFlag.Names()[0] {
			continue // the library adds these two to a table that it has used
		}
		value, meaning := cut(d.GetUsage())
		names := make([]string, 0, len(f.Names()))
		for _, name := range f.Names() {
			dashes := "--"
			if len(name) == 1 {
				dashes = "-"
			}
			names = append(names, dashes+name)
		}
		o := option{names: strings.Join(names, ", "), meaning: meaning}
		if d.TakesValue() {
			if value == "" {
				value = "VALUE"
			}
			o.names += " " + value
		}
		if text := defaultOf(d); text != "" {
			o.meaning += " (default: " + text + ")"
		}
		all = append(all, o)
	}
	return all
}

// defaultOf returns the value of a flag that is not given, if it is one that a person would give.
func defaultOf(f cli.DocGenerationFlag) string {
	text := strings.Trim(f.GetDefaultText(), `"`)
	if long, err := time.ParseDuration(text); err == nil && long > 0 {
		text = duration(long)
	}
	switch text {
	case "0", "0s", "false":
		return ""
	}
	if !f.TakesValue() {
		return ""
	}
	return text
}

// duration writes a duration without the parts that are zero: "1m" for "1m0s".
func duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// cut takes the name of the value out of its backquotes.
func cut(usage string) (value, text string) {
	before, rest, found := strings.Cut(usage, "`")
	if !found {
		return "", usage
	}
	value, after, _ := strings.Cut(rest, "`")
	return value, before + value + after
}
