package rules

import (
	"regexp"
	"strings"

	"betcode/actors/internal/flags"
)

// sed runs commands with its command e and the flag e of its command s. A script is
// harmless only if all of it is in the small part of the language that is parsed here; any
// other script, and one in a file, counts as running something.

// sedRuns reports whether a call of sed may run a command. The words follow "sed".
func sedRuns(words []string) bool {
	scripts, known := sedScripts(words)
	return !known || anyWord(scripts, func(script string) bool { return !harmlessSed(script) })
}

// sedScripts returns the arguments of sed that are scripts. It is not ok if a script is
// read from a file, or if an option is unknown, since the next word may be its value.
func sedScripts(words []string) (scripts []string, ok bool) {
	for n := 0; n < len(words); n++ {
		word := words[n]
		switch {
		case word == "--":
			if len(scripts) == 0 && n+1 < len(words) {
				scripts = append(scripts, words[n+1])
			}
			return scripts, true
		case word == "-" || !strings.HasPrefix(word, "-"):
			if len(scripts) == 0 {
				scripts = append(scripts, word)
			}
			continue
		}
		kind, value, apart := sedOptionOf(word)
		if kind == sedUnknown {
			return scripts, false
		}
		if apart {
			n++
		}
		if value == "" && n < len(words) {
			value = words[n]
		}
		if kind == sedScript {
			scripts = append(scripts, value)
		}
	}
	return scripts, true
}

// sedOption is what an option of sed means for the word behind it.
type sedOption int

const (
	sedUnknown sedOption = iota // the script is in a file, or the option is not known
	sedSwitch                   // takes no value
	sedScript                   // its value is a script
	sedValue                    // its value is something else
)

// sedOptionOf returns the kind of an option and the value in its word; apart is true if the value is the next word.
func sedOptionOf(word string) (kind sedOption, value string, apart bool) {
	if strings.HasPrefix(word, "--") {
		option, value, given := strings.Cut(word, "=")
		switch {
		case flags.Abbreviates(option, "--file"):
			return sedUnknown, "", false
		case flags.Abbreviates(option, sedLong...):
			return sedSwitch, "", false
		case flags.Abbreviates(option, "--expression"):
			return sedScript, value, !given
		case flags.Abbreviates(option, "--line-length"):
			return sedValue, value, !given
		}
		return sedUnknown, "", false
	}
	at := strings.IndexFunc(word[1:], func(r rune) bool { return !strings.ContainsRune("nrEsuzb", r) }) + 1
	switch {
	case at == 0 || word[at] == 'i':
		return sedSwitch, "", false
	case word[at] == 'e':
		return sedScript, word[at+1:], word[at+1:] == ""
	case word[at] == 'l':
		return sedValue, word[at+1:], word[at+1:] == ""
	}
	return sedUnknown, "", false
}

// sedLong are long options of GNU sed that take no word behind them and name no script.
var sedLong = []string{
	"--quiet", "--silent", "--debug", "--posix", "--sandbox", "--null-data", "--zero-terminated", "--regexp-extended", "--separate", "--unbuffered",
	"--follow-symlinks", "--in-place", "--binary", "--help", "--version",
}

// harmlessSed reports whether a script has only addresses and commands that run nothing
// and write no file. A script that ends in a backslash may go on in the next one.
func harmlessSed(script string) bool {
	if strings.HasSuffix(script, `\`) {
		return false
	}
	r := sedReader{rest: script}
	for {
		r.rest = strings.TrimLeft(r.rest, " \t\n;}")
		if r.rest == "" {
			return true
		}
		if !r.addresses() || !r.command() {
			return false
		}
	}
}

// sedReader parses a script; rest is the part that is not parsed yet.
type sedReader struct{ rest string }

func (r *sedReader) blanks() { r.rest = strings.TrimLeft(r.rest, " \t") }

// take drops leading bytes that are in a set and returns their number.
func (r *sedReader) take(set string) int {
	rest := strings.TrimLeft(r.rest, set)
	taken := len(r.rest) - len(rest)
	r.rest = rest
	return taken
}

// addresses reads up to two addresses and "!".
func (r *sedReader) addresses() bool {
	if !r.address() {
		return false
	}
	r.blanks()
	if r.take(",") > 0 {
		if r.blanks(); r.rest == "" || !r.address() {
			return false
		}
	}
	r.take(" \t!")
	return true
}

// address reads one address, or none.
func (r *sedReader) address() bool {
	switch {
	case r.rest == "":
	case r.rest[0] == '/' || r.rest[0] == '\\':
		if r.rest = strings.TrimPrefix(r.rest, `\`); r.rest == "" || !r.delimited(1) {
			return false
		}
		r.take("IM")
	default:
		r.take("0123456789$~+")
	}
	return true
}

// delimited reads a delimiter and so many texts that end in it. Some versions of sed do
// not end a text within brackets: [/] is ambiguous, and not harmless.
func (r *sedReader) delimited(texts int) bool {
	if r.rest == "" {
		return false
	}
	delimiter := r.rest[0]
	if letter(delimiter) || digit(delimiter) || delimiter <= ' ' || delimiter >= 0x7f || strings.IndexByte(`.\[]`, delimiter) >= 0 {
		return false
	}
	n, begin := 1, 1
	for ; texts > 0; n++ {
		switch {
		case n >= len(r.rest) || r.rest[n] == '\n':
			return false
		case r.rest[n] == delimiter:
			if begin == 1 && !sedClosed.MatchString(r.rest[begin:n]) {
				return false
			}
			begin = n + 1
			texts--
		case r.rest[n] == '\\':
			n++
		}
	}
	r.rest = r.rest[n:]
	return true
}

// sedClosed matches regular expressions whose brackets are all closed, however a
// backslash or a bracket within them is read.
var sedClosed = regexp.MustCompile(`^(?s:\\.|[^\[\\]|\[\^?(?:\[:[a-z]+:\]|[^\[\]\\]|\\[^\[\]])+\])*$`)

// command reads one command up to its end.
func (r *sedReader) command() bool {
	if r.rest == "" {
		return false
	}
	name := r.rest[0]
	r.rest = r.rest[1:]
	switch name {
	case '{':
		return true
	case '#':
		_, r.rest, _ = strings.Cut(r.rest, "\n")
		return true
	case 'p', 'd', '=', 'n', 'N', 'P', 'D', 'h', 'H', 'g', 'G', 'x', 'z', 'F':
	case 'q', 'Q', 'l':
		r.take(" \t0123456789")
	case ':', 'b', 't', 'T':
		r.blanks()
		r.take("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	case 's':
		if !r.delimited(2) {
			return false
		}
		r.take("gpiImM0123456789")
	case 'y':
		if !r.delimited(2) {
			return false
		}
	case 'a', 'i', 'c', 'r': // the rest of the line is a text, or a file to read
		text := r.rest
		r.rest = ""
		return strings.Trim(text, " \t\\") != "" && !strings.Contains(text, "\n")
	default:
		return false
	}
	r.blanks()
	return r.rest == "" || strings.IndexByte(";\n}#", r.rest[0]) >= 0
}
