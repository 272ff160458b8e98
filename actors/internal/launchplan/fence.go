package launchplan

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"betcode/actors/internal/fence"
	"betcode/actors/internal/process"
	"betcode/messages"
)

// fence adds the fence of a run to the spec of its agent: the directory with symbolic links resolved, the writable
// paths, and a directory of its own for temporary files. It fails if the agent is to be
// fenced and cannot be.
func (p *Planner) fence(spec *process.Spec, session messages.SessionRecord, run messages.RunRecord) error {
	if run.Fence == "" {
		return nil
	}
	refused := func(err error) error {
		return &process.StartError{Stage: process.StageFence, Path: session.WorkingDirectory, Err: err}
	}
	if _, err := fence.Available(); err != nil {
		return refused(err)
	}
	directory, err := resolvedDirectory(session)
	if err != nil {
		return refused(err)
	}
	temp := p.Temporary(session.ID)
	for _, dir := range append(p.homes(), temp) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return refused(err)
		}
	}
	environ := append(slices.Clip(spec.Env), "TMPDIR="+temp, "CLAUDE_CODE_TMPDIR="+temp)
	writable, err := fence.Project{
		Directory: directory, Home: p.deps.Home, Temp: temp, Environ: environ,
		Writable:  append(slices.Clone(p.deps.Settings().FenceWritable), run.Options.Directories...),
		Protected: append([]string{filepath.Dir(p.deps.Runs)}, p.deps.Protected...),
	}.Plan()
	if err != nil {
		return refused(err)
	}
	spec.Dir, spec.Env, spec.Fence = directory, environ, writable
	return nil
}

// resolvedDirectory returns the working directory with symbolic links resolved, as they were when the session was created. It
// fails if a link leads elsewhere since: another fenced agent may have put it there.
func resolvedDirectory(session messages.SessionRecord) (string, error) {
	wanted := cmp.Or(session.Resolved, session.WorkingDirectory)
	now, err := filepath.EvalSymlinks(session.WorkingDirectory)
	if err != nil {
		return "", err
	}
	if now != wanted {
		return "", messages.Errorf("fence agent", messages.Invalid, "%s leads to %s, and led to %s when the session was created", session.WorkingDirectory, now, wanted).
			WithHint("look at the symbolic link; if it is yours, start another session there")
	}
	return wanted, nil
}

// homes are the directories that agents make in the home directory. A fenced agent cannot make them.
func (p *Planner) homes() []string {
	if p.deps.Home == "" {
		return nil
	}
	return []string{filepath.Join(p.deps.Home, ".claude"), filepath.Join(p.deps.Home, ".cache")}
}
