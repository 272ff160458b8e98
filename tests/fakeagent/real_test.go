package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"betcode/tests/claudecli"
	"betcode/tests/model"
)

// TestLikeTheRealOne runs the same stories on the fake agent and on Claude Code
// (with the scripted model) and compares every line's kind, every lifecycle and
// every exit code. Both understand these prompts: echo:TEXT, run:COMMAND, ask.
func TestLikeTheRealOne(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real Claude Code")
	}
	claude, err := claudecli.Ensure(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	script, err := model.Ready("default")
	if err != nil {
		t.Fatal(err)
	}
	server, err := model.New(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })

	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := story(newTelling(t, newPlace(t), "stream:1000:10:20ms"))
			home := t.TempDir()
			genuine := story(newTelling(t, place{
				home: home, cwd: t.TempDir(), env: claudecli.Env(home, server.URL), program: claude,
			}, "slow"))
			if fake != genuine {
				t.Errorf("\nfake:\n%s\nreal:\n%s", fake, genuine)
			}
		})
	}
}

// telling is a story in progress on one of the two.
type telling struct {
	place
	t       *testing.T
	session string
	slow    string // a prompt whose answer takes long
	told    strings.Builder
}

func newTelling(t *testing.T, p place, slow string) *telling {
	return &telling{place: p, t: t, session: newUUID(), slow: slow}
}

// begin and resume start a process of the session.
func (s *telling) begin() *proc { return s.start(s.t, "--session-id", s.session) }

func (s *telling) resume(env ...string) *proc {
	p := s.place
	p.env = append(p.env[:len(p.env):len(p.env)], env...)
	return p.start(s.t, "--resume", s.session)
}

// tell records the run of a process: kinds of lines, the lifecycles of some messages.
func (s *telling) tell(a *proc, code int, uuids ...string) {
	fmt.Fprintf(&s.told, "exit %d: %s\n", code, a.story())
	for i, uuid := range uuids {
		fmt.Fprintf(&s.told, "  message %d: %s\n", i, a.lifecycles(uuid))
	}
}

// barrier waits until everything sent so far was read.
func (a *proc) barrier() {
	a.t.Helper()
	a.control("barrier", obj{"subtype": "get_binary_version"})
	a.wait("barrier", is("control_response"))
}

// streaming waits for a first piece of text.
func (a *proc) streaming() {
	a.t.Helper()
	a.wait("text", func(l map[string]any) bool {
		e, _ := l["event"].(map[string]any)
		return e["type"] == "content_block_delta"
	})
}

var stories = map[string]func(*telling) string{
	"two turns": func(s *telling) string {
		a := s.begin()
		one := a.user("echo:one")
		a.result()
		two := a.user("echo:two")
		fmt.Fprintln(&s.told, a.result()["result"])
		s.tell(a, a.eof(), one, two)
		return s.told.String()
	},
	"tool allowed, then denied, then denied with interrupt": func(s *telling) string {
		a := s.begin()
		for _, response := range []obj{
			{"behavior": "allow"},
			{"behavior": "deny", "message": "Not now."},
			{"behavior": "deny", "message": "lost", "interrupt": true},
		} {
			uuid := a.user("run:touch made.txt && echo hi")
			q := a.request()
			a.barrier() // the end of the message may come before or after the request
			a.answer(q, response)
			r := a.result()
			fmt.Fprintln(&s.told, r["subtype"], r["terminal_reason"], r["result"], len(r["permission_denials"].([]any)), uuid != "")
		}
		s.tell(a, a.eof())
		return s.told.String()
	},
	"question": func(s *telling) string {
		a := s.begin()
		a.user("ask")
		q := a.request()
		a.barrier()
		input := q["request"].(map[string]any)["input"].(map[string]any)
		input["answers"] = obj{"Which branch?": "main", "Which checks?": []string{"lint", "test"}, "Go on?": "after lunch"}
		a.answer(q, obj{"behavior": "allow", "updatedInput": input})
		_, told, _ := strings.Cut(fmt.Sprint(a.result()["result"]), "The user answered")
		fmt.Fprintln(&s.told, told)
		s.tell(a, a.eof())
		return s.told.String()
	},
	"merged messages, sent again after a kill": func(s *telling) string {
		a := s.begin()
		first := a.user(s.slow)
		a.streaming()
		second, third := a.user("please two"), a.user("please three")
		a.barrier()
		a.control("i", obj{"subtype": "interrupt"})
		a.result()
		r := a.result()
		fmt.Fprintln(&s.told, r["result"], r["user_message_uuid"] == third, len(r["user_message_uuids"].([]any)))
		a.wait("end of the third", func(l map[string]any) bool { return l["command_uuid"] == third })
		a.kill()
		s.tell(a, -1, first, second, third)
		b := s.resume()
		b.send(userMessage(second, "please two"), userMessage(third, "please three"))
		s.tell(b, b.eof(), second, third)
		return s.told.String()
	},
	"folded message, sent again after a kill": func(s *telling) string {
		a := s.begin()
		first := a.user("run:touch made.txt && echo hi")
		q := a.request()
		a.barrier()
		second := a.user("echo:two")
		a.barrier()
		a.answer(q, obj{"behavior": "allow"})
		fmt.Fprintln(&s.told, len(a.result()["user_message_uuids"].([]any)))
		a.wait("end of the first", func(l map[string]any) bool { return l["command_uuid"] == first })
		a.kill()
		s.tell(a, -1, first, second)
		b := s.resume()
		b.send(userMessage(second, "echo:two"))
		s.tell(b, b.eof(), second)
		return s.told.String()
	},
	"interrupted at a permission": func(s *telling) string {
		a := s.begin()
		uuid := a.user("run:touch made.txt && echo hi")
		a.request()
		a.barrier()
		a.control("i", obj{"subtype": "interrupt"})
		fmt.Fprintln(&s.told, a.result()["terminal_reason"])
		s.tell(a, a.eof(), uuid)
		b := s.resume(continues...)
		b.send(userMessage(uuid, "run:touch made.txt && echo hi"))
		s.tell(b, b.eof(), uuid)
		return s.told.String()
	},
	"killed at a permission, continued, sent again": func(s *telling) string {
		a := s.begin()
		uuid := a.user("run:touch made.txt && echo hi")
		a.request()
		s.onDisk(s.t, s.session, `"tool_use"`)
		a.kill()
		b := s.resume(continues...)
		b.send(userMessage(uuid, "run:touch made.txt && echo hi"))
		r := b.result()
		fmt.Fprintln(&s.told, r["resume_reason"], r["user_message_uuid"] == uuid)
		code := b.eof() // "completed" for the one sent again comes when that was read, early or late
		fmt.Fprintln(&s.told, code, strings.ReplaceAll(b.story(), " completed", ""), b.lifecycles(uuid))
		return s.told.String()
	},
	"terminated while streaming": func(s *telling) string {
		a := s.begin()
		uuid := a.user(s.slow)
		a.streaming()
		_ = a.cmd.Process.Signal(syscall.SIGTERM)
		s.tell(a, a.rest(), uuid)
		return s.told.String()
	},
	"end_session while streaming": func(s *telling) string {
		a := s.begin()
		uuid := a.user(s.slow)
		a.streaming()
		a.control("end", obj{"subtype": "end_session"})
		s.tell(a, a.rest(), uuid)
		return s.told.String()
	},
	"end of input at a permission": func(s *telling) string {
		a := s.begin()
		uuid := a.user("run:touch made.txt && echo hi")
		a.request()
		a.barrier()
		s.tell(a, a.eof(), uuid)
		return s.told.String()
	},
	"unknown session, bad input, id in use": func(s *telling) string {
		a := s.resume()
		s.tell(a, a.rest())
		fmt.Fprint(&s.told, strings.ReplaceAll(a.stderr.String(), s.session, "ID"))
		b := s.begin()
		b.send(`{"type":"user","message":{"role":"us`)
		s.tell(b, b.rest())
		fmt.Fprint(&s.told, b.stderr.String())
		c := s.begin()
		c.user("echo:hi")
		c.result()
		s.tell(c, c.eof())
		d := s.begin()
		s.tell(d, d.rest())
		fmt.Fprint(&s.told, strings.ReplaceAll(d.stderr.String(), s.session, "ID"))
		return s.told.String()
	},
	"uuid twice": func(s *telling) string {
		a := s.begin()
		uuid := a.user("echo:once")
		a.result()
		a.wait("completed", is("command_lifecycle"))
		a.send(userMessage(uuid, "echo:once"))
		a.barrier()
		a.kill()
		b := s.resume(continues...)
		b.send(userMessage(uuid, "echo:once"))
		b.barrier()
		s.tell(a, -1, uuid)
		s.tell(b, b.eof(), uuid)
		return s.told.String()
	},
}
