package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// step is a line of an exchange.
type step struct {
	line int
	peer string // empty: of the stage
	verb byte   // '>', '<', '*', '/' or '!'
	text string
	only string // digits of generations; empty = all
}

// exchange is one file.
type exchange struct {
	name  string
	steps []step
}

var stepForm = regexp.MustCompile(`^(?:\[([123]+)\] )?(?:(!)|([A-Z])([></*]))(?: (.*))?$`)

// readExchange reads a file.
func readExchange(name string, r io.Reader) (exchange, error) {
	x := exchange{name: name}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := stepForm.FindStringSubmatch(line)
		if m == nil {
			return x, fmt.Errorf("%s:%d: not a step: %s", name, n, line)
		}
		x.steps = append(x.steps, step{line: n, only: m[1], peer: m[3], verb: (m[2] + m[4])[0], text: m[5]})
	}
	return x, lines.Err()
}

// in reports whether a step is one of a generation; 0 is the socket's.
func (s step) in(generation int) bool {
	return s.only == "" || strings.Contains(s.only, fmt.Sprint(generation))
}

// names are what an exchange has named so far.
type names map[string]string

var (
	hole    = regexp.MustCompile(`…|\{[a-z]+\}`)
	literal = regexp.MustCompile(`\$[A-Z]+|\{[a-z]+\}`)
)

// fill replaces names by their values.
func (n names) fill(text string) string {
	return literal.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := n[name]; ok {
			return value
		}
		return name
	})
}

// match reports whether a frame matches a pattern, and stores the values of its names.
func (n names) match(pattern, frame string) bool {
	pattern = n.fill(pattern)
	var form strings.Builder
	var found []string
	rest := 0
	for _, at := range hole.FindAllStringIndex(pattern, -1) {
		form.WriteString(regexp.QuoteMeta(pattern[rest:at[0]]))
		if name := pattern[at[0]:at[1]]; name == "…" {
			form.WriteString(`[\s\S]*?`)
		} else {
			form.WriteString(`([^"\\]+)`)
			found = append(found, name)
		}
		rest = at[1]
	}
	form.WriteString(regexp.QuoteMeta(pattern[rest:]))
	m := regexp.MustCompile(`^` + form.String() + `$`).FindStringSubmatch(frame)
	if m == nil {
		return false
	}
	for i, name := range found {
		n[name] = m[i+1]
	}
	return true
}
