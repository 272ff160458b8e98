package run

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"slices"
	"syscall"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/process"
	"betcode/messages"
	"betcode/messages/claudecode"
	"betcode/messages/failpoint"
)

// NeverStarted is the reason of the exit of a run that never had a process.
const NeverStarted = "never started"

// opening is everything the first job of a run needs.
type opening struct {
	deps    *Deps
	session messages.SessionRecord
	record  messages.RunRecord
	offset  int64
	fresh   bool // may spawn
	resume  bool // an interrupted turn is to be continued
	notify  func()
	life    context.Context
}

// open starts the process, or finds it or its exit.
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

// find spawns a fresh run. For another run, or when it is not certain that the spawn
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
		fate.Exit = CannotStart(err) // the next start would fail the same way: no crash
	}
	return p, fate, lost
}

// CannotStart returns the exit of a run that could not begin, with the reason. Most likely
// the program or the working directory does not exist.
func CannotStart(err error) messages.Exit {
	exit := messages.Exit{Known: true, Code: 127, Reason: err.Error()}
	var start *process.StartError
	if errors.As(err, &start) && start.Stage == process.StageFence {
		exit.Stage = string(start.Stage) // a later start would fail too: no start drops a part of the spec
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
