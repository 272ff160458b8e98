package manual

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
)

// Topic is a page of section 7, whose text the program prints as well.
type Topic struct{ Name, Title, Text string }

// Roff returns the pages of man by the names of their files below a directory such as /usr/share/man: betcode(1), one for
// each command, and one in section 7 for each topic. date is that of the build, so that the same build gives the same bytes.
func Roff(app *cli.App, date string, topics []Topic) map[string]string {
	pages := map[string]string{filepath.Join("man1", app.Name+".1"): overview(app, date, topics)}
	for _, g := range documented(app) {
		for _, p := range g.pages {
			if !isTopic(topics, p.path, app.Name) {
				pages[filepath.Join("man1", fileName(p.path)+".1")] = p.roff(app, date)
			}
		}
	}
	for _, t := range topics {
		name := app.Name + "-" + t.Name
		pages[filepath.Join("man7", name+".7")] = header(name, 7, date, app.Version) + ".SH NAME\n" + escape(name+" - "+t.Title) +
			"\n.SH DESCRIPTION\n.nf\n" + lines(t.Text) + ".fi\n.SH SEE ALSO\n.BR " + app.Name + " (1)\n"
	}
	return pages
}

func isTopic(topics []Topic, path, program string) bool {
	for _, t := range topics {
		if path == program+" "+t.Name {
			return true
		}
	}
	return false
}

func fileName(path string) string { return strings.ReplaceAll(path, " ", "-") }

func header(name string, section int, date, version string) string {
	return fmt.Sprintf(".\\\" Generated from the table of commands.\n.TH %s %d %q %q %q\n", strings.ToUpper(escape(name)), section, date, "betcode "+version, "betcode")
}

// overview is betcode(1).
func overview(app *cli.App, date string, topics []Topic) string {
	var b strings.Builder
	b.WriteString(header(app.Name, 1, date, app.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s\n", escape(app.Name+" - "+app.Usage))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n[FLAG...] COMMAND\n", app.Name)
	b.WriteString(".SH DESCRIPTION\n" + described(app.Description))
	b.WriteString(".SH COMMANDS\n")
	for _, g := range documented(app) {
		title := ".SS " + escape(g.title) + "\n"
		for _, p := range g.pages {
			if !isTopic(topics, p.path, app.Name) {
				fmt.Fprintf(&b, "%s.TP\n.BR %s (1)\n%s\n", title, escape(fileName(p.path)), escape(p.usage))
				title = ""
			}
		}
	}
	b.WriteString(".SH OPTIONS\n" + roffOptions(options(app.Flags)))
	b.WriteString(".SH SEE ALSO\n")
	for i, t := range topics {
		comma := ","
		if i == len(topics)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, ".BR %s (7)%s\n", escape(app.Name+"-"+t.Name), comma)
	}
	return b.String()
}

// roff is the page of a command, with those below it.
func (p page) roff(app *cli.App, date string) string {
	var b strings.Builder
	b.WriteString(header(fileName(p.path), 1, date, app.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s\n", escape(fileName(p.path)+" - "+p.usage))
	b.WriteString(".SH SYNOPSIS\n.nf\n")
	for _, s := range p.leaves() {
		b.WriteString(lines(s.synopsis()))
	}
	b.WriteString(".fi\n")
	p.sections(&b)
	fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", app.Name)
	return b.String()
}

func (p page) sections(b *strings.Builder) {
	if len(p.commands) == 0 {
		if p.description != "" {
			b.WriteString(".SH DESCRIPTION\n" + described(p.description))
		}
		if len(p.flags) > 0 {
			b.WriteString(".SH OPTIONS\n" + roffOptions(p.flags))
		}
		return
	}
	b.WriteString(".SH COMMANDS\n")
	for _, s := range p.leaves() {
		fmt.Fprintf(b, ".SS %s\n%s\n", escape(strings.TrimPrefix(s.path, "betcode ")), escape(sentenceOf(s.usage)))
		if s.description != "" {
			b.WriteString(".PP\n" + described(s.description))
		}
		b.WriteString(roffOptions(s.flags))
	}
}

// leaves are the commands that do something: this one, unless it only has others below it, and those.
func (p page) leaves() []page {
	var all []page
	if len(p.commands) == 0 || len(p.flags) > 0 {
		all = append(all, p)
	}
	for _, sub := range p.commands {
		all = append(all, sub.leaves()...)
	}
	return all
}

func sentenceOf(usage string) string {
	if usage == "" {
		return ""
	}
	return strings.ToUpper(usage[:1]) + usage[1:] + "."
}

func roffOptions(all []option) string {
	var b strings.Builder
	for _, o := range all {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", escape(o.names), escape(o.meaning))
	}
	return b.String()
}

// described are the paragraphs of a text. One that blanks arrange keeps its lines.
func described(text string) string {
	var b strings.Builder
	for i, paragraph := range paragraphs(text) {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if isArranged(paragraph) {
			b.WriteString(".nf\n" + lines(paragraph) + ".fi\n")
		} else {
			b.WriteString(lines(paragraph))
		}
	}
	return b.String()
}

func lines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(escape(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}

// escape keeps a line from being read as a request: a backslash, a hyphen that is to be copied, and a dot or quote that begins
// it.
func escape(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
