package service

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"betcode/messages"
	"betcode/packaging"
)

// mark begins the comment with which a definition ends: who wrote it, and the hash of the lines above.
const mark = "written by 'betcode service install', sha256 "

// Packaged returns the systemd unit that a package installs for all users. The daemon has the PATH of the service manager.
func Packaged(program string) (string, error) {
	if err := printable(program); err != nil {
		return "", err
	}
	if strings.ContainsAny(program, "\"'\\") {
		return "", messages.Errorf("write service", messages.Invalid, "systemd starts no program whose path has quotes or backslashes: %s", program).
			WithHint("install it elsewhere, for example with 'make install PREFIX=/usr/local'")
	}
	return strings.ReplaceAll(packaging.SystemdUnit, packaging.Program, systemdQuote(program)), nil
}

// systemdUnit returns the unit for a program and a PATH, in which the daemon finds the agent.
func systemdUnit(program, path string) (string, error) {
	unit, err := Packaged(program)
	if err == nil {
		err = printable(path)
	}
	if err != nil {
		return "", err
	}
	if path != "" {
		unit = strings.Replace(unit, "\n[Service]\n", "\n[Service]\nEnvironment="+systemdQuote("PATH="+path)+"\n", 1)
	}
	return signed(unit, "# ", "\n"), nil
}

// absolute returns the entries of a PATH that begin with a slash. The daemon would look for the others in directories of
// sessions.
func absolute(path string) string {
	entries := slices.DeleteFunc(strings.Split(path, ":"), func(entry string) bool { return !strings.HasPrefix(entry, "/") })
	return strings.Join(entries, ":")
}

// systemdQuote writes a word for a unit: specifiers and quotes in it mean themselves. systemd expands no variables in an
// environment and in the path of a program.
func systemdQuote(word string) string {
	word = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(word)
	return `"` + word + `"`
}

// launchdAgent returns the property list for a program and a PATH.
func launchdAgent(program, path string) (string, error) {
	if err := printable(program, path); err != nil {
		return "", err
	}
	list := strings.ReplaceAll(packaging.LaunchdAgent, packaging.Program, escape(program))
	if path != "" {
		list = strings.Replace(list, "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", escape(path), 1)
	}
	return signed(list, "<!-- ", " -->\n"), nil
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
	return b.String()
}

// printable refuses text that could begin another line of a definition.
func printable(texts ...string) error {
	for _, text := range texts {
		for _, r := range text {
			if r < ' ' || r == 0x7f {
				return fmt.Errorf("write service: a path has a control character: %q", text)
			}
		}
	}
	return nil
}

// signed appends the mark with the hash of a definition.
func signed(text, before, after string) string {
	sum := sha256.Sum256([]byte(text))
	return text + before + mark + hex.EncodeToString(sum[:]) + after
}

// untouched reports whether a definition is as it was written.
func untouched(text string) bool {
	at := strings.LastIndex(text, mark)
	if at < 0 {
		return false
	}
	sum, after, _ := strings.Cut(text[at+len(mark):], "\n")
	sum, _, _ = strings.Cut(sum, " ")
	start := strings.LastIndexByte(text[:at], '\n') + 1
	want := sha256.Sum256([]byte(text[:start]))
	return after == "" && sum == hex.EncodeToString(want[:])
}
