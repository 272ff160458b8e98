package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/config"
	"betcode/messages"
)

// The exit codes: those of the API document, and the shell's own for Ctrl-C.
const (
	exitOK          = 0
	exitFailed      = 1
	exitConnection  = 2
	exitDenied      = 3
	exitRateLimited = 4
	exitUsage       = 5
	exitNotFound    = 6
	exitInternal    = 7
	exitInterrupted = 130
)

// exitCodes is what `betcode exit-codes` prints.
var exitCodes = []struct {
	code          int
	name, meaning string
}{
	{exitOK, "success", "it worked"},
	{exitFailed, "agent error", "the agent reported an error, or the session is in no state for this"},
	{exitConnection, "connection failure", "no daemon answers, or it went away for longer than --connect-timeout"},
	{exitDenied, "permission denied", "another client holds the input lock; an agent tried what only people may; or in `run`, a tool was denied because nobody was there to ask"},
	{exitRateLimited, "rate limited", "a limit is reached: of the model's provider, or of agents that may run"},
	{exitUsage, "invalid arguments", "the command line or a value in it is wrong"},
	{exitNotFound, "not found", "there is no such session or permission request"},
	{exitInternal, "internal error", "the daemon failed; its log says more"},
	{exitInterrupted, "interrupted", "Ctrl-C"},
}

// codeExits is the table from gRPC codes to exit codes.
var codeExits = map[codes.Code]int{
	codes.OK:                 exitOK,
	codes.Canceled:           exitInterrupted,
	codes.Unknown:            exitInternal,
	codes.InvalidArgument:    exitUsage,
	codes.DeadlineExceeded:   exitConnection,
	codes.NotFound:           exitNotFound,
	codes.AlreadyExists:      exitFailed,
	codes.PermissionDenied:   exitDenied,
	codes.ResourceExhausted:  exitRateLimited,
	codes.FailedPrecondition: exitFailed,
	codes.Aborted:            exitFailed,
	codes.OutOfRange:         exitUsage,
	codes.Unimplemented:      exitInternal,
	codes.Internal:           exitInternal,
	codes.Unavailable:        exitConnection,
	codes.DataLoss:           exitInternal,
	codes.Unauthenticated:    exitDenied,
}

// kindExits is the same for errors of a daemon that runs in this process.
var kindExits = map[messages.Kind]int{
	messages.Invalid:       exitUsage,
	messages.NotFound:      exitNotFound,
	messages.Denied:        exitDenied,
	messages.Exhausted:     exitRateLimited,
	messages.Unavailable:   exitFailed, // another daemon is there
	messages.WrongState:    exitFailed,
	messages.AlreadyExists: exitFailed,
	messages.Canceled:      exitInterrupted,
}

// usageError is a mistake on the command line.
type usageError struct{ error }

// Unwrap returns the mistake.
func (e usageError) Unwrap() error { return e.error }

// exitError is an error that knows its exit code. A nil err says nothing: it has
// been said already.
type exitError struct {
	code int
	err  error
}

// Error implements error.
func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e exitError) Unwrap() error { return e.err }

// exitCode is the code a command ends with.
func exitCode(err error) int {
	var (
		usage  usageError
		exit   exitError
		ours   *messages.Error
		file   *config.FileError
		remote interface{ GRPCStatus() *status.Status }
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage), errors.As(err, &file):
		return exitUsage
	case errors.As(err, &remote):
		s := remote.GRPCStatus()
		if reasonOf(s) == string(messages.SubprocessCrashed) {
			return exitFailed
		}
		if code, ok := codeExits[s.Code()]; ok {
			return code
		}
		return exitInternal
	case errors.As(err, &ours):
		if code, ok := kindExits[ours.Kind]; ok {
			return code
		}
		return exitInternal
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, context.DeadlineExceeded):
		return exitConnection
	}
	return exitFailed
}

// reasonOf is the catalogue's code of a status.
func reasonOf(s *status.Status) string {
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info.GetReason()
		}
	}
	return ""
}

// report says on standard error what went wrong, for people, and returns the exit
// code.
func (p *program) report(err error) int {
	code := exitCode(err)
	var exit exitError
	if silent := errors.As(err, &exit) && exit.err == nil; err != nil && !silent && code != exitInterrupted {
		fmt.Fprintf(p.stderr, "betcode: %s\n", explain(err))
	}
	return code
}

// explain is an error in words: the daemon's own sentence where there is one.
func explain(err error) string {
	var ours *messages.Error
	if errors.As(err, &ours) && ours.Hint != "" {
		return err.Error() + ". Hint: " + ours.Hint
	}
	var remote interface{ GRPCStatus() *status.Status }
	if errors.As(err, &remote) {
		return printableLine(remote.GRPCStatus().Message())
	}
	return err.Error()
}

func (p *program) exitCodesCommand() *cli.Command {
	return &cli.Command{
		Name: "exit-codes", Usage: "list what the exit codes mean", Category: helpTopics,
		Action: func(*cli.Context) error {
			w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
			for _, e := range exitCodes {
				fmt.Fprintf(w, "%d\t%s\t%s\n", e.code, e.name, e.meaning)
			}
			return w.Flush()
		},
	}
}

func (p *program) environmentCommand() *cli.Command {
	return &cli.Command{
		Name: "environment", Usage: "list the environment variables that are read", Category: helpTopics,
		Action: func(*cli.Context) error {
			w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
			for _, v := range environment() {
				fmt.Fprintf(w, "%s\t%s\n", v[0], v[1])
			}
			return w.Flush()
		},
	}
}

// environment is every variable that counts, with what it is for.
func environment() [][2]string {
	all := [][2]string{
		{"BETCODE_CONFIG_DIR", "directory of settings.json and daemon.toml"},
		{"BETCODE_AUTOSTART", "1: start a daemon if none runs"},
		{"BETCODE_ADDRESS", "host:port of a daemon that is reached over TCP"},
		{"BETCODE_TOKEN_FILE", "file with the token for it"},
		{"BETCODE_TLS", "1: it speaks TLS"},
		{"BETCODE_TLS_CA", "file with the certificate of the authority that signed the daemon's"},
		{"BETCODE_CONNECT_TIMEOUT", "how long to wait for a lost daemon when no person watches"},
	}
	for _, s := range config.Table() {
		if s.Env != "" {
			all = append(all, [2]string{s.Env, s.Help + " (" + s.Name + ")"})
		}
	}
	return append(all,
		[2]string{"BETCODE_GITLAB_TOKEN, GITLAB_TOKEN", "a token of the GitLab, where gitlab.token_file names none (daemon)"},
		[2]string{"NO_COLOR", "no colours"})
}
