package output

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"betcode/messages/visible"
)

// plainBytes are the bytes that a JSON string has as they are.
var plainBytes = func() (plain [256]bool) {
	for c := ' '; c <= '~'; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// appendText appends a text as a JSON string, as [console.WriteValue] writes it.
func appendText(out []byte, text string) []byte {
	out = append(out, '"')
	from := 0 // start of the part that is not appended yet
	for i := 0; i < len(text); {
		if plainBytes[text[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r >= utf8.RuneSelf && (r != utf8.RuneError || size > 1) && !visible.Hidden(r) {
			i += size
			continue
		}
		out = append(out, text[from:i]...)
		out = appendEscape(out, r)
		i += size
		from = i
	}
	out = append(out, text[from:]...)
	return append(out, '"')
}

// appendEscape appends the escape of a rune. [utf8.RuneError] represents invalid bytes.
func appendEscape(out []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(out, '\\', byte(r))
	case '\b':
		return append(out, `\b`...)
	case '\f':
		return append(out, `\f`...)
	case '\n':
		return append(out, `\n`...)
	case '\r':
		return append(out, `\r`...)
	case '\t':
		return append(out, `\t`...)
	}
	const digits = "0123456789abcdef"
	for _, half := range utf16.AppendRune(nil, r) {
		out = append(out, '\\', 'u', digits[half>>12], digits[half>>8&15], digits[half>>4&15], digits[half&15])
	}
	return out
}

// appendTime appends a time as the JSON mapping of protobuf has it: with no, three, six or nine digits of its second.
func appendTime(out []byte, t time.Time) []byte {
	out = t.UTC().AppendFormat(append(out, '"'), time.RFC3339) // faster than any other format
	out = out[:len(out)-1]                                     // the Z comes last
	if n := t.Nanosecond(); n != 0 {
		point := len(out)
		out = strconv.AppendInt(out, int64(time.Second)+int64(n), 10)
		out[point] = '.' // in place of the whole second
		out = bytes.TrimSuffix(bytes.TrimSuffix(out, zeros), zeros)
	}
	return append(out, `Z"`...)
}

var zeros = []byte("000")
