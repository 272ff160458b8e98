package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// indexFile is the file of the search index.
func (s *story) indexFile() string { return filepath.Join(s.world.StateDir(), "search", "index.db") }

// found searches until the index has everything, and returns the hits as "session:number".
func (s *story) found(query string) []string {
	s.Helper()
	var hits []string
	s.eventually("the index has everything", func() bool {
		r, err := s.daemon.Search().Search(s.Context(), &pb.SearchRequest{Query: query, PageSize: 500, Order: pb.SearchOrder_SEARCH_ORDER_TIME})
		if err != nil || r.GetEventsBehind() > 0 {
			return false
		}
		hits = nil
		for _, h := range r.GetHits() {
			hits = append(hits, fmt.Sprintf("%s:%d", h.GetSessionId(), h.GetSequence()))
		}
		return true
	})
	slices.Sort(hits)
	return hits
}

// spoken returns the parts of a session's history that have a word, as found does, from the events themselves.
func (s *story) spoken(id, word string) []string {
	var hits []string
	var block strings.Builder
	first := uint64(0)
	end := func() {
		if strings.Contains(block.String(), word) {
			hits = append(hits, fmt.Sprintf("%s:%d", id, first))
		}
		block.Reset()
		first = 0
	}
	for _, e := range s.replay(id, 0) {
		switch delta := e.GetTextDelta(); {
		case delta != nil:
			if first == 0 {
				first = e.GetSequence()
			}
			block.WriteString(delta.GetText())
			if delta.GetIsComplete() {
				end()
			}
		case e.GetUserInput() != nil:
			end()
			if strings.Contains(e.GetUserInput().GetContent(), word) {
				hits = append(hits, fmt.Sprintf("%s:%d", id, e.GetSequence()))
			}
		case e.GetTurnComplete() != nil, e.GetRun() != nil:
			end()
		}
	}
	slices.Sort(hits)
	return hits
}

// Every event is found, and found once, when the daemon is killed while it indexes.
func TestSearchSurvivesKills(t *testing.T) {
	t.Parallel()
	const rounds = 8
	s := newStory(t, binaries.fake)
	dice := rand.New(rand.NewPCG(7, 0))
	ids := []string{session(), session()}
	for round := range rounds {
		id := ids[round%2]
		c := s.converse("a", id)
		s.say(c, fmt.Sprintf("stream:60:20:1ms\necho:lighthouse %d", round))
		if round%3 == 0 {
			s.wait(c, 0, kit.IsTurnComplete)
		}
		time.Sleep(time.Duration(dice.IntN(700)) * time.Millisecond) // the instant is the test
		s.daemon.Kill()
		c.Close()
		s.start()
	}
	var want []string
	for _, id := range ids {
		s.eventually("no turn of "+id+" is left", func() bool {
			shown := s.shown(id)
			return shown.GetSummary().GetStatus() == "idle" && len(shown.GetInputs()) == 0
		})
	}
	for _, id := range ids {
		want = append(want, s.spoken(id, "lighthouse")...)
	}
	slices.Sort(want)
	if got := s.found("lighthouse"); !slices.Equal(got, want) || len(want) < rounds {
		t.Errorf("found %v\nspoken %v", got, want)
	}
}

// An index that is damaged is built anew, with a line in the log, also while the daemon runs.
func TestSearchIndexIsBuiltAnew(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:lighthouse")
	s.wait(c, 0, kit.IsTurnComplete)
	want := s.found("lighthouse")
	if len(want) != 2 {
		t.Fatalf("found %v", want)
	}
	for name, harm := range map[string]func() error{
		"flipped": func() error {
			raw, err := os.ReadFile(s.indexFile())
			if err != nil {
				return err
			}
			for at := 2 * 4096; at < len(raw); at += 64 {
				raw[at] ^= 0x40
			}
			return os.WriteFile(s.indexFile(), raw, 0o600)
		},
		"truncated": func() error { return os.Truncate(s.indexFile(), 4096+17) },
	} {
		if _, err := s.daemon.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		s.start()
		if got := s.found("lighthouse"); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", name, got, want)
		}
		if _, err := s.daemon.Logged("the index is built anew", func(line string) bool { return strings.Contains(line, "it is built anew") }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Truncate(s.indexFile(), 4096); err != nil { // below the running daemon, which has it mapped
		t.Fatal(err)
	}
	s.eventually("the index works again", func() bool {
		r, err := s.daemon.Search().Search(t.Context(), &pb.SearchRequest{Query: "lighthouse"})
		return err == nil && r.GetEventsBehind() == 0 && len(r.GetHits()) == 2
	})
}

// A backup has no index; after a restore the index is that of the restored journal. A session that is deleted is gone at once.
func TestSearchFollowsRestoreAndDeletion(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id, other := session(), session()
	for i, text := range []string{"echo:lighthouse before", "echo:lighthouse too"} {
		c := s.converse("a", []string{id, other}[i])
		s.say(c, text)
		s.wait(c, 0, kit.IsTurnComplete)
		c.Close()
	}
	backup := filepath.Join(s.world.Root, "backup")
	s.cli(0, "journal", "backup", backup)
	if left, err := filepath.Glob(filepath.Join(backup, "*search*")); err != nil || len(left) > 0 {
		t.Errorf("the backup has %v, %v", left, err)
	}
	if got := s.found("lighthouse"); len(got) != 4 {
		t.Errorf("found %v", got)
	}
	s.cli(0, "session", "delete", "--yes", other)
	if r, err := s.daemon.Search().Search(t.Context(), &pb.SearchRequest{Query: "lighthouse"}); err != nil || len(r.GetHits()) != 2 {
		t.Errorf("after the deletion %v, %v", r.GetHits(), err)
	}
	c := s.converse("a", id)
	s.say(c, "echo:lighthouse after")
	s.eventually("the turn is found", func() bool { return len(s.found("after")) == 2 })
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	s.cli(0, "journal", "restore", backup, "--state-dir", s.world.StateDir(), "--force")
	s.start()
	if got := s.found("lighthouse"); len(got) != 4 {
		t.Errorf("after the restore %v", got)
	}
	if got := s.found("after"); len(got) != 0 {
		t.Errorf("what the restored journal does not have is found: %v", got)
	}
}

// Texts of subagents and of agents under proxies are found like others, and a digest has their sessions.
func TestSearchFindsSubagentsAndProxies(t *testing.T) {
	t.Parallel()
	s := newFleetStory(t, "")
	child := s.spawn(&pb.SpawnSubagentRequest{Prompt: "echo:lighthouse of a subagent", Name: "keeper"})
	if text := said(s.watch(child, 0)); !strings.Contains(text, "lighthouse") { // until its end
		t.Fatalf("the subagent said %q", text)
	}
	p := kit.NewScriptedProxy(session())
	s.register(p)
	proxied := p.Register.GetSessionId()
	p.Output(proxiedInit())
	p.Output(proxiedText("m1", "the lighthouse is far away"))
	p.Output(proxiedResult())
	s.acknowledged(p)

	want := map[string][]string{child: s.spoken(child, "lighthouse"), proxied: s.spoken(proxied, "lighthouse")}
	if len(want[child]) != 2 || len(want[proxied]) != 1 {
		t.Fatalf("spoken %v", want)
	}
	all := slices.Concat(want[child], want[proxied])
	slices.Sort(all)
	if got := s.found("lighthouse"); !slices.Equal(got, all) {
		t.Errorf("found %v\nspoken %v", got, all)
	}
	for id, hits := range want {
		if out := strings.Fields(s.cli(0, "search", "--session", id, "-o", "name", "lighthouse")); !slices.Equal(out, slices.Repeat([]string{id}, len(hits))) {
			t.Errorf("in session %s: %q", id, out)
		}
	}
	lines := "{{.session_id}} {{.parent_session_id}} {{.state}} {{.turns}} {{.last_text}}"
	digest := s.cli(0, "digest", "--since", "1h", "-o", "template="+lines)
	for _, line := range []string{child + " " + s.parent + " idle 1 lighthouse of a subagent", proxied + "  idle 1 the lighthouse is far away"} {
		if !strings.Contains(digest, line) {
			t.Errorf("the digest does not have %q:\n%s", line, digest)
		}
	}
}
