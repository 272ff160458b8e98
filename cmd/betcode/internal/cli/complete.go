package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/completion"
	"betcode/cmd/betcode/internal/console"
)

// completeName is the command that shells call to complete a line. Its arguments are the words behind the name of the
// program up to the one that is completed, which may be empty, or "" with quotes: old versions of PowerShell pass no empty
// argument. completeBashName is that of bash, which passes its COMP_WORDBREAKS and the line.
const (
	completeName     = "__complete"
	completeBashName = "__complete_bash"
)

// completeTime bounds how long a shell waits for ids and names of the daemon.
const completeTime = 50 * time.Millisecond

// candidate is one way to go on.
type candidate struct{ value, about string }

// completeCommand prints candidates, one per line, with a tab before the description. It prints no errors.
func (p *program) completeCommand() *cli.Command {
	return &cli.Command{
		Name: completeName, Hidden: true, SkipFlagParsing: true, HideHelp: true,
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if n := len(words); n > 0 && words[n-1] == `""` {
				words[n-1] = ""
			}
			for _, f := range p.complete(c, words) {
				fmt.Fprintf(p.Stdout, "%s\t%s\n", f.value, console.Line(f.about))
			}
			return nil
		},
	}
}

// completeBashCommand prints what bash inserts, one candidate per line.
func (p *program) completeBashCommand() *cli.Command {
	return &cli.Command{
		Name: completeBashName, Hidden: true, SkipFlagParsing: true, HideHelp: true, ArgsUsage: "BREAKS LINE",
		Action: func(c *cli.Context) error {
			if err := base.Arguments(c, 2, 2); err != nil {
				return err
			}
			line := completion.ParseLine(c.Args().Get(1), c.Args().First())
			for _, f := range p.complete(c, line.Words) {
				fmt.Fprintln(p.Stdout, line.Insert(f.value))
			}
			return nil
		},
	}
}

// complete returns candidates. It leaves out values with characters that are not shown, which a shell should not be given.
func (p *program) complete(c *cli.Context, words []string) []candidate {
	found := candidates(c.App, words, func(kind string) []candidate { return p.liveCandidates(c, kind) })
	return slices.DeleteFunc(found, func(f candidate) bool { return f.value != console.Line(f.value) })
}

// candidates returns how the last word can go on. live returns ids and names of the daemon, of a kind that ArgsUsage names.
func candidates(app *cli.App, words []string, live func(kind string) []candidate) []candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	values := func(kind string) []candidate { // one with a dash would be read as a flag
		return slices.DeleteFunc(live(kind), func(f candidate) bool { return strings.HasPrefix(f.value, "-") })
	}
	last := words[len(words)-1]
	commands, flags := app.Commands, app.Flags
	var command *cli.Command
	var pending cli.Flag // whose value is the next word
	given := 0           // arguments of the command so far
	for _, word := range words[:len(words)-1] {
		switch {
		case pending != nil:
			pending = nil
		case strings.HasPrefix(word, "-"):
			name := strings.TrimLeft(word, "-")
			f := flagNamed(flags, name)
			if f == nil {
				f = flagNamed(app.Flags, name)
			}
			if takesValue(f) && !strings.Contains(word, "=") {
				pending = f
			}
		case isHelpWord(word) && len(commands) > 0 && given == 0: // a command follows
		default:
			if next := find(commands, word); next != nil && given == 0 {
				command, commands, flags = next, next.Subcommands, next.Flags
			} else {
				given++
			}
		}
	}
	var found []candidate
	name, _, valued := strings.Cut(strings.TrimLeft(last, "-"), "=")
	switch {
	case pending != nil:
		found = valueCandidates(pending, values)
	case valued && strings.HasPrefix(last, "-"):
		given, _, _ := strings.Cut(last, "=")
		found = valueCandidates(cmp.Or(flagNamed(flags, name), flagNamed(app.Flags, name)), values)
		for i := range found {
			found[i].value = given + "=" + found[i].value
		}
	case strings.HasPrefix(last, "-"):
		found = flagCandidates(app, command)
	case len(commands) > 0:
		for _, c := range commands {
			if !c.Hidden {
				found = append(found, candidate{c.Name, c.Usage})
			}
		}
	case command != nil:
		found = values(argumentKind(command.ArgsUsage, given))
	}
	matching := found[:0:0]
	for _, f := range found {
		if strings.HasPrefix(f.value, last) {
			matching = append(matching, f)
		}
	}
	return matching
}

// valueCandidates returns values of a flag, of the kind that its usage names between backquotes.
func valueCandidates(f cli.Flag, live func(kind string) []candidate) []candidate {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return nil
	}
	_, rest, _ := strings.Cut(d.GetUsage(), "`")
	kind, about, _ := strings.Cut(rest, "`")
	if fixed := choices(about); len(fixed) > 0 {
		return fixed
	}
	if kind == "STATE" && !slices.Contains(f.Names(), "status") { // of something else than a session
		return nil
	}
	return live(kind)
}

// A list of values in the usage of a flag, behind the name of its value: ": text, json or stream-json", " is low, medium or high".
var (
	choiceList = regexp.MustCompile(`^(?:[a-z ]*:| is| decides:) ([a-z][^;]* or [^;]*)`)
	aside      = regexp.MustCompile(` \([^)]*\)`)
	choice     = regexp.MustCompile(`^[a-z][A-Za-z-]*$`)
	separator  = strings.NewReplacer(", or ", ", ", " or ", ", ")
)

// choices returns the values that the usage of a flag lists.
func choices(about string) (found []candidate) {
	match := choiceList.FindStringSubmatch(aside.ReplaceAllString(about, ""))
	if match == nil {
		return nil
	}
	for value := range strings.SplitSeq(separator.Replace(match[1]), ", ") {
		if choice.MatchString(value) {
			found = append(found, candidate{value, ""})
		}
	}
	return found
}

// argumentKind returns the kind of a command's argument, by its position: SESSION, SETTING or another word of ArgsUsage. A last
// word with an ellipsis covers all following arguments.
func argumentKind(usage string, place int) string {
	words := strings.Fields(usage)
	if n := len(words); n > 0 && place >= n && (strings.HasSuffix(words[n-1], "...") || strings.HasSuffix(words[n-1], "...]")) {
		place = n - 1
	}
	if place >= len(words) {
		return ""
	}
	return strings.Trim(words[place], "[].…")
}

// flagCandidates returns the long names of the flags of a command; nil is the program.
func flagCandidates(app *cli.App, command *cli.Command) []candidate {
	found := []candidate{{"--help", "show help"}}
	flags := app.VisibleFlags()
	if command != nil {
		flags = command.VisibleFlags()
	} else {
		found = append(found, candidate{"--version", "print the version"})
	}
	for _, f := range flags {
		about := ""
		if d, ok := f.(cli.DocGenerationFlag); ok {
			about = strings.ReplaceAll(d.GetUsage(), "`", "")
		}
		found = append(found, candidate{"--" + f.Names()[0], about})
	}
	return found
}
