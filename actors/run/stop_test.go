package run

import (
	"errors"
	"testing"

	"betcode/messages"
)

// The steps by which an agent, or its turn, is ended.
func TestRunStops(t *testing.T) {
	up := agentUp{record: messages.RunRecord{Run: 3}}
	orderly, resumable := Stop{StopOrderly}, Stop{StopResumable}
	live := runStep{up, "started(adopted false), read"}
	for _, c := range []struct {
		name  string
		steps []runStep
	}{
		{"orderly, at the first word", []runStep{
			live,
			{orderly, "write end_session, in 3s {n:1}"},
			{exited(0), "kill"}, // of what it left behind
			{lines(0), "read"},
			{lines(0), "tail"},
			{torn(0, ""), "output 0-0, close, ended(0)"},
			{stopStage{1}, ""},
			{stopStage{2}, ""},
		}},
		{"orderly, with all the force there is", []runStep{
			live,
			{orderly, "write end_session, in 3s {n:1}"},
			{stopStage{1}, "terminated, in 3s {n:2}"},
			{stopStage{2}, "kill"},
			{agentExited{messages.Exit{Known: true, Signal: "killed", Code: 137}}, "kill"},
		}},
		{"resumable", []runStep{
			live,
			{resumable, "terminated, in 5s {n:2}"},
			{stopStage{2}, "kill"},
		}},
		{"the first wish stands", []runStep{
			live,
			{resumable, "terminated, in 5s {n:2}"},
			{orderly, ""},
			{resumable, ""},
		}},
		{"before it is up: as soon as it is", []runStep{
			{orderly, ""},
			{up, "started(adopted false), write end_session, in 3s {n:1}"},
			{spoolGrew{}, "read"},
		}},
		{"before it is up, for the daemon's end", []runStep{
			{resumable, ""},
			{up, "started(adopted false), terminated, in 5s {n:2}"},
		}},
		{"it never comes up", []runStep{
			{orderly, ""},
			{exited(127), "kill, read"},
			{linesRead{}, "tail"},
			{tailRead{}, "output 0-0, close, ended(127)"},
		}},
		{"when it has ended already", []runStep{
			{exited(0), "read"},
			{orderly, ""},
			{linesRead{}, "tail"},
			{tailRead{}, "output 0-0, close, ended(0)"},
		}},
		{"its output is read on meanwhile", []runStep{
			live,
			{lines(0), ""},
			{orderly, "write end_session, in 3s {n:1}"},
			{spoolGrew{}, "read"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { walkRun(t, runWith(maxCredits), c.steps) })
	}
}

func TestRunInterrupts(t *testing.T) {
	live := runStep{agentUp{record: messages.RunRecord{Run: 3}}, "started(adopted false), read"}
	asks := runStep{Interrupt{"i"}, "write interrupt, in 5s {id:i}"}
	for _, c := range []struct {
		name  string
		steps []runStep
	}{
		{"and the turn ends", []runStep{live, asks, {InterruptDone{"i"}, ""}, {interruptGrace{"i"}, ""}}},
		{"and nothing happens", []runStep{live, asks, {interruptGrace{"i"}, "interrupt"}, {interruptGrace{"i"}, ""}}},
		{"and another turn ends", []runStep{live, asks, {InterruptDone{"h"}, ""}, {interruptGrace{"i"}, "interrupt"}}},
		{"twice: each waits its own time", []runStep{
			live, asks,
			{Interrupt{"j"}, "write interrupt, in 5s {id:j}"},
			{interruptGrace{"i"}, ""},
			{interruptGrace{"j"}, "interrupt"},
		}},
		{"and it has gone meanwhile", []runStep{live, asks, {lines(0), ""}, {exited(0), "read"}, {interruptGrace{"i"}, ""}}},
	} {
		t.Run(c.name, func(t *testing.T) { walkRun(t, runWith(maxCredits), c.steps) })
	}
}

func TestRunWrites(t *testing.T) {
	line := []byte("x")
	gone := errors.New("nobody reads")
	for _, c := range []struct {
		name  string
		steps []runStep
	}{
		{"a message", []runStep{
			{WriteInput{Key: "k", Line: line}, "write k"},
			{lineWritten{what: writing{key: "k"}}, "written k"},
		}},
		{"a message that does not fit waits for the session", []runStep{
			{WriteInput{Key: "k", Line: line}, "write k"},
			{lineWritten{what: writing{key: "k"}, long: true}, "too long k"},
			{WriteInput{Key: "k", Line: line, Long: true}, "write k in pieces"},
			{lineWritten{what: writing{key: "k", long: true}}, "written k"},
		}},
		{"an answer", []runStep{
			{WriteAnswer{Request: "r", Line: line}, "write r"},
			{lineWritten{what: writing{request: "r"}}, "answered r"},
		}},
		{"an answer that does not fit is written all the same", []runStep{
			{WriteAnswer{Request: "r", Line: line}, "write r"},
			{lineWritten{what: writing{request: "r"}, long: true}, "write r in pieces"},
			{lineWritten{what: writing{request: "r", long: true}}, "answered r"},
		}},
		{"a control request", []runStep{
			{WriteControl{[]byte(`{"subtype":"set_model"}`)}, "write set_model"},
			{lineWritten{what: writing{}}, ""},
		}},
		{"a message to an agent that is gone", []runStep{{lineWritten{what: writing{key: "k"}, err: gone}, "in 2s {}"}}},
		{"an answer to an agent that is gone", []runStep{{lineWritten{what: writing{request: "r"}, err: gone}, "in 2s {}"}}},
		{"a control request to an agent that is gone", []runStep{{lineWritten{what: writing{}, err: gone}, "in 2s {}"}}},
		{"a long message that could not be finished", []runStep{{lineWritten{what: writing{key: "k", long: true}, err: gone}, "in 2s {}"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := runWith(maxCredits)
			s.phase = phaseLive
			walkRun(t, s, c.steps)
		})
	}
}

// Lines that are written before the pipe is open wait; after the end of the run they fail.
func TestRunWritesOnlyToALiveAgent(t *testing.T) {
	walkRun(t, runWith(maxCredits), []runStep{
		{WriteControl{[]byte(`{"subtype":"set_model"}`)}, ""},
		{WriteInput{Key: "k"}, ""},
		{agentUp{record: messages.RunRecord{Run: 3}}, "started(adopted false), write set_model, write k, read"},
		{WriteAnswer{Request: "r"}, "write r"},
		{lines(0), ""},
		{exited(0), "read"},
		{WriteAnswer{Request: "r"}, ""},
		{WriteInput{Key: "k"}, ""},
		{lines(0), "tail"},
		{torn(0, ""), "output 0-0, close, ended(0)"},
		{WriteInput{Key: "k"}, ""},
	})
}

// An agent that takes no line has ended, or has closed its stdin.
func TestRunThatHearsNothing(t *testing.T) {
	up := runStep{agentUp{record: messages.RunRecord{Run: 3}}, "started(adopted false), read"}
	fails := lineWritten{what: writing{key: "k"}, err: errors.New("nobody reads")}
	for _, c := range []struct {
		name  string
		steps []runStep
	}{
		{"and lives", []runStep{up, {fails, "in 2s {}"}, {fails, ""}, {stdinDue{}, "stdin closed"}}},
		{"and has ended", []runStep{up, {fails, "in 2s {}"}, {exited(1), "kill"}, {stdinDue{}, ""}}},
		{"and has left something unread", []runStep{up, {inputClosed{7}, "in 2s {}"}, {fails, ""}, {stdinDue{}, "stdin closed"}}},
		{"and has left it and ended", []runStep{up, {inputClosed{7}, "in 2s {}"}, {exited(1), "kill"}, {stdinDue{}, ""}}},
		{"and has read everything", []runStep{up, {inputClosed{}, ""}}},
		{"and is ended", []runStep{
			up,
			{fails, "in 2s {}"},
			{Stop{StopResumable}, "terminated, in 5s {n:2}"},
			{stdinDue{}, ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { walkRun(t, runWith(maxCredits), c.steps) })
	}
}
