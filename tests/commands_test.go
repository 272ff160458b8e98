package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// command is one command of the built program, read from its help.
type command struct {
	sub   map[string]*command // by name and alias
	flags map[string]bool     // by name, with its dashes; whether a value follows
	names []string            // its other names
	bare  bool                // it takes no arguments
}

var (
	helpCommand = regexp.MustCompile(`^ +([a-z][a-z-]*(?:, [a-z-]+)*)(?: {2,}|$)`)
	helpFlag    = regexp.MustCompile(`^ +(--?[a-zA-Z].*?)(?: {2,}|$)`)
)

// readHelp reads the help of a command and of its subcommands.
func readHelp(t *testing.T, program string, path ...string) *command {
	t.Helper()
	help, err := exec.Command(program, append(path, "--help")...).Output()
	if err != nil {
		t.Fatalf("betcode %s --help: %v", strings.Join(path, " "), err)
	}
	c := &command{sub: map[string]*command{}, flags: map[string]bool{}}
	section := ""
	for line := range strings.Lines(string(help)) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != ' ' {
			section = strings.TrimSuffix(line, ":")
			continue
		}
		switch section {
		case "USAGE":
			usage := strings.TrimSpace(line)
			c.bare = c.bare || usage == strings.Join(append([]string{"betcode"}, path...), " ")+" [FLAG...]"
		case "ALSO":
			c.names = append(c.names, strings.Split(strings.TrimSpace(line), ", ")...)
		case "COMMANDS":
			if match := helpCommand.FindStringSubmatch(line); match != nil {
				names := strings.Split(match[1], ", ")
				if names[0] == "help" {
					continue
				}
				below := readHelp(t, program, append(slices.Clone(path), names[0])...)
				for _, name := range append(names, below.names...) {
					c.sub[name] = below
				}
			}
		case "OPTIONS", "GLOBAL OPTIONS":
			if match := helpFlag.FindStringSubmatch(line); match != nil {
				c.addFlag(match[1])
			}
		}
	}
	return c
}

// addFlag parses the part before the text of a flag: "--limit, -n N".
func (c *command) addFlag(spelled string) {
	names := strings.Split(spelled, ", ")
	last, value, _ := strings.Cut(names[len(names)-1], " ")
	for _, name := range append(names[:len(names)-1], last) {
		c.flags[name] = value != ""
	}
}

// check returns the error in the words of a command line, empty if there is none.
func (c *command) check(words []string) string {
	for at := c; len(words) > 0; {
		word := words[0]
		words = words[1:]
		name, _, valued := strings.Cut(word, "=")
		switch below := at.sub[word]; {
		case strings.HasPrefix(word, "-") && len(word) > 1:
			takes, known := at.flags[name]
			if !known {
				return "there is no flag " + name
			}
			if takes && !valued && len(words) > 0 {
				words = words[1:]
			}
		case below != nil:
			at = below
		case len(at.sub) > 0 && word != "help":
			return "there is no command " + word
		case len(at.sub) > 0:
			return ""
		case at.bare:
			return "it takes no argument " + word
		}
	}
	return ""
}

var (
	shellBlock  = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	inlineCode  = regexp.MustCompile("`(betcode [^`]*)`")
	commandLine = regexp.MustCompile(`^(?:bin/)?betcode(?: |$)(.*)`)
	endOfWords  = regexp.MustCompile(`^(?:[|;&#<>()]|\d?>)`)
)

// TestPagesNameCommands: the built program has each command of a page, with its flags.
func TestPagesNameCommands(t *testing.T) {
	program := filepath.Join(t.TempDir(), "betcode")
	build := exec.Command("go", "build", "-o", program, "./cmd/betcode")
	build.Dir = ".."
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	root := readHelp(t, program)
	for _, page := range pages(t) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commandLines(string(content)) {
			if wrong := root.check(words(line)); wrong != "" {
				t.Errorf("%s: betcode %s: %s", page, line, wrong)
			}
		}
	}
}

// commandLines returns the arguments of "betcode" in the shell blocks and code spans of a page.
func commandLines(page string) []string {
	var lines []string
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
			if match := commandLine.FindStringSubmatch(strings.TrimSpace(line)); match != nil {
				lines = append(lines, match[1])
			}
		}
	}
	page = strings.Join(strings.Fields(shellBlock.ReplaceAllString(page, "")), " ")
	for _, span := range inlineCode.FindAllStringSubmatch(page, -1) {
		lines = append(lines, commandLine.FindStringSubmatch(span[1])[1])
	}
	return lines
}

var word = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)

// words splits a command line where a shell would, as far as pages need it.
func words(line string) []string {
	var all []string
	for _, w := range word.FindAllString(line, -1) {
		if endOfWords.MatchString(w) {
			break
		}
		all = append(all, strings.Trim(w, `'"`))
	}
	return all
}

func TestCommandLines(t *testing.T) {
	c := &command{flags: map[string]bool{"--socket": true}, sub: map[string]*command{
		"list": {flags: map[string]bool{"--limit": true, "-q": false}},
		"chat": {bare: true},
	}}
	for line, want := range map[string]string{
		"list --limit 3 -q":         "",
		"--socket /s list # wait":   "",
		"list --limit=3 | grep -c":  "",
		"help exit-codes":           "",
		"list --all":                "there is no flag --all",
		"lists":                     "there is no command lists",
		"chat ID":                   "it takes no argument ID",
		"--socket list -q":          "there is no flag -q",
		`list "a b" 'c -d' ; ls -l`: "",
	} {
		if got := c.check(words(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
