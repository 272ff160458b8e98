package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Kinds of rows.
const (
	kindMessage  = "message"  // a line of the CLI: its type, and the subtype after a slash
	kindMember   = "member"   // of a line
	kindRequest  = "request"  // a control request of either side: its subtype
	kindArgument = "argument" // of a control request
	kindAnswer   = "answer"   // a member of the answer to a control request
)

// maxDepth bounds how deep members are followed.
const maxDepth = 3

// names extracts the rows of a file, without verdicts.
func names(all declarations) []row {
	found := map[row]bool{}
	for _, line := range all.resolve(shape{refs: []string{"StdoutMessage"}}) {
		all.message(line, found)
	}
	for _, request := range all.resolve(shape{refs: []string{"SDKControlRequestInner"}}) {
		for _, subtype := range all.literals(request, "subtype") {
			found[row{kind: kindRequest, name: subtype}] = true
			all.members(request, kindArgument, subtype, 1, found)
		}
	}
	for _, name := range slices.Sorted(keys(all)) {
		if part := answerType.FindStringSubmatch(name); part != nil {
			for _, answer := range all.resolve(shape{refs: []string{name}}) {
				all.members(answer, kindAnswer, snake(part[1]), 1, found)
			}
		}
	}
	for _, name := range []string{"ControlResponse", "ControlErrorResponse"} {
		for _, answer := range all.resolve(shape{refs: []string{name}}) {
			all.members(answer, kindMember, "control_response.response", 2, found)
		}
	}
	rows := slices.SortedFunc(keys(found), row.compare)
	return rows
}

var answerType = regexp.MustCompile(`^SDKControl(\w+)Response$`)

func keys[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// message adds a line and its members.
func (all declarations) message(line shape, found map[row]bool) {
	for _, kind := range all.literals(line, "type") {
		prefixes := []string{kind}
		subtypes := all.literals(line, "subtype")
		for _, subtype := range subtypes {
			found[row{kind: kindMessage, name: kind + "/" + subtype}] = true
		}
		if len(subtypes) == 0 {
			found[row{kind: kindMessage, name: kind}] = true
		}
		if kind == "system" { // its lines have little in common
			prefixes = nil
			for _, subtype := range subtypes {
				prefixes = append(prefixes, kind+"/"+subtype)
			}
		}
		for _, prefix := range prefixes {
			all.members(line, kindMember, prefix, 1, found)
		}
	}
}

// members adds the members of a shape, recursively. Discriminators and the content of a request
// have rows of their own.
func (all declarations) members(s shape, kind, prefix string, depth int, found map[row]bool) {
	for _, m := range s.members {
		if depth == 1 && (m.name == "type" || m.name == "subtype") || kind == kindMember && m.name == "request" {
			continue
		}
		name := prefix + "." + m.name
		if m.name != "*" {
			found[row{kind: kind, name: name}] = true
		}
		if depth == maxDepth {
			continue
		}
		for _, inner := range all.resolve(m.is) {
			all.members(inner, kind, name, depth+1, found)
		}
	}
}

// resolve returns the alternatives of a type that have members: its own together, and
// those of each type that it names.
func (all declarations) resolve(s shape) []shape {
	var alternatives []shape
	seen := map[string]bool{}
	var walk func(shape)
	walk = func(s shape) {
		if len(s.members) > 0 {
			alternatives = append(alternatives, s)
		}
		for _, name := range s.refs {
			if named, declared := all[name]; declared && !seen[name] {
				seen[name] = true
				walk(named)
			}
		}
	}
	walk(s)
	return alternatives
}

// literals are the values that a member may have.
func (all declarations) literals(s shape, name string) []string {
	var values []string
	for _, m := range s.members {
		if m.name == name {
			values = append(values, m.is.literals...)
			for _, ref := range m.is.refs {
				values = append(values, all[ref].literals...)
			}
		}
	}
	return values
}

// snake is a name of a type as the protocol writes it: "McpReadResource" is
// "mcp_read_resource".
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// compare orders rows by kind and name.
func (r row) compare(other row) int {
	order := []string{kindMessage, kindMember, kindRequest, kindArgument, kindAnswer}
	return cmp.Or(cmp.Compare(slices.Index(order, r.kind), slices.Index(order, other.kind)), cmp.Compare(r.name, other.name))
}
