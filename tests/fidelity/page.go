package main

import (
	"fmt"
	"strings"
)

// page is docs/fidelity.md.
func (m matrix) page() string {
	var b strings.Builder
	b.WriteString(`# Fidelity

The features that work with each version of Claude Code. Each cell is a scenario played with the
real agent behind the daemon, against a scripted model. ` + "`make fidelity`" + ` writes this page;
` + "`tests/fidelity`" + ` has the scenarios. The abilities of a version, and the differences for people, are
in [compatibility.md](compatibility.md).

| scenario |`)
	for _, v := range m.versions {
		b.WriteString(" " + v + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(m.versions)) + "\n")
	var notes []string
	for _, s := range m.scenarios {
		b.WriteString("| " + s.name + " |")
		for _, v := range m.versions {
			o := m.outcomes[v][s.name]
			b.WriteString(" " + string(o.verdict) + " |")
			if o.verdict == differs {
				notes = append(notes, fmt.Sprintf("- %s, %s: %s", s.name, v, o.detail))
			}
		}
		b.WriteString("\n")
	}
	if len(notes) > 0 {
		b.WriteString("\nWhat differs:\n\n" + strings.Join(notes, "\n") + "\n")
	}
	b.WriteString("\n" + m.summary() + "\n")
	return b.String()
}
