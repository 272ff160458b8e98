package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
)

// Errors of the library about flags.
var (
	wrongValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^ :]+): (?s:(.*))$`)
	noValue    = regexp.MustCompile(`^flag needs an argument: -(.+)$`)
)

// onUsageError names the command whose help tells more, and what a wrong flag or value should be; the library names only the flag.
func onUsageError(c *cli.Context, err error, _ bool) error {
	command, own := c.App.Name, []cli.Flag(nil)
	if c.Command != nil && c.Command.HelpName != "" {
		command, own = c.Command.HelpName, c.Command.VisibleFlags()
	}
	help := "Run '" + command + " --help'"
	text := err.Error()
	if flag, unknown := strings.CutPrefix(text, "flag provided but not defined: -"); unknown {
		hint := ""
		if like := suggestFlag(own, c.App.VisibleFlags(), flag); like != "" {
			hint = fmt.Sprintf(" Did you mean '%s'?", like)
		}
		return exit.Usage(fmt.Errorf("there is no flag '%s'.%s %s for the list", dashed(flag), hint, help))
	}
	if match := noValue.FindStringSubmatch(text); match != nil {
		return exit.Usage(fmt.Errorf("the flag '%s' needs a value. %s for what it takes", dashed(match[1]), help))
	}
	if match := wrongValue.FindStringSubmatch(text); match != nil {
		f := flagNamed(own, match[2])
		if f == nil {
			f = flagNamed(c.App.Flags, match[2])
		}
		return exit.Usage(fmt.Errorf("%s %s: %s. %s", dashed(match[2]), console.Line(match[1]), wantedValue(f, match[3]), help))
	}
	return exit.Usage(err)
}

// wantedValue returns what a flag takes, or the reason for which the library refuses a value.
func wantedValue(f cli.Flag, reason string) string {
	switch f.(type) {
	case *cli.UintFlag, *cli.Uint64Flag:
		return "it is no number from 0"
	case *cli.IntFlag, *cli.Int64Flag:
		return "it is no whole number"
	case *cli.Float64Flag:
		return "it is no number"
	case *cli.DurationFlag:
		return "it is no time such as 90s or 2h"
	case *cli.BoolFlag:
		return "it is neither true nor false"
	}
	return reason
}

// dashed writes the name of a flag as a person types it.
func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}
