package rules

import "strings"

// The glob library tries every combination of the alternatives in braces. Its run time is
// exponential: two dozen pairs of braces never finish. Deny rules of a directory apply without
// trust, so a repository could use that. Braces are therefore expanded when a rule is read, into
// a bounded number of globs.
const (
	maxGlob         = 1 << 10 // bytes of a pattern for files
	maxAlternatives = 64
)

// alternatives returns the globs without braces that a glob stands for. It is not ok if
// they are too many.
func alternatives(glob string) (all []string, ok bool) {
	if len(glob) > maxGlob {
		return nil, false
	}
	begin := brace(glob)
	if begin < 0 {
		return []string{glob}, true
	}
	parts, end := inBraces(glob, begin+1)
	if end < 0 {
		return nil, false
	}
	for _, part := range parts {
		if strings.Count(part, "[") != strings.Count(part, "]") {
			return nil, false // a class would go on behind the brace
		}
		if before, after := glob[:begin], glob[end+1:]; stars(before, part) || stars(part, after) || part == "" && (strings.HasSuffix(before, "*") || strings.HasPrefix(after, "*")) {
			return nil, false // stars that meet, or that lose a neighbour, may cross directories
		}
		inner, ok := alternatives(glob[:begin] + part + glob[end+1:])
		if all = append(all, inner...); !ok || len(all) > maxAlternatives {
			return nil, false
		}
	}
	return all, true
}

// stars reports whether two stars would meet.
func stars(before, after string) bool {
	return strings.HasSuffix(before, "*") && strings.HasPrefix(after, "*")
}

// brace returns where the first brace opens, -1 if none does.
func brace(glob string) int {
	class := false
	for n := 0; n < len(glob); n++ {
		switch c := glob[n]; {
		case c == '\\':
			n++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			return n
		}
	}
	return -1
}

// inBraces returns the parts between the commas of a brace that opens before a
// place, and where it closes, -1 if it does not.
func inBraces(glob string, from int) (parts []string, end int) {
	depth, begin := 0, from
	for n := from; n < len(glob); n++ {
		switch c := glob[n]; {
		case c == '\\':
			n++
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}':
			return append(parts, glob[begin:n]), n
		case c == ',' && depth == 0:
			parts, begin = append(parts, glob[begin:n]), n+1
		}
	}
	return nil, -1
}
