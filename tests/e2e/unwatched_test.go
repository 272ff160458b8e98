package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// notify.exec runs for a request that no client can answer: at once without a client, and soon
// after the last client that may answer has detached or become an observer.
func TestRequestIsAnnouncedWhenNobodyWatches(t *testing.T) {
	t.Parallel()
	w, err := kit.NewWorld(binaries.betcode, binaries.fake)
	if err != nil {
		t.Fatal(err)
	}
	heard := filepath.Join(w.Root, "heard")
	program := filepath.Join(w.Root, "notify.sh")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n(cat; echo) >>'"+heard+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.Extra = append(w.Extra, "BETCODE_NOTIFY_EXEC="+program)
	s := storyIn(t, w)
	announced := func(id string) int {
		text, _ := os.ReadFile(heard) // missing before the first notification
		count := 0
		for _, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "PERMISSION") && strings.Contains(line, id) {
				count++
			}
		}
		return count
	}
	ask := func() (string, *kit.Stream) {
		id := session()
		c := s.converse("person", id)
		s.say(c, "run:true")
		s.wait(c, 0, kit.IsPermission)
		return id, c
	}
	left, first := ask()
	turned, second := ask()
	watched, third := ask()
	first.Close()
	second.Close()
	s.converseWith("person", &pb.StartConversation{SessionId: turned, Observer: true})
	for _, id := range []string{left, turned} {
		s.eventually("the request of "+id+" is announced", func() bool { return announced(id) == 1 })
	}
	if n := announced(watched); n != 0 {
		t.Errorf("a request that a person looks at is announced %d times", n)
	}
	third.Close()
	s.eventually("the third is announced", func() bool { return announced(watched) == 1 })
	if n := announced(left) + announced(turned); n != 2 {
		t.Errorf("two requests are announced %d times", n)
	}
}

// What the agent refuses by a rule of its user's own settings is in the audit log, and in
// the daemon's log as a warning.
func TestRealDenialOfTheAgentIsAudited(t *testing.T) {
	t.Parallel()
	s, _ := newReal(t)
	s.writeAt(filepath.Join(s.world.Home, ".claude", "settings.json"), `{"permissions": {"deny": ["Bash(touch *)"]}}`)
	id := session()
	c := s.converse("a", id)
	s.say(c, "tool please")
	_, next := s.wait(c, 0, kit.IsTurnComplete)
	s.wait(c, next, kit.IsIdle)
	if s.exists("made.txt") {
		t.Fatal("the tool ran")
	}
	s.eventually("the denial is in the audit log", func() bool {
		for _, e := range s.audited("--session", id, "--type", "permission_deny") {
			if e["actor_type"] == "system" && strings.Contains(fmt.Sprint(e), "Bash") {
				return true
			}
		}
		return false
	})
	s.logs(`"level":"warn"`, "permission denied", `"by":"agent"`, id)
}
