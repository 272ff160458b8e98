package plangraph

import (
	"fmt"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/console"
)

// Row is a row of a tree.
type Row struct {
	ID   string // of the step
	Text string
}

// Tree returns a row for each step, below the dependency that comes last before it. Its other dependencies are named behind it.
func Tree(nodes []Node, style console.Style, width int) []Row {
	nodes = ordered(nodes)
	depth := map[string]int{}
	children := map[string][]Node{}
	others := map[string][]string{}
	for _, n := range nodes {
		parent := ""
		for _, d := range n.DependsOn {
			if at, known := depth[d]; known && (parent == "" || at > depth[parent]) {
				parent = d
			}
		}
		if depth[n.ID] = 0; parent != "" {
			depth[n.ID] = depth[parent] + 1
		}
		children[parent] = append(children[parent], n)
		others[n.ID] = slices.DeleteFunc(slices.Clone(n.DependsOn), func(d string) bool { return d == parent })
	}
	var rows []Row
	var below func(parent, indent string)
	below = func(parent, indent string) {
		for i, n := range children[parent] {
			branch, next := "", ""
			if parent != "" {
				branch, next = "├ ", "│ "
				if i == len(children[parent])-1 {
					branch, next = "└ ", "  "
				}
			}
			if len(indent) > 60 { // deep plans stay readable
				branch, next = "", ""
			}
			n.DependsOn = others[n.ID]
			room := max(width-len([]rune(indent+branch)), 10)
			rows = append(rows, Row{n.ID, style.Dim(indent+branch) + line(n, style, room)})
			below(n.ID, indent+next)
		}
	}
	below("", "")
	return rows
}

// line returns the text for a step.
func line(n Node, style console.Style, width int) string {
	mark := marks[n.Status]
	switch n.Status {
	case "completed":
		mark = style.Green(mark)
	case "failed", "blocked":
		mark = style.Red(mark)
	case "running", "waiting", "cancelling", "cancelled":
		mark = style.Yellow(mark)
	}
	text := console.Line(n.Title())
	if n.Status != "" && n.Status != "pending" && n.Status != "completed" {
		text += " " + n.Status
	}
	if n.Attempt > 1 {
		text += fmt.Sprintf(" (attempt %d)", n.Attempt)
	}
	if len(n.DependsOn) > 0 {
		text += " ← " + console.Line(strings.Join(n.DependsOn, ", "))
	}
	if n.Merge != "" {
		text += " ⇒ " + console.Line(n.Merge)
	}
	if n.Note != "" {
		text += ": " + console.Line(n.Note)
	}
	return mark + " " + console.Shorten(text, max(width-2, 8))
}
