package voice

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// tail is how long a recogniser may keep its output open after its end.
const tail = time.Second

// errOver ends a program that has closed its output.
var errOver = errors.New("the recogniser has closed its output")

// Command is a [Recogniser] that is a program. It reads audio from its standard input as it arrives, and writes results
// to its standard output. Its arguments are not interpreted by a shell.
type Command struct{ Argv []string }

// inherited lists the variables that the program gets from the environment of the portal. None of them is secret.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"}

func environment(a Audio) []string {
	all := []string{"BETCODE_AUDIO_TYPE=" + a.Type, "BETCODE_LANGUAGE=" + a.Language}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// Recognise implements [Recogniser].
func (c Command) Recognise(ctx context.Context, a Audio, say func(Result)) error {
	if len(c.Argv) == 0 {
		return startError{errors.New("no program")}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errOver)
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...) //nolint:gosec // the user of the portal configures it
	complaint := &head{}
	cmd.Env, cmd.Stderr, cmd.WaitDelay = environment(a), complaint, tail
	together(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return startError{err}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return startError{err}
	}
	if err := cmd.Start(); err != nil {
		return startError{err}
	}
	defer endGroup(cmd)
	go func() { // ends with the recording, which the caller cancels after this returns
		defer in.Close()
		if _, err := io.Copy(in, a); err != nil && !brokenPipe(err) && !errors.Is(err, os.ErrClosed) {
			cancel(err)
		}
	}()
	var resultsErr error
	read := make(chan struct{})
	go func() {
		defer close(read)
		resultsErr = results(out, say)
	}()
	select {
	case <-read:
		if resultsErr != nil {
			cancel(resultsErr)
		}
		late := time.AfterFunc(tail, func() { cancel(errOver) }) // it has closed its output and should end soon
		defer late.Stop()
	case <-ctx.Done():
	}
	ended := cmd.Wait() // closes the output
	<-read
	switch {
	case errors.Is(context.Cause(ctx), errOver): // it has sent all results
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return complaint.because(ended)
}
