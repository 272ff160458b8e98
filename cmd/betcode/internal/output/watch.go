package output

import (
	"context"
	"fmt"
	"strings"
	"time"

	"betcode/cmd/betcode/internal/exit"
)

// interval is the time between two rounds of --watch.
const interval = time.Second

// Run fetches a view and prints it; with --watch again and again until ctx ends. On a terminal each round replaces the one
// before; elsewhere a round is written only if it differs.
func (p Printer) Run(ctx context.Context, fetch func() (View, error)) error {
	if !p.Options.Watch {
		v, err := fetch()
		if err != nil {
			return err
		}
		return p.Print(v)
	}
	var last string
	for {
		v, err := fetch()
		if ctx.Err() != nil {
			return exit.Silent(exit.Interrupted)
		}
		if err != nil {
			return err
		}
		round, err := p.text(v)
		if err != nil {
			return err
		}
		if err := p.show(string(round), &last); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return exit.Silent(exit.Interrupted)
		case <-time.After(interval):
		}
	}
}

// show writes a round.
func (p Printer) show(round string, last *string) (err error) {
	defer func() { *last = round }()
	switch {
	case !p.Console.Terminal.Out && round == *last:
		return nil
	case !p.Console.Terminal.Out:
		_, err = fmt.Fprint(p.Console.Stdout, round)
		return err
	}
	var screen strings.Builder
	if *last == "" {
		screen.WriteString("\x1b[2J")
	}
	screen.WriteString("\x1b[H" + strings.ReplaceAll(round, "\n", "\x1b[K\n") + "\x1b[J")
	_, err = fmt.Fprint(p.Console.Stdout, screen.String())
	return err
}
