package completion

import "strings"

// Line is a command line of bash up to the cursor.
//
// Bash gives a completion the line as it was typed, and replaces only the text behind the last character of COMP_WORDBREAKS that is
// not quoted: of a:b it replaces b. What it puts there it neither quotes nor reads again.
type Line struct {
	Words []string // without quotes, behind the name of the program; the last one is completed and may be empty
	kept  int      // bytes of the last word that bash keeps
	quote byte     // the open quote, or 0
}

// ParseLine reads a line with the characters of COMP_WORDBREAKS. Nothing is expanded.
func ParseLine(line, breaks string) Line {
	var l Line
	var word strings.Builder
	inside := false // a word that may be empty has begun
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch {
		case l.quote == '\'' && b != '\'', l.quote == '"' && b != '"' && b != '\\':
			word.WriteByte(b)
		case l.quote != 0 && b == l.quote:
			l.quote, l.kept = 0, word.Len()
		case b == '\\' && i+1 < len(line):
			i++
			if l.quote == '"' && !strings.ContainsRune("$`\"\\", rune(line[i])) {
				word.WriteByte('\\')
			}
			word.WriteByte(line[i])
			inside = true
		case b == '\\': // the cursor is behind it
		case b == '\'' || b == '"':
			l.quote, l.kept, inside = b, word.Len(), true
		case b == ' ' || b == '\t' || b == '\n':
			if inside {
				l.Words = append(l.Words, word.String())
				word.Reset()
				l.kept, inside = 0, false
			}
		default:
			word.WriteByte(b)
			inside = true
			if strings.IndexByte(breaks, b) >= 0 {
				l.kept = word.Len()
			}
		}
	}
	l.Words = append(l.Words, word.String())
	l.Words = l.Words[1:] // the name of the program
	return l
}

// Insert returns the text with which bash replaces the last word, for a value that begins with that word. A shell that reads it
// has the value as one word, and expands nothing in it. An open quote is closed: readline does not close it if the value ends
// with one.
func (l Line) Insert(value string) string {
	rest := value[min(l.kept, len(value)):]
	switch l.quote {
	case '\'':
		return strings.ReplaceAll(rest, "'", `'\''`) + "'"
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "!", `"\!"`).Replace(rest) + `"`
	}
	var b strings.Builder
	for i := range len(rest) {
		if c := rest[i]; c < 0x80 && !strings.ContainsRune(plain, rune(c)) {
			b.WriteByte('\\')
		}
		b.WriteByte(rest[i])
	}
	return b.String()
}

// plain are the ASCII characters that mean nothing to bash, wherever they stand.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_%+,./:=@-"
