package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	"betcode/messages/visible"
)

// Text returns untrusted text made safe for a terminal. Anything that could move the cursor, change the title, make the
// terminal answer, or is invisible, is written as an escape. Lines and tabs stay.
func Text(text string) string { return visible.Output(text) }

// Block is [Text] for rows whose width is counted: a tab, whose width depends on its column, is four spaces.
func Block(text string) string { return Spaced(Text(text)) }

// Spaced writes each tab as four spaces.
func Spaced(text string) string { return strings.ReplaceAll(text, "\t", "    ") }

// Line is [Text] on one line: blanks and line ends become single spaces.
func Line(text string) string {
	if !single(text) {
		text = strings.Join(strings.FieldsFunc(text, blank), " ")
	}
	return visible.Line(text)
}

// single reports whether the words of text have single spaces between them already.
func single(text string) bool {
	space := true // at the beginning
	for i := range len(text) {
		before := space
		space = text[i] == ' '
		if space && before || text[i] == '\n' || text[i] == '\t' {
			return false
		}
	}
	return text == "" || !space
}

func blank(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }

// Shorten cuts text to at most n runes; the last one is then an ellipsis.
func Shorten(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	if n < 1 {
		return ""
	}
	return string(runes[:n-1]) + "…"
}

// Count returns a number with its noun: "1 session", "2 sessions".
func Count[N messages.Number](n N, noun string) string { return messages.Count(n, noun) }

// Ago returns how long ago something was, for a person: "2h ago".
func Ago(t *timestamppb.Timestamp, now time.Time) string {
	if t == nil {
		return "-"
	}
	switch d := now.Sub(t.AsTime()); {
	case d < 0:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
}

// Exact returns a time for a program, in RFC 3339 and UTC; empty for nil.
func Exact(t *timestamppb.Timestamp) string {
	if t == nil {
		return ""
	}
	return t.AsTime().UTC().Format(time.RFC3339)
}

// Span returns a duration for a person: "2h 34m", "3d 4h", "12s".
func Span(d time.Duration) string {
	s := int(d.Seconds())
	days, hours, minutes := s/86400, s/3600%24, s/60%60
	switch {
	case days > 0:
		return fmt.Sprintf("%dd %dh", days, hours)
	case hours > 0:
		return fmt.Sprintf("%dh %dm", hours, minutes)
	case minutes > 0:
		return fmt.Sprintf("%dm %ds", minutes, s%60)
	default:
		return fmt.Sprintf("%ds", s)
	}
}

// ShortID returns the beginning of an id, for a person.
func ShortID(id string) string {
	return messages.ShortID(id)
}

// Size returns a number of bytes for a person: "1.5 MiB".
func Size(n uint64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return strconv.FormatUint(n, 10) + " B"
	}
	value, unit := float64(n)/1024, 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	return fmt.Sprintf("%.1f %ciB", value, units[unit])
}

// Enum returns a value of a protobuf enum in lower case without the prefix of its names; "-" for the unspecified one.
func Enum(value fmt.Stringer, prefix string) string {
	name, ok := strings.CutPrefix(value.String(), prefix)
	if !ok || name == "UNSPECIFIED" {
		return "-"
	}
	return strings.ToLower(name)
}

// OrNobody returns a name, or "nobody" for an empty one.
func OrNobody(name string) string {
	if name == "" {
		return "nobody"
	}
	return name
}

// Bytes returns a size for standard output: rounded for a person, exact for a program.
func (c *Console) Bytes(n uint64) string {
	if c.Terminal.Out {
		return Size(n)
	}
	return fmt.Sprint(n)
}
