package manual

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// lineWidth is how long a line of a document may be.
const lineWidth = 100

// Markdown returns docs/cli.md.
func Markdown(app *cli.App) string {
	var b strings.Builder
	b.WriteString("# Command line\n\n")
	b.WriteString(wrap("", "This page is generated from the table of commands: `go test ./cmd/betcode/internal/cli -run TestManual -update`. "+
		"`betcode help COMMAND` prints the same, and `man betcode-COMMAND` after `make install`. Exit codes, variables and forms of output: "+
		"`betcode help exit-codes`, `environment` and `formatting`."))
	b.WriteString("\n" + wrap("", plain(app.Description)))
	groups := documented(app)
	b.WriteString("\n")
	for _, g := range groups {
		links := make([]string, len(g.pages))
		for i, p := range g.pages {
			links[i] = fmt.Sprintf("[%s](#%s)", p.name(), fileName(p.path))
		}
		b.WriteString(wrap("  ", "- "+g.title+": "+strings.Join(links, ", ")))
	}
	b.WriteString("\n## Flags of all commands\n\n")
	writeOptions(&b, options(app.Flags))
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g.title)
		for _, p := range g.pages {
			p.markdown(&b, "###")
		}
	}
	return b.String()
}

func (p page) markdown(b *strings.Builder, level string) {
	fmt.Fprintf(b, "\n%s %s\n\n", level, p.path)
	b.WriteString(wrap("", sentence(p.usage)))
	fmt.Fprintf(b, "\n```\n%s\n```\n", p.synopsis())
	for _, paragraph := range paragraphs(p.description) {
		if isArranged(paragraph) {
			fmt.Fprintf(b, "\n```\n%s\n```\n", paragraph)
		} else {
			b.WriteString("\n" + wrap("", plain(paragraph)))
		}
	}
	if len(p.aliases) > 0 {
		b.WriteString("\n" + wrap("", "Also: `"+strings.Join(p.aliases, "`, `")+"`."))
	}
	if len(p.flags) > 0 {
		b.WriteString("\n")
		writeOptions(b, p.flags)
	}
	for _, sub := range p.commands {
		sub.markdown(b, level+"#")
	}
}

func writeOptions(b *strings.Builder, all []option) {
	for _, o := range all {
		b.WriteString(wrap("  ", "- `"+o.names+"`: "+plain(o.meaning)))
	}
}

// paragraphs are the parts of a text between empty lines.
func paragraphs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.Trim(text, "\n"), "\n\n")
}

// sentence is a usage as a sentence.
func sentence(usage string) string {
	if usage == "" {
		return ""
	}
	return strings.ToUpper(usage[:1]) + plain(usage[1:]) + "."
}

// plain keeps Markdown from reading text as something else.
func plain(text string) string {
	return strings.NewReplacer("<", "\\<", "*", "\\*", "_", "\\_", "|", "\\|").Replace(text)
}

// wrap breaks a text into lines; those behind the first begin with the indentation. Line breaks of the text begin a new
// paragraph where an empty line follows, and are blanks elsewhere.
func wrap(indent, text string) string {
	var b strings.Builder
	for n, paragraph := range strings.Split(text, "\n\n") {
		if n > 0 {
			b.WriteString("\n")
		}
		line := ""
		for _, word := range strings.Fields(paragraph) {
			switch {
			case line == "":
				line = word
			case len([]rune(line))+1+len([]rune(word)) > lineWidth:
				b.WriteString(line + "\n")
				line = indent + word
			default:
				line += " " + word
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
