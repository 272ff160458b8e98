package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSignals(t *testing.T) {
	for _, c := range []struct {
		name, prompt, until string
		signal              syscall.Signal
		code                int
		story               string // after the line waited for
	}{
		{"int idle", "", "", syscall.SIGINT, 0, ""},
		{"term idle", "", "", syscall.SIGTERM, 143, ""},
		{"hup idle", "", "", syscall.SIGHUP, 129, ""},
		{"int streaming", "stream:1000:9:5ms", "init", syscall.SIGINT, 0, "user result cancelled"},
		{"term streaming", "stream:1000:9:5ms", "init", syscall.SIGTERM, 143, ""},
		{"int asked", "run:true", "control_request", syscall.SIGINT, 0, "control_cancel_request user user cancelled"},
		{"term asked", "run:true", "control_request", syscall.SIGTERM, 143, ""},
		{"term when stuck", "hang", "init", syscall.SIGTERM, 143, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newPlace(t).start(t)
			a.control("up", obj{"subtype": "initialize"})
			a.wait("answer", is("control_response"))
			if c.prompt != "" {
				a.user(c.prompt)
				a.wait(c.until, is(c.until))
			}
			a.seen = nil
			if err := a.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if code := a.rest(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			got := strings.TrimPrefix(strings.TrimPrefix(a.story(), "status"), " ")
			if got = strings.TrimPrefix(got, "assistant "); got != c.story {
				t.Errorf("lines %q, want %q", got, c.story)
			}
		})
	}
}

// startTool runs a command that waits, and returns once it runs.
func startTool(t *testing.T, p place, a *proc) (pid int) {
	t.Helper()
	a.user("run:echo $$ > pid.tmp; mv pid.tmp pid; while [ ! -e release ]; do sleep 0.02; done; echo released")
	a.answer(a.request(), obj{"behavior": "allow"})
	return pidIn(t, filepath.Join(p.cwd, "pid"))
}

func pidIn(t *testing.T, path string) int {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if b, err := os.ReadFile(path); err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
			return pid
		}
	}
	t.Fatal("the tool did not start")
	return 0
}

func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if syscall.Kill(pid, 0) != nil {
			return
		}
	}
	t.Errorf("process %d still runs", pid)
}

func TestTermKillsTheTool(t *testing.T) {
	p := newPlace(t)
	a := p.start(t)
	pid := startTool(t, p, a)
	a.seen = nil
	if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := a.rest(); code != 143 {
		t.Errorf("exit code %d", code)
	}
	a.expect("user status")
	gone(t, pid)
}

func TestInterruptKillsTheTool(t *testing.T) {
	p := newPlace(t)
	a := p.start(t)
	pid := startTool(t, p, a)
	a.control("i", obj{"subtype": "interrupt"})
	if r := a.result(); r["terminal_reason"] != "aborted_tools" {
		t.Errorf("result = %v", r)
	}
	gone(t, pid)
}

func TestKillLeavesTheToolRunning(t *testing.T) {
	p := newPlace(t)
	a := p.start(t)
	pid := startTool(t, p, a)
	_ = a.cmd.Process.Kill()
	a.code()
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("the tool died too: %v", err)
	}
}

func TestEOF(t *testing.T) {
	t.Run("finishes the turn and the queue", func(t *testing.T) {
		a := newPlace(t).start(t)
		a.user("stream:5:10:10ms")
		a.wait("init", is("init"))
		a.user("echo:queued")
		if code := a.eof(); code != 0 || strings.Count(a.story(), "result") != 2 {
			t.Errorf("code %d, %s", code, a.story())
		}
	})
	t.Run("a permission fails and the turn goes on", func(t *testing.T) {
		a := newPlace(t).start(t)
		a.user("run:true")
		a.request()
		if code := a.eof(); code != 0 || !strings.HasSuffix(a.story(), "user status assistant result completed") {
			t.Errorf("code %d, %s", code, a.story())
		}
	})
	t.Run("a question is withdrawn", func(t *testing.T) {
		a := newPlace(t).start(t)
		a.user("ask")
		a.request()
		if code := a.eof(); code != 1 || !strings.HasSuffix(a.story(), "control_cancel_request user user result cancelled") {
			t.Errorf("code %d, %s", code, a.story())
		}
	})
	t.Run("the last line needs no newline", func(t *testing.T) {
		a := newPlace(t).start(t)
		if _, err := a.stdin.Write([]byte(userMessage(newUUID(), "echo:hi"))); err != nil {
			t.Fatal(err)
		}
		if code := a.eof(); code != 0 || !strings.HasSuffix(a.story(), "result completed") {
			t.Errorf("code %d, %s", code, a.story())
		}
	})
}

func TestEndSession(t *testing.T) {
	a := newPlace(t).start(t)
	a.user("stream:1000:10:5ms")
	a.wait("init", is("init"))
	a.control("end", obj{"subtype": "end_session"})
	if code := a.rest(); code != 1 || !strings.HasSuffix(a.story(), "result cancelled") {
		t.Errorf("code %d, %s", code, a.story())
	}
}

// TestFIFO runs the agent with a FIFO as input, like a supervisor that may die before it.
func TestFIFO(t *testing.T) {
	p := newPlace(t)
	fifo := filepath.Join(t.TempDir(), "stdin")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	a := p.startWith(t, in)
	for i := range 3 {
		w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString(userMessage(newUUID(), "echo:"+strconv.Itoa(i)) + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil { // no writer is left, and that means nothing
			t.Fatal(err)
		}
		if r := a.result(); r["result"] != strconv.Itoa(i) {
			t.Errorf("result %d = %v", i, r["result"])
		}
	}
	if _, err := in.WriteString(`{"type":"control_request","request_id":"x","request":{"subtype":"end_session"}}` + "\n"); err != nil {
		t.Fatal(err)
	}
	if code := a.rest(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
