package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/process"
	"betcode/actors/internal/spool"
	"betcode/messages"
	"betcode/messages/claudecode"
	"betcode/messages/failpoint"
)

// NeverStarted is the reason of a run whose process never came to be.
const NeverStarted = "never started"

// readSize is about how much of a spool one job reads. Large pieces would make
// little faster and quiet sessions wait behind loud ones: each is translated, and
// written, in one go (docs/performance.md).
const readSize = 32 << 10

// stderrTail is how much of the agent's complaints is told when it crashes.
const stderrTail = 1 << 10

// agent is what a run's workers hold of its process. The process is nil when it
// has ended, the reader is nil when there never was a spool.
type agent struct {
	record  messages.RunRecord
	process *process.Process
	spool   *spool.Reader
	damage  error                         // why there is no reader although something was read before
	reopen  func() (*spool.Reader, error) // the disk did not answer when it was to be opened; else nil
	watch   func()                        // ends the notifications
	fleet   FleetDoor                     // nil = none
	began   bool                          // a turn has begun, as the reader has seen
}

// fleetPatience is how long the first message to an agent waits for its fleet server. Agents start their servers before they
// read a message, and connect to them before they begin a turn.
const fleetPatience = 30 * time.Second

// turnBegins says that a turn may begin: from now on no process becomes the agent's fleet server.
func (a *agent) turnBegins(life context.Context, patience time.Duration) error {
	if a.fleet == nil {
		return nil
	}
	return a.fleet.Settle(life, a.record, patience)
}

// beginsTurn is in the first line of each turn, also of one that the agent continues without a message.
var beginsTurn = []byte(`"subtype":"init"`)

// noteTurn looks for the first line of a turn. It is the reader's.
func (a *agent) noteTurn(lines []spool.Line) {
	if a.began || a.fleet == nil {
		return
	}
	a.began = slices.ContainsFunc(lines, func(l spool.Line) bool { return bytes.Contains(l.Bytes, beginsTurn) })
	if a.began {
		_ = a.turnBegins(context.Background(), 0) // it cannot be taken in this daemon; the next one reads the line again
	}
}

// opening is everything the first job of a run needs.
type opening struct {
	deps    *Deps
	session messages.SessionRecord
	record  messages.RunRecord
	offset  int64
	fresh   bool // may spawn
	resume  bool // a cut-off turn is to be continued
	notify  func()
	life    context.Context
}

// open starts the process, or finds out what became of it.
func (o opening) open() any {
	result := agentOpened{agent: &agent{record: o.record, watch: func() {}, fleet: o.deps.Fleet}, record: o.record, adopted: !o.fresh}
	if o.fresh {
		result.version = o.deps.Version()
	}
	p, fate, err := o.find(result.version)
	switch {
	case err != nil:
		return Lost{err}
	case p == nil:
		result.exit = &fate.Exit
	default:
		result.agent.process = p
		result.record.State, result.record.Process, result.record.Launcher = messages.RunRunning, p.Identity(), p.Launcher()
	}
	result.guard = ReadGuard(o.record.Directory)
	if err := result.agent.follow(o); err != nil {
		result.agent.close()
		return Lost{err}
	}
	return result
}

// find spawns a fresh run; for another, or when it is not certain that the spawn
// failed, it looks for the process.
func (o *opening) find(version string) (*process.Process, process.Fate, error) {
	if !o.fresh {
		failpoint.Hit(failpoint.BeforeAdopt)
		p, fate, err := process.Adopt(o.life, o.record)
		failpoint.Hit(failpoint.AfterAdopt)
		if fate.Start != nil {
			fate.Exit = CannotStart(fate.Start)
		}
		return p, fate, err
	}
	failpoint.Hit(failpoint.BeforeSpawn)
	if exit, refused := o.deps.Refused(o.record, version); refused {
		return nil, process.Fate{Exit: exit}, nil
	}
	spec, err := o.deps.Spec(o.session, o.record, o.resume)
	if err == nil {
		err = process.Prepare(o.record.Directory)
		if exit, lasts := o.deps.Prepared(err); lasts {
			return nil, process.Fate{Exit: exit}, nil
		}
	}
	if err == nil {
		var added []string
		spec.Argv, added, err = o.deps.Guard(o.session, o.record)
		spec.Argv, spec.Env = claude.Fit(spec.Argv, claudecode.Of(version)), append(spec.Env, added...)
	}
	if err != nil {
		return nil, process.Fate{Exit: CannotStart(err)}, nil
	}
	failpoint.Hit(failpoint.Prepared)
	p, err := process.Spawn(o.life, spec)
	failpoint.Hit(failpoint.AfterSpawn)
	var start *process.StartError
	switch {
	case err == nil:
		return p, process.Fate{}, nil
	case errors.As(err, &start):
		return nil, process.Fate{Exit: CannotStart(err)}, nil
	}
	p, fate, lost := process.Adopt(o.life, o.record)
	if lost == nil && fate.Outcome == process.NeverStarted {
		fate.Exit = CannotStart(err) // and would not the next time: no accident
	}
	return p, fate, lost
}

// CannotStart is the end of a run that could not begin, and why: the program or
// the working directory is gone, most likely.
func CannotStart(err error) messages.Exit {
	exit := messages.Exit{Known: true, Code: 127, Reason: err.Error()}
	var start *process.StartError
	if errors.As(err, &start) && start.Stage == process.StageFence {
		exit.Stage = string(start.Stage) // and would again: nothing is started with less than it was to have
	}
	if errors.As(err, &start) && (start.Stage == process.StageDirectory || start.Stage == process.StageExecute) && lasting(start.Err) {
		exit.Stage = string(start.Stage)
	}
	return exit
}

// lasting reports whether the next try would fail the same way.
func lasting(err error) bool {
	return slices.ContainsFunc([]error{
		fs.ErrNotExist, fs.ErrPermission, exec.ErrNotFound, exec.ErrDot, syscall.ENOTDIR, syscall.ENOEXEC, syscall.ELOOP,
	}, func(cause error) bool { return errors.Is(err, cause) })
}

// follow opens the spool at the consumed offset and asks to be told when it
// grows.
func (a *agent) follow(o opening) error {
	path := filepath.Join(o.record.Directory, process.StdoutFile)
	info, err := os.Stat(path)
	switch {
	case a.process != nil:
	case err == nil && info.Size() == o.offset:
		return nil // read to the end, a torn line included
	case o.offset == 0 && errors.Is(err, syscall.ENOTDIR):
		return nil // there is not even a place for one
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

// withoutSpool decides what it means that a spool cannot be opened.
func (a *agent) withoutSpool(err error, open func() (*spool.Reader, error)) error {
	switch kind := messages.KindOf(err); {
	case kind == messages.NotFound && a.process == nil:
		return nil // it never came to have one
	case kind == messages.DataLoss:
		a.damage = err // the next read tells
		return nil
	case kind == messages.Unavailable:
		a.reopen = open // so does it here
		return nil
	}
	return err
}

// read takes the next complete lines.
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

// size is how large the spool is; what cannot be told is told by the next read.
func (a *agent) size() int64 {
	if a.spool == nil {
		return 0
	}
	behind, _ := a.spool.Behind()
	return a.spool.Offset() + max(behind, 0)
}

// tail takes the torn last line of a spool whose writer is gone.
func (a *agent) tail() any {
	read := tailRead{complaint: lastWords(filepath.Join(a.record.Directory, process.StderrFile))}
	if a.spool != nil {
		read.batch, read.err = a.spool.Tail()
	}
	return read
}

// lastWords returns the end of a file, as much of it as is told to people. One
// that cannot be read says nothing.
func lastWords(path string) string {
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

// write puts one line into the pipe, when the agent has read what came before.
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

// signal sends a signal to the agent. One that has ended needs none.
func (a *agent) signal(s syscall.Signal) any {
	if a.process != nil {
		_ = a.process.Signal(s) // its end is what is waited for, however it comes
	}
	return nil
}

// freeze stops the agent in its tracks, thaw lets it go on. One that cannot be
// stopped runs on: what it says may be lost, and is told as torn lines.
func (a *agent) freeze(life context.Context) any {
	if a.process != nil {
		_ = a.process.Freeze(life) // the goroutine that waits for it sees its end
	}
	return agentStopped{a.size()}
}

func (a *agent) thaw() any {
	if a.process != nil {
		_ = a.process.Thaw() // the same
	}
	return nil
}

// kill ends the agent and whatever of it is left.
func (a *agent) kill(life context.Context) any {
	if a.process != nil {
		_ = a.process.KillTree(life)
		return nil
	}
	_ = process.KillLeftovers(life, a.record)
	return nil
}

// close gives back what is open. The process is not touched.
func (a *agent) close() {
	a.watch()
	if a.process != nil {
		a.process.Close()
	}
	if a.spool != nil {
		a.spool.Close()
	}
}
