package main

import (
	"fmt"
	"regexp"
	"strings"
)

// shape is the JSON form of a TypeScript type: its literals and its members. Members of all
// alternatives of a union are together; the order is that of the file.
type shape struct {
	literals []string
	members  []member
	refs     []string // names of other types, whose members are added
}

// member is a property of an object. Its name is "*" where any key may stand.
type member struct {
	name string
	is   shape
}

// declarations are the types of a file, by name.
type declarations map[string]shape

var (
	declared = regexp.MustCompile(`(?m)^(?:export )?declare (?:type|interface) (\w+)(?:<[^=]*?>)? (?:extends [^{]*)?(?:= )?`)
	token    = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\w$.]+|=>|[^\s\w]`)
	comments = regexp.MustCompile(`(?s)/\*.*?\*/`)
)

// parse reads the declarations of types of a .d.ts file. What it does not know (functions,
// conditional types) has no members.
func parse(text string) (declarations, error) {
	text = comments.ReplaceAllString(text, "")
	all := declarations{}
	for _, at := range declared.FindAllStringSubmatchIndex(text, -1) {
		p := parser{tokens: token.FindAllString(until(text[at[1]:]), -1)}
		all[text[at[2]:at[3]]] = p.union()
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no declarations of types in %d bytes", len(text))
	}
	return all, nil
}

// until returns a text up to the next declaration.
func until(text string) string {
	if end := nextDeclaration.FindStringIndex(text); end != nil {
		return text[:end[0]]
	}
	return text
}

var nextDeclaration = regexp.MustCompile(`(?m)^(?:export |declare )`)

// parser reads one type from a list of tokens.
type parser struct{ tokens []string }

func (p *parser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *parser) next() string {
	t := p.peek()
	if t != "" {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) take(t string) bool {
	if p.peek() != t {
		return false
	}
	p.next()
	return true
}

// union reads alternatives and intersections, which are added together.
func (p *parser) union() shape {
	var s shape
	p.take("|")
	for {
		s.add(p.postfix())
		if !p.take("|") && !p.take("&") {
			return s
		}
	}
}

func (s *shape) add(other shape) {
	s.literals = append(s.literals, other.literals...)
	s.members = append(s.members, other.members...)
	s.refs = append(s.refs, other.refs...)
}

// postfix reads a type and the [] behind it: a list is what its elements are.
func (p *parser) postfix() shape {
	s := p.primary()
	for p.take("[") {
		p.skipTo("]")
	}
	if p.take("=>") { // a function
		p.union()
		return shape{}
	}
	return s
}

func (p *parser) primary() shape {
	switch t := p.next(); {
	case t == "{":
		return shape{members: p.members()}
	case t == "(":
		s := p.union()
		p.skipTo(")")
		return s
	case t == "[":
		p.skipTo("]")
		return shape{}
	case t == "readonly", t == "keyof", t == "typeof":
		return p.postfix()
	case strings.HasPrefix(t, "'"), strings.HasPrefix(t, `"`):
		return shape{literals: []string{t[1 : len(t)-1]}}
	case p.peek() == "<":
		return p.generic(t)
	default:
		return shape{refs: []string{t[strings.LastIndexByte(t, '.')+1:]}}
	}
}

// generic reads the arguments of a type. Only containers are known.
func (p *parser) generic(name string) shape {
	p.next()
	arguments := []shape{p.union()}
	for p.take(",") {
		arguments = append(arguments, p.union())
	}
	p.skipTo(">")
	last := arguments[len(arguments)-1]
	switch name {
	case "Record":
		return shape{members: []member{{name: "*", is: last}}}
	case "Array", "ReadonlyArray", "Partial", "Readonly", "Required":
		return last
	}
	return shape{refs: []string{name}}
}

// members parses the members between braces.
func (p *parser) members() []member {
	var all []member
	for p.peek() != "" && !p.take("}") {
		p.take("readonly")
		name := strings.Trim(p.next(), `'"`)
		if name == "[" { // an index signature
			p.skipTo("]")
			name = "*"
		}
		p.take("?")
		if !p.take(":") { // a method
			p.skipTo(";")
			continue
		}
		all = append(all, member{name, p.union()})
		p.skipTo(";")
	}
	return all
}

// skipTo passes over tokens up to an end at this level.
func (p *parser) skipTo(end string) {
	for depth := 0; p.peek() != ""; {
		switch t := p.peek(); {
		case depth == 0 && t == end:
			p.next()
			return
		case depth == 0 && t == "}": // a last member without a semicolon
			return
		case t == "{", t == "(", t == "[", t == "<":
			depth++
		case t == "}", t == ")", t == "]", t == ">":
			depth--
		}
		p.next()
	}
}
