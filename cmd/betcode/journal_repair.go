package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/messages"
	"betcode/persistence"
)

const repairSchema = "betcode.journal.repair/v1"

func (p *program) journalRepairCommand() *cli.Command {
	return &cli.Command{
		Name: "repair", Usage: "say what a damaged journal lost, and make it one that opens",
		Description: "For a journal that the daemon refuses to open. No daemon may be using it. Without --yes nothing is\n" +
			"changed: the sessions, events and times that would be lost are listed, and the exit code is 7 if a\n" +
			"repair is needed. With --yes the parts that cannot be read are left out; their sessions can be exported\n" +
			"and deleted, everything else goes on. The journal as it was is kept beside it.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "state-dir", Usage: "`DIRECTORY` of the daemon whose journal it is (BETCODE_STATE_DIR)"},
			&cli.BoolFlag{Name: "yes", Usage: "repair it, and keep the old files beside it"},
			&cli.BoolFlag{Name: "json", Usage: "as JSON"},
		},
		Action: simple(p.journalRepair),
	}
}

// lockedState returns the state directory that a command names and keeps daemons from
// it until release is called.
func (p *program) lockedState(op string, c *cli.Context) (state string, release func(), err error) {
	cfg, _, err := p.locate(c)
	if err != nil {
		return "", nil, err
	}
	if state, err = filepath.Abs(cfg.StateDir); err != nil {
		return "", nil, exit.Usage(err)
	}
	lock := flock.New(filepath.Join(state, "daemon.lock"), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return "", nil, err
	}
	if !locked {
		return "", nil, messages.Errorf(op, messages.Unavailable, "a daemon runs on %s", state).
			WithHint("stop it first: betcode daemon stop")
	}
	return state, func() { _ = lock.Close() }, nil
}

func (p *program) journalRepair(ctx context.Context, c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	state, release, err := p.lockedState("repair journal", c)
	if err != nil {
		return err
	}
	defer release()
	done, err := persistence.Repair(ctx, persistence.RepairOptions{Directory: filepath.Join(state, "journal"), Apply: c.Bool("yes")})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = console.WriteValue(p.Stdout, repairJSON(done), "  ")
	} else {
		writeRepair(p.Stdout, done)
	}
	if err == nil && done.Needed && done.Aside == "" {
		return exit.Silent(exit.Internal)
	}
	return err
}

func repairJSON(done persistence.Repaired) map[string]any {
	lost, findings := []any{}, []any{}
	for _, l := range done.Lost.Sessions {
		ranges := []any{}
		for _, r := range l.Ranges {
			ranges = append(ranges, map[string]any{"from": r.From, "to": r.To})
		}
		one := map[string]any{"session_id": l.Session, "events": ranges}
		if !l.After.IsZero() {
			one["written_after"] = l.After.UTC()
		}
		if !l.Before.IsZero() {
			one["written_before"] = l.Before.UTC()
		}
		lost = append(lost, one)
	}
	for _, f := range done.Findings {
		findings = append(findings, map[string]any{"file": f.File, "offset": f.Offset, "problem": f.Problem, "outcome": f.Outcome})
	}
	return map[string]any{
		"schema": repairSchema, "directory": done.Directory, "needed": done.Needed, "repaired": done.Aside != "", "sessions": done.Sessions,
		"findings": findings, "lost": lost, "unread_bytes": done.Lost.Unread, "kept_in": done.Aside,
	}
}

func writeRepair(w io.Writer, done persistence.Repaired) {
	for _, f := range done.Findings {
		fmt.Fprintln(w, "Damaged:", console.Line(f.String()))
	}
	for _, l := range done.Lost.Sessions {
		fmt.Fprintln(w, "Lost:", console.Line(l.String()))
	}
	if done.Lost.Unread > 0 {
		fmt.Fprintf(w, "Lost: %d byte(s) that cannot be read; sessions of which nothing was written later may have lost their newest events too\n",
			done.Lost.Unread)
	}
	switch {
	case !done.Needed:
		fmt.Fprintf(w, "The journal opens as it is: %d session(s)\n", done.Sessions)
	case done.Aside == "":
		if len(done.Lost.Sessions) == 0 && done.Lost.Unread == 0 {
			fmt.Fprintln(w, "Nothing would be lost.")
		}
		fmt.Fprintf(w, "Nothing was changed. Repair it with 'betcode journal repair --yes': %d session(s) would be there\n", done.Sessions)
	default:
		fmt.Fprintf(w, "Repaired: %d session(s). The journal as it was is in %s\n", done.Sessions, console.Line(done.Aside))
	}
}
