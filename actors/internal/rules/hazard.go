package rules

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A rule that forbids needs to see every command that will run. Hazards are constructs that
// hide commands: those that shells and the parser read differently, and those
// that evaluate text as commands or as names of variables.

// misread names the part of a command's text that the parser and a shell may read
// differently.
func misread(command string) string {
	for n := range len(command) {
		if control(command[n]) {
			return "it has a control character other than newline and tab"
		}
	}
	switch {
	case strings.Contains(command, "<(") || strings.Contains(command, ">("):
		return "it has a process substitution"
	case numericGlob.MatchString(command):
		return "it has what zsh takes for a glob and other shells for redirections"
	case strings.Contains(command, "$["):
		return "it has an old form of arithmetic"
	case !tameContinuations(command):
		return "it has a backslash before a newline"
	}
	return ""
}

var numericGlob = regexp.MustCompile(`<[0-9]*-[0-9]*>`)

// tameContinuations reports whether every backslash-newline follows a blank, in
// a command without the constructs in which shells and the parser differ about it.
func tameContinuations(command string) bool {
	if !strings.Contains(command, "\\\n") {
		return true
	}
	for _, sign := range []string{"#", "<<", "${", "$(", "((", "[[", "`", "$'", "'"} {
		if strings.Contains(command, sign) {
			return false
		}
	}
	for rest := command; ; {
		before, after, more := strings.Cut(rest, "\\\n")
		if !more {
			return true
		}
		if !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\t") || strings.HasSuffix(strings.TrimRight(before, " \t"), "\\") {
			return false
		}
		rest = after
	}
}

// hazard returns why a part of a command may hide commands.
func hazard(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if (r.Op == syntax.RdrAll || r.Op == syntax.AppAll) && n.Cmd != nil && n.Cmd.End().After(r.Pos()) {
				return "it has words behind the redirection &>, which dash takes for a command"
			}
		}
	case *syntax.FuncDecl:
		return "it defines a function"
	case *syntax.CoprocClause, *syntax.TestDecl:
		return "it has a construct that shells read differently"
	case *syntax.SglQuoted:
		if n.Dollar && strings.Contains(n.Value, `\'`) {
			return "it has a quote in $'…', which dash ends there"
		}
	case *syntax.ExtGlob:
		return "it has an extended glob"
	case *syntax.ProcSubst:
		return "it has a process substitution"
	case *syntax.CmdSubst:
		if n.Backquotes || n.TempFile || n.ReplyVar {
			return "it has a command substitution that is not written $(…)"
		}
	case *syntax.ParamExp:
		return parameterHazard(n)
	case *syntax.ArithmExp:
		return arithmeticHazard(n.X)
	case *syntax.ArithmCmd:
		return arithmeticHazard(n.X)
	case *syntax.LetClause:
		return arithmeticReason
	case *syntax.CStyleLoop:
		return arithmeticReason
	case *syntax.UnaryTest:
		if !plainTests[n.Op.String()] {
			return "it has the test clause [[ " + n.Op.String() + " … ]]"
		}
	case *syntax.BinaryTest:
		if plainTests[n.Op.String()] || digits(n.X) && digits(n.Y) {
			return ""
		}
		return "it has the test clause [[ … " + n.Op.String() + " … ]]"
	case *syntax.DeclClause:
		return declarationHazard(n)
	case *syntax.Assign:
		return assignmentHazard(n)
	case *syntax.WordIter:
		if steers(n.Name.Value) {
			return "it sets " + n.Name.Value
		}
	case *syntax.Redirect:
		return redirectHazard(n)
	}
	return ""
}

var plainTests = set("-e", "-a", "-f", "-d", "-x", "-r", "-w", "-s", "-L", "-h", "-z", "-n", "!", "==", "=", "!=", "=~", "&&", "||", "<", ">", "-nt", "-ot", "-ef")

func declarationHazard(d *syntax.DeclClause) string {
	for _, a := range d.Args {
		switch {
		case a.Name == nil:
			text := loose(a.Value)
			if open(text) || strings.ContainsAny(text, "nif[=") {
				return "it declares variables in a way that may evaluate text"
			}
		case steers(a.Name.Value):
			return "it sets " + a.Name.Value
		}
	}
	return ""
}

func assignmentHazard(a *syntax.Assign) string {
	const why = "it sets a variable in a way that may evaluate text"
	if a.Index != nil && !digits(a.Index) {
		return why
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Index != nil && !digits(e.Index) {
				return why
			}
		}
	}
	if a.Name != nil && steers(a.Name.Value) {
		return "it sets " + a.Name.Value
	}
	if a.Value != nil && subscript(loose(a.Value)) {
		return why
	}
	return ""
}

// redirectHazard requires the end of a here-document to be one plain word, which shells
// and the parser look for in the same way.
func redirectHazard(r *syntax.Redirect) string {
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		return "it has a redirection that sets a variable"
	}
	if r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc {
		return ""
	}
	const why = "it has a here-document whose end may be read differently"
	if r.Word == nil || len(r.Word.Parts) != 1 {
		return why
	}
	var end string
	switch p := r.Word.Parts[0].(type) {
	case *syntax.Lit:
		end = p.Value
	case *syntax.SglQuoted:
		if end = p.Value; p.Dollar {
			return why
		}
	case *syntax.DblQuoted:
		lit, ok := (*syntax.Lit)(nil), false
		if len(p.Parts) == 1 && !p.Dollar {
			lit, ok = p.Parts[0].(*syntax.Lit)
		}
		if !ok {
			return why
		}
		end = lit.Value
	}
	for n := range len(end) {
		if c := end[n]; !letter(c) && !digit(c) && c != '_' {
			return why
		}
	}
	if end == "" {
		return why
	}
	return ""
}
