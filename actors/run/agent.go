package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"betcode/actors/internal/process"
	"betcode/actors/internal/spool"
	"betcode/messages"
	"betcode/messages/failpoint"
)

// readSize is the approximate number of bytes of a spool that one job reads. A batch is translated
// and committed as a whole: larger batches gain little and delay sessions with little output
// (docs/performance.md).
const readSize = 32 << 10

// stderrTail is how many bytes of the end of standard error are shown when an agent crashes.
const stderrTail = 1 << 10

// agent is the workers' view of a run's process. process is nil when the process has ended,
// spool is nil when there never was one.
type agent struct {
	record  messages.RunRecord
	process *process.Process
	spool   *spool.Reader
	damage  error                         // why the spool has no reader although part of it was read before
	reopen  func() (*spool.Reader, error) // opens the spool after its disk failed to; else nil
	watch   func()                        // ends the notifications
	fleet   FleetTickets                  // nil = none
	began   bool                          // the reader has seen the beginning of a turn
}

// fleetPatience is how long the first message to an agent waits for its fleet server. Agents start their servers before they
// read a message, and connect to them before they begin a turn.
const fleetPatience = 30 * time.Second

// turnBegins closes the admission of the agent's fleet server, because a turn may begin.
func (a *agent) turnBegins(life context.Context, patience time.Duration) error {
	if a.fleet == nil {
		return nil
	}
	return a.fleet.Await(life, a.record, patience)
}

// beginsTurn is in the first line of each turn, also of one that the agent continues without a message.
var beginsTurn = []byte(`"subtype":"init"`)

// noteTurn looks for the first line of a turn. Only the reading worker calls it.
func (a *agent) noteTurn(lines []spool.Line) {
	if a.began || a.fleet == nil {
		return
	}
	a.began = slices.ContainsFunc(lines, func(l spool.Line) bool { return bytes.Contains(l.Bytes, beginsTurn) })
	if a.began {
		_ = a.turnBegins(context.Background(), 0) // an error concerns the next daemon alone, which reads the line again
	}
}

// follow opens the spool at the consumed offset and watches it for growth.
func (a *agent) follow(o opening) error {
	path := filepath.Join(o.record.Directory, process.StdoutFile)
	info, err := os.Stat(path)
	switch {
	case a.process != nil:
	case err == nil && info.Size() == o.offset:
		return nil // it was read to the end, with its torn line
	case o.offset == 0 && errors.Is(err, syscall.ENOTDIR):
		return nil // there is no run directory
	}
	open := func() (*spool.Reader, error) {
		return spool.Open(path, o.offset, spool.Options{Open: o.deps.OpenSpool})
	}
	if a.spool, err = open(); err != nil {
		a.spool = nil
		if err := a.withoutSpool(err, open); err != nil {
			return err
		}
	}
	if a.process == nil || a.spool == nil && a.reopen == nil {
		return nil
	}
	stop, err := o.deps.Watcher.Add(path, o.notify)
	if err != nil {
		return err
	}
	a.watch = stop.Remove
	return nil
}

// withoutSpool handles a spool that cannot be opened. It returns err if the run cannot continue.
func (a *agent) withoutSpool(err error, open func() (*spool.Reader, error)) error {
	switch kind := messages.KindOf(err); {
	case kind == messages.NotFound && a.process == nil:
		return nil // the run ended before it had a spool
	case kind == messages.DataLoss:
		a.damage = err // the next read returns it
		return nil
	case kind == messages.Unavailable:
		a.reopen = open // the next read opens it
		return nil
	}
	return err
}

// read returns the next complete lines.
func (a *agent) read() any {
	if a.damage != nil {
		return linesRead{err: a.damage}
	}
	if a.reopen != nil {
		reader, err := a.reopen()
		if err != nil {
			return linesRead{err: err}
		}
		a.spool, a.reopen = reader, nil
	}
	if a.spool == nil {
		return linesRead{}
	}
	batch, err := a.spool.Next(readSize)
	a.noteTurn(batch.Lines)
	failpoint.Hit(failpoint.SpoolRead)
	return linesRead{batch: batch, size: a.size(), err: err}
}

// size returns the length of the spool in bytes. If it is unknown, size returns the number of
// bytes that were read, and the next read returns the error.
func (a *agent) size() int64 {
	if a.spool == nil {
		return 0
	}
	behind, _ := a.spool.Behind()
	return a.spool.Offset() + max(behind, 0)
}

// tail returns the torn last line of a spool whose writer has ended.
func (a *agent) tail() any {
	read := tailRead{stderr: stderrEnd(filepath.Join(a.record.Directory, process.StderrFile))}
	if a.spool != nil {
		read.batch, read.err = a.spool.Tail()
	}
	return read
}

// stderrEnd returns the last stderrTail bytes of a file, empty if it cannot be read.
func stderrEnd(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > stderrTail {
		if _, err := file.Seek(-stderrTail, io.SeekEnd); err != nil {
			return ""
		}
	}
	words, err := io.ReadAll(io.LimitReader(file, stderrTail))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(words), "\uFFFD"))
}

// write puts one line into the pipe. It waits until the agent has read earlier lines.
func (a *agent) write(life context.Context, w writing) any {
	if a.process == nil {
		return lineWritten{what: w, err: os.ErrClosed}
	}
	if w.key != "" {
		if err := a.turnBegins(life, fleetPatience); err != nil {
			return lineWritten{what: w, err: err}
		}
	}
	failpoint.Hit(failpoint.BeforeWrite)
	if w.long {
		_, err := a.process.WriteLong(life, w.line)
		failpoint.Hit(failpoint.AfterWrite)
		return lineWritten{what: w, err: err}
	}
	for {
		switch result := a.process.WriteLine(w.line); result {
		case process.Written:
			failpoint.Hit(failpoint.AfterWrite)
			return lineWritten{what: w}
		case process.TooLong:
			return lineWritten{what: w, long: true}
		case process.Busy:
			if err := a.process.WaitWritable(life); err != nil {
				return lineWritten{what: w, err: err}
			}
		default:
			return lineWritten{what: w, err: errors.New(result.String())}
		}
	}
}

// signal sends a signal to the agent, if its process has not ended.
func (a *agent) signal(s syscall.Signal) any {
	if a.process != nil {
		_ = a.process.Signal(s) // best effort: the goroutine that waits for the process reports its end
	}
	return nil
}

// freeze stops the agent's processes, thaw continues them. An agent that cannot be stopped
// runs on; output that is lost then appears as torn lines.
func (a *agent) freeze(life context.Context, number uint64) any {
	if a.process != nil {
		_ = a.process.Freeze(life) // best effort, as in signal
	}
	return agentStopped{a.size(), number}
}

func (a *agent) thaw() any {
	if a.process != nil {
		_ = a.process.Thaw() // best effort, as in signal
	}
	return nil
}

// kill kills the agent and all processes that it left behind.
func (a *agent) kill(life context.Context) any {
	if a.process != nil {
		_ = a.process.KillTree(life)
		return nil
	}
	_ = process.KillLeftovers(life, a.record)
	return nil
}

// close closes descriptors and ends the watch. The process is not touched.
func (a *agent) close() {
	a.watch()
	if a.process != nil {
		a.process.Close()
	}
	if a.spool != nil {
		a.spool.Close()
	}
}
