// Package plangraph shows the steps of an orchestration as a graph: as lines for a terminal, in the DOT language of Graphviz,
// and as a Mermaid flowchart.
package plangraph

import (
	"fmt"
	"strings"

	"betcode/cmd/betcode/internal/console"
)

// Node is one step.
type Node struct {
	ID, Name  string
	DependsOn []string
	Merge     string // the branch into which it merges; empty = it runs an agent
	Status    string // pending, running, completed …; empty = it is only planned
	Attempt   uint32 // from 1; 0 = none
	Note      string // the reason of a failure, or the result; on one line
}

// Title returns id and name.
func (n Node) Title() string {
	if n.Name == "" || n.Name == n.ID {
		return n.ID
	}
	return n.ID + " (" + n.Name + ")"
}

// marks are the signs of statuses, for terminals.
var marks = map[string]string{
	"": "·", "pending": "·", "waiting": "…", "running": "▶", "cancelling": "◼", "completed": "✓", "failed": "✗", "blocked": "⊘", "cancelled": "◼",
}

// Lines returns a line for each step, in an order in which each follows its dependencies.
func Lines(nodes []Node, style console.Style, width int) []string {
	var lines []string
	for _, n := range ordered(nodes) {
		lines = append(lines, line(n, style, max(width, 22)))
	}
	return lines
}

// ordered sorts nodes so that each follows its dependencies, and otherwise as they were. Its time grows with the edges. Nodes
// of a cycle come last.
func ordered(nodes []Node) []Node {
	place, missing := make(map[string]int, len(nodes)), make([]int, len(nodes))
	dependants := make([][]int, len(nodes))
	for i, n := range nodes {
		place[n.ID] = i
	}
	for i, n := range nodes {
		for _, d := range n.DependsOn {
			if at, known := place[d]; known {
				missing[i]++
				dependants[at] = append(dependants[at], i)
			}
		}
	}
	var queue, rest []int
	for i := range nodes {
		if missing[i] == 0 {
			queue = append(queue, i)
		}
	}
	var out []Node
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		out = append(out, nodes[at])
		for _, d := range dependants[at] {
			if missing[d]--; missing[d] == 0 {
				queue = append(queue, d)
			}
		}
	}
	for i, n := range missing {
		if n > 0 {
			rest = append(rest, i)
		}
	}
	for _, i := range rest {
		out = append(out, nodes[i])
	}
	return out
}

// colours are those of statuses in both languages.
var colours = map[string]string{
	"running": "#fff3bf", "waiting": "#fff3bf", "completed": "#d3f9d8", "failed": "#ffc9c9", "blocked": "#e9ecef", "cancelling": "#ffe8cc", "cancelled": "#ffe8cc",
}

// DOT returns the graph in the language of Graphviz.
func DOT(nodes []Node) string {
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white];\n")
	for _, n := range nodes {
		fmt.Fprintf(&b, "  %s [label=%s", dotText(n.ID), dotText(label(n, "\n")))
		if n.Merge != "" {
			b.WriteString(", shape=hexagon, style=filled")
		}
		if colour := colours[n.Status]; colour != "" {
			fmt.Fprintf(&b, ", fillcolor=%s", dotText(colour))
		}
		b.WriteString("];\n")
	}
	for _, n := range nodes {
		for _, d := range n.DependsOn {
			fmt.Fprintf(&b, "  %s -> %s;\n", dotText(d), dotText(n.ID))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// dotText quotes text for DOT. Its lines are those of the label; control characters are escaped.
func dotText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(console.Text(text)) + `"`
}

// Mermaid returns the graph as a Mermaid flowchart.
func Mermaid(nodes []Node) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names := make(map[string]string, len(nodes))
	for i, n := range nodes {
		names[n.ID] = fmt.Sprintf("s%d", i+1) // ids may be words of the language
		left, right := "[", "]"
		if n.Merge != "" {
			left, right = "{{", "}}"
		}
		fmt.Fprintf(&b, "  %s%s\"%s\"%s\n", names[n.ID], left, mermaidText(label(n, "\n")), right)
	}
	for _, n := range nodes {
		for _, d := range n.DependsOn {
			if names[d] != "" {
				fmt.Fprintf(&b, "  %s --> %s\n", names[d], names[n.ID])
			}
		}
	}
	for _, n := range nodes {
		if colour := colours[n.Status]; colour != "" {
			fmt.Fprintf(&b, "  style %s fill:%s\n", names[n.ID], colour)
		}
	}
	return b.String()
}

// mermaidText writes text as Mermaid shows it between quotes.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '\n':
			b.WriteString("<br/>")
		case '"', '<', '>', '&', '#', ';', '`':
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// label is the text in a box. The daemon bounds what an id is made of; this does not rely on it.
func label(n Node, end string) string {
	text := console.Line(n.ID)
	if n.Name != "" && n.Name != n.ID {
		text += end + console.Line(n.Name)
	}
	if n.Merge != "" {
		text += end + "⇒ " + console.Line(n.Merge)
	}
	if n.Status != "" {
		text += end + console.Line(n.Status)
	}
	return text
}
