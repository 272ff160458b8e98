package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const arithmeticReason = "it has arithmetic with variables, which may run a command in a subscript"

// parameterHazard accepts $x, ${x}, ${#x} and ${x:-text} with plain text.
func parameterHazard(p *syntax.ParamExp) string {
	const why = "it has a parameter expansion that may run a command"
	if p.Short {
		return ""
	}
	if p.Param == nil || p.NestedParam != nil || p.Excl || p.Slice != nil || p.Names != 0 || p.Width || p.IsSet || len(p.Modifiers) > 0 || p.Flags != nil {
		return why
	}
	if p.Index != nil && !digits(p.Index) {
		return why
	}
	if p.Repl != nil && (!plainWord(p.Repl.Orig) || !plainWord(p.Repl.With)) {
		return why
	}
	if p.Exp == nil {
		return ""
	}
	if op := p.Exp.Op; (op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull) && steers(p.Param.Value) {
		return "it sets " + p.Param.Value
	}
	if !plainExpansions[p.Exp.Op.String()] || !plainWord(p.Exp.Word) {
		return why
	}
	return ""
}

var plainExpansions = set("-", ":-", "+", ":+", "=", ":=", "?", ":?", "#", "##", "%", "%%", "^", "^^", ",", ",,")

// plainWord reports whether a word is literal text without anything special in it.
func plainWord(w *syntax.Word) bool {
	if w == nil || len(w.Parts) == 0 {
		return true
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && len(w.Parts) == 1 && !strings.ContainsAny(lit.Value, "\\$`<>()[]{}'\"#!&|;~=\n\t")
}

// arithmeticHazard accepts arithmetic with numbers alone.
func arithmeticHazard(x syntax.ArithmExpr) string {
	switch x := x.(type) {
	case *syntax.Word:
		if digits(x) {
			return ""
		}
	case *syntax.BinaryArithm:
		return first(arithmeticHazard(x.X), arithmeticHazard(x.Y))
	case *syntax.ParenArithm:
		return arithmeticHazard(x.X)
	}
	return arithmeticReason
}

// digits reports whether a word is a number, or an index that means all elements.
func digits(x syntax.Node) bool {
	w, ok := x.(*syntax.Word)
	if !ok {
		return false
	}
	value, known := static(w)
	return known && value != "" && (strings.Trim(value, "0123456789") == "" || value == "@" || value == "*")
}
