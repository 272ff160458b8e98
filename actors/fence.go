package actors

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"betcode/actors/health"
	"betcode/actors/internal/fence"
	"betcode/actors/internal/process"
	"betcode/actors/settings"
	"betcode/messages"
)

// fence adds the fence of a run to what its agent is started with: the directory behind
// symbolic links, what the agent may write to, and a directory of its own for temporary
// files. An agent that is to be fenced and cannot be is not started.
func (s *System) fence(spec *process.Spec, session messages.SessionRecord, run messages.RunRecord) error {
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
	temp := s.temporary(session.ID)
	for _, dir := range append(s.fenceHomes(), temp) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return refused(err)
		}
	}
	environ := append(slices.Clip(spec.Env), "TMPDIR="+temp, "CLAUDE_CODE_TMPDIR="+temp)
	writable, err := fence.Project{
		Directory: directory, Home: s.options.Home, Temp: temp, Environ: environ,
		Writable:  append(slices.Clone(s.settings.Load().FenceWritable), run.Options.Directories...),
		Protected: append([]string{filepath.Dir(s.options.RunsDirectory)}, s.options.Protected...),
	}.Plan()
	if err != nil {
		return refused(err)
	}
	spec.Dir, spec.Env, spec.Fence = directory, environ, writable
	return nil
}

// resolvedDirectory returns the working directory behind symbolic links, as it was when the session was created. It fails
// when a link leads elsewhere since: another fenced agent may have put it there.
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

// fenceHomes are directories that an agent would make in the home directory, where a
// fenced one cannot.
func (s *System) fenceHomes() []string {
	if s.options.Home == "" {
		return nil
	}
	return []string{filepath.Join(s.options.Home, ".claude"), filepath.Join(s.options.Home, ".cache")}
}

// temporary is where a fenced agent of a session keeps temporary files. Its path is short,
// because agents make sockets there.
func (s *System) temporary(session messages.SessionID) string {
	return filepath.Join(filepath.Dir(s.options.RunsDirectory), "tmp", string(session[:min(len(session), 8)]))
}

// fenceView is health's line about fences, where agents are fenced, or are to be.
func (s *System) fenceView(fenced map[messages.SessionID]bool) (messages.ComponentHealth, bool) {
	if s.settings.Load().Fence != settings.FenceProject && len(fenced) == 0 {
		return messages.ComponentHealth{}, false
	}
	c := messages.ComponentHealth{Name: "fence", Serving: true, Checked: s.now(), Message: fmt.Sprintf("%d agents fenced", len(fenced))}
	if len(fenced) > 0 {
		c.Message += ": " + health.Names(fenced)
	}
	if s.settings.Load().Fence != settings.FenceProject {
		return c, true
	}
	version, err := fence.Available()
	switch {
	case err != nil:
		c.Serving, c.State, c.Message = false, "fence_unavailable", err.Error()
		c.Reason, c.Impact = "Agents are to be fenced, and this system cannot", "No agent is started"
	case !fence.HoldsSignals(version):
		c.State, c.Reason = "fence_partial", "The kernel's Landlock does not hold signals (Linux 6.12 does)"
		c.Impact = "Fenced agents may signal any process of yours"
	}
	return c, true
}
