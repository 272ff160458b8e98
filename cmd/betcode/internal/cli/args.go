package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange moves the flags of a command line to where the library expects them: before the arguments, and those of the
// program before the command. So
//
//	betcode run "fix the tests" --model opus --socket /tmp/s
//
// works. Everything behind "--" is an argument. A line that asks for the help of a command is none for the library.
func arrange(app *cli.App, args []string) commandLine {
	if len(args) == 0 || len(args) > 1 && (args[1] == completeName || args[1] == completeBashName) || args[len(args)-1] == "--generate-bash-completion" {
		return commandLine{args: args}
	}
	help := false
	var global, path, flags, rest []string
	commands, own := app.Commands, []cli.Flag(nil)
	var command *cli.Command
	for i := 1; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" || isNegative(arg) {
			if next := find(commands, arg); next != nil && len(rest) == 0 && !isHelpWord(arg) {
				command, path, commands, own = next, append(path, arg), next.Subcommands, next.Flags
			} else {
				rest = append(rest, arg)
			}
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		into, flag := &flags, flagNamed(own, name)
		if flag == nil && isHelp(arg) {
			help = true
			continue
		}
		if flag == nil {
			if flag = flagNamed(app.Flags, name); flag != nil {
				into = &global
			}
		}
		if isOptional(flag) && !hasValue && command != nil && command.ArgsUsage == "" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			arg += "=" + args[i] // the command has no arguments, so the next word can only be the value
		}
		*into = append(*into, arg)
		if takesValue(flag) && !hasValue && i+1 < len(args) {
			i++
			*into = append(*into, args[i])
		}
	}
	if len(commands) > 0 && len(rest) > 0 && isHelpWord(rest[0]) {
		path, rest, help = helpOf(commands, path, rest[1:])
	} else if len(commands) > 0 && len(rest) > 0 {
		help = false // the library reports a command that does not exist
	}
	if help {
		return commandLine{help: true, path: path}
	}
	out := slices.Concat(args[:1], global, path, flags)
	if slices.ContainsFunc(rest, func(s string) bool { return strings.HasPrefix(s, "-") && s != "-" }) {
		out = append(out, "--")
	}
	return commandLine{args: append(out, rest...)}
}

// commandLine is what a person typed: the help of a command, or arguments as the library expects them.
type commandLine struct {
	help bool
	path []string // to the command whose help it is; empty is the program
	args []string
}

// isNegative reports whether an argument is a negative value, such as -3 or -1.5h, and not a flag. No flag begins with a
// digit.
func isNegative(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] >= '0' && arg[1] <= '9' || arg[1] == '.')
}

// helpOf reads the words behind 'help', which stands behind path. A page of help is a command of its own, which is not help in
// this sense. Any other word stays an argument, which is refused, but never one of a command that would take it.
func helpOf(commands []*cli.Command, path, words []string) (to, rest []string, help bool) {
	for i, word := range words {
		c := find(commands, word)
		switch {
		case c == nil && len(commands) > 0:
			return path, words[i:], false
		case c == nil:
			return path, nil, true
		case c.Category == helpTopics && c.Name != helpName:
			return []string{word}, nil, false
		}
		path, commands = append(path, word), c.Subcommands
	}
	return path, nil, true
}

func isHelp(arg string) bool { return arg == "--help" || arg == "-help" || arg == "-h" }

func isHelpWord(arg string) bool { return arg == helpName || arg == "h" }

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func flagNamed(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// isOptional reports whether a flag may stand without its value, as --json may.
func isOptional(f cli.Flag) bool {
	generic, ok := f.(*cli.GenericFlag)
	if !ok {
		return false
	}
	value, ok := generic.Value.(interface{ IsBoolFlag() bool })
	return ok && value.IsBoolFlag()
}

// takesValue reports whether the argument behind a flag is its value. The library refuses unknown flags.
func takesValue(f cli.Flag) bool {
	if isOptional(f) {
		return false
	}
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}
