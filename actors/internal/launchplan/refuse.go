package launchplan

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"betcode/actors/run"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// Refused reports whether an agent of a version is not started in a run, with the exit of the run.
func Refused(record messages.RunRecord, version string) (messages.Exit, bool) {
	if advice := tooOld(version); advice != "" {
		return messages.Exit{Known: true, Code: 127, Reason: advice, Stage: run.StageVersion}, true
	}
	return optionsRefused(record.Options, version)
}

// tooOld returns how to replace a version that is no longer supported; empty for others.
func tooOld(version string) (advice string) {
	if claudecode.Level(version) != claudecode.Incompatible {
		return ""
	}
	return claudecode.Advice(version)
}

// LackingOption returns the option that a version lacks, empty if it has all.
func LackingOption(o messages.AgentOptions, version string) string {
	for _, name := range o.Names() {
		if claudecode.LacksOption(version, name) {
			return fmt.Sprintf("Claude Code %s has no option --%s; %s has", version, name, claudecode.OptionFrom(name))
		}
	}
	return ""
}

// optionsRefused returns the exit of a run that is not started because the installed program
// lacks an option, or because an additional directory has changed.
func optionsRefused(o messages.AgentOptions, version string) (messages.Exit, bool) {
	if lacking := LackingOption(o, version); lacking != "" {
		return messages.Exit{Known: true, Code: 127, Reason: lacking, Stage: run.StageVersion}, true
	}
	for _, dir := range o.Directories {
		target, err := filepath.EvalSymlinks(dir)
		if err == nil && target != dir {
			err = errors.New("it has become a symbolic link")
		}
		if err != nil {
			exit := messages.Exit{Known: true, Code: 127, Reason: fmt.Sprintf("additional directory %s: %v", dir, err)}
			if target != "" || errors.Is(err, fs.ErrNotExist) {
				exit.Stage = "directory"
			}
			return exit, true
		}
	}
	return messages.Exit{}, false
}
