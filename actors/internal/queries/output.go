package queries

import (
	"context"
	"path/filepath"
	"strconv"

	"betcode/actors/internal/process"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// rawOutput passes on the output of a run's agent.
func (q *Queries) rawOutput(ctx context.Context, m messages.GetRawOutput) (messages.Reply, error) {
	const op = "read raw output"
	loaded, err := q.load(op, m.Session)
	if err != nil {
		return nil, err
	}
	run := m.Run
	if run == 0 {
		run = loaded.Record.Run
	}
	path := filepath.Join(q.runsOf(m.Session), strconv.FormatUint(uint64(run), 10), process.StdoutFile)
	switch err := spool.Raw(ctx, path, m.Give); {
	case err == nil:
		return messages.Done{}, nil
	case messages.KindOf(err) == messages.NotFound:
		return nil, messages.Errorf(op, messages.NotFound, "nothing is kept of run %d; the newest is %d", run, loaded.Record.Run)
	default:
		return nil, messages.AsError(op, err)
	}
}
