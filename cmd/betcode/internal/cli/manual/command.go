package manual

import (
	"strings"

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

// pagesOf describes the commands at the top level, in the order of the help.
func pagesOf(app *cli.App) []page {
	var pages []page
	for _, c := range app.Commands {
		if !c.Hidden && c.Name != "help" {
			pages = append(pages, pageOf(app.Name+" "+c.Name, c))
		}
	}
	return pages
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
		if !ok {
			continue
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
		if text := d.GetDefaultText(); text != "" && text != "false" && text != "0" && text != `""` && d.TakesValue() {
			o.meaning += " (default: " + strings.Trim(text, `"`) + ")"
		}
		all = append(all, o)
	}
	return all
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
