package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

func isError(code string) func(kit.Event) bool {
	return func(e kit.Event) bool { return e.GetError().GetCode() == code }
}

// TestInputLock: the first writer gets the lock, and others get the name of the holder. A requester
// is refused while the holder stays, and gets the lock when the holder leaves.
func TestInputLock(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	first := s.converse("first", id)
	s.say(first, "echo:mine")
	s.wait(first, 0, kit.IsIdle)
	second := s.converse("second", id)
	s.wait(second, 0, kit.IsIdle)
	s.say(second, "echo:not mine")
	refused, next := s.wait(second, 0, isError("NO_INPUT_LOCK"))
	if got := refused.GetError().GetDetails()["holder_client_id"]; got != "first" {
		t.Errorf("the holder is called %q", got)
	}
	answered := s.askLock("second", id)
	s.wait(first, 0, func(e kit.Event) bool {
		return e.GetLock().GetRequestedBy() == "second" && e.GetLock().GetAnswerBy() != nil
	})
	s.lockAction(first, pb.LockAction_LOCK_ACTION_REFUSE)
	if answer := <-answered; answer.GetGranted() || !answer.GetRefused() || answer.GetPreviousHolder() != "first" || answer.GetPlace() != 1 {
		t.Errorf("lock answer %v", answer)
	}
	first.Close()
	s.wait(second, next, func(e kit.Event) bool {
		return e.GetLock().GetHolder() == "second" && e.GetLock().GetPreviousHolder() == "first"
	})
	s.say(second, "echo:now mine")
	s.wait(second, next, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "now") })
}

// TestWaitingPromptReachesEveryone: a late client gets the pending prompt, and all clients get the
// name of the client that answered.
func TestWaitingPromptReachesEveryone(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "run:echo done")
	s.wait(c, 0, kit.IsPermission)
	late := s.converseWith("b", &pb.StartConversation{SessionId: id, Observer: true, History: pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY})
	asked, next := s.wait(late, 0, func(e kit.Event) bool { return e.GetPermissionRequest().GetIsReplay() })
	if n := len(late.Events()); n > 5 { // the session, the lock, the clients, the prompt and its pending copy
		t.Errorf("a client that wants pending prompts only got %d events", n)
	}
	s.answer(late, asked, pb.PermissionDecision_ALLOW_ONCE, "")
	for _, stream := range []*kit.Stream{c, late} {
		resolved, _ := s.wait(stream, 0, func(e kit.Event) bool { return e.GetPermissionResolved() != nil })
		if by := resolved.GetPermissionResolved().GetResolvedBy(); by != "b" {
			t.Errorf("resolved by %q", by)
		}
	}
	s.answer(c, asked, pb.PermissionDecision_DENY, "too late")
	s.wait(c, 0, kit.IsIdle)
	s.wait(late, next, kit.IsIdle)
	for _, e := range c.Events() {
		if e.GetError() != nil {
			t.Errorf("a late answer is an error: %s", kit.Line(e))
		}
	}
}

// TestSlowClientHurtsNobody: a client that does not read lags, and gets all events in order when it
// reads on; another client is not delayed.
func TestSlowClientHurtsNobody(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.wait(c, 0, func(e kit.Event) bool { return e.GetSequence() == 1 })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	slow, err := s.daemon.Agents().ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: id, Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	s.say(c, "flood:60000:200")
	s.wait(c, 0, kit.IsIdle)
	numbered, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for want := uint64(1); want <= uint64(len(numbered)); {
		e, err := slow.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if e.GetSequence() == 0 {
			continue
		}
		if e.GetSequence() != want {
			t.Fatalf("sequence %d where %d was due", e.GetSequence(), want)
		}
		want++
	}
}

func TestSessionsListRenameDelete(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	api := s.daemon.Agents()
	older, newer := session(), session()
	for _, id := range []string{older, newer} {
		c := s.converse("a", id)
		s.say(c, "echo:"+id)
		s.wait(c, 0, kit.IsIdle)
		c.Close()
	}
	if _, err := api.RenameSession(t.Context(), &pb.RenameSessionRequest{SessionId: older, Name: "the old one"}); err != nil {
		t.Fatal(err)
	}
	list, err := api.ListSessions(t.Context(), &pb.ListSessionsRequest{Limit: 1})
	if err != nil || list.GetTotal() != 2 || len(list.GetSessions()) != 1 || list.GetSessions()[0].GetName() != "the old one" {
		t.Fatalf("list %v, %v", list, err)
	}
	if got := list.GetSessions()[0]; got.GetMessageCount() != 2 || got.GetTotalOutputTokens() == 0 || !strings.HasPrefix(got.GetLastMessagePreview(), older) {
		t.Errorf("summary %v", got)
	}
	if _, err := api.DeleteSession(t.Context(), &pb.DeleteSessionRequest{SessionId: older}); err != nil {
		t.Fatal(err)
	}
	if again, err := api.DeleteSession(t.Context(), &pb.DeleteSessionRequest{SessionId: older}); err != nil || again.GetDeleted() {
		t.Errorf("deleting twice: %v, %v", again, err)
	}
	s.killDaemon()
	list, err = s.daemon.Agents().ListSessions(t.Context(), &pb.ListSessionsRequest{})
	if err != nil || list.GetTotal() != 1 || list.GetSessions()[0].GetId() != newer {
		t.Fatalf("after a restart: %v, %v", list, err)
	}
}

// TestStopIsFinal: the agent is gone, its message is not given to the next one,
// and a restart of the daemon does not bring it back.
func TestStopIsFinal(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "ignore-sigterm\nsleep:10m")
	s.wait(c, 0, kit.IsStatus(pb.AgentStatus_THINKING))
	stopped, err := s.daemon.Admin().StopSession(t.Context(), &pb.StopSessionRequest{SessionId: id})
	if err != nil || !stopped.GetWasRunning() {
		t.Fatalf("stop: %v, %v", stopped, err)
	}
	s.wait(c, 0, kit.IsIdle)
	s.killDaemon()
	shown, err := s.daemon.Admin().ShowSession(t.Context(), &pb.ShowSessionRequest{SessionId: id})
	if err != nil {
		t.Fatal(err)
	}
	if shown.GetSummary().GetStatus() != "idle" || len(shown.GetInputs()) != 0 {
		t.Errorf("after a restart: %v", shown)
	}
}

// TestDaemonStopKeepsTheTurnResumable: SIGTERM ends daemon and agent; the next
// daemon goes on with the turn.
func TestDaemonStopKeepsTheTurnResumable(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	key := s.say(c, "gate:go\necho:finished after all")
	s.settledOnDisk(id, key)
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	if left := s.world.Left(); len(left) > 0 {
		t.Errorf("left over after the stop: %v", left)
	}
	s.create("go")
	s.start()
	c = s.converse("a", id)
	s.wait(c, 0, kit.IsIdle)
	if got := kit.Text(c.Events()); !strings.HasSuffix(got, "finished after all") {
		t.Errorf("text %q", got)
	}
	if n := s.accepted(id, key); n != 1 {
		t.Errorf("the message was taken into the conversation %d times", n)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:x")
	s.wait(c, 0, kit.IsIdle)
	for name, test := range map[string]struct {
		code codes.Code
		call func() error
	}{
		"resume beyond the head": {codes.OutOfRange, func() error {
			stream, err := s.daemon.Resume(t.Context(), id, 100000)
			return errors.Join(err, stream.WaitEnd())
		}},
		"resume of an unknown session": {codes.NotFound, func() error {
			stream, err := s.daemon.Resume(t.Context(), session(), 0)
			return errors.Join(err, stream.WaitEnd())
		}},
		"start without a directory": {codes.InvalidArgument, func() error {
			return s.converseWith("a", &pb.StartConversation{SessionId: session()}).WaitEnd()
		}},
		"go on in a session that does not exist": {codes.NotFound, func() error {
			return s.converseWith("a", &pb.StartConversation{SessionId: session(), WorkingDirectory: s.world.Project, FromSequence: 7}).WaitEnd()
		}},
		"start in a directory that is not there": {codes.InvalidArgument, func() error {
			return s.converseWith("a", &pb.StartConversation{WorkingDirectory: "/nowhere"}).WaitEnd()
		}},
		"a session id that is no UUID": {codes.InvalidArgument, func() error {
			return s.converseWith("a", &pb.StartConversation{SessionId: "x", WorkingDirectory: s.world.Project}).WaitEnd()
		}},
		"compact an unknown session": {codes.NotFound, func() error {
			_, err := s.daemon.Agents().CompactSession(t.Context(), &pb.CompactSessionRequest{SessionId: session()})
			return err
		}},
	} {
		if err := test.call(); codeOf(err) != test.code {
			t.Errorf("%s: %v, want %v", name, err, test.code)
		}
	}
	if err := c.Answer(uuid.NewString(), pb.PermissionDecision_ALLOW_ONCE, ""); err != nil {
		t.Fatal(err)
	}
	s.wait(c, 0, isError("PERMISSION_STALE"))
}

func codeOf(err error) codes.Code {
	for ; err != nil; err = errors.Unwrap(err) {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				return codeOf(e)
			}
		}
		if st, ok := status.FromError(err); ok {
			return st.Code()
		}
	}
	return codes.OK
}

// TestSecondDaemonIsRefused: one state directory, one daemon, even with another socket.
func TestSecondDaemonIsRefused(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	second := exec.Command(s.world.Binary, "daemon", "run")
	second.Env = append(s.world.Environ(), "BETCODE_SOCKET="+s.world.Root+"/other/daemon.sock")
	out, err := second.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "another daemon") {
		t.Errorf("second daemon: %v\n%s", err, out)
	}
	if _, err := os.Stat(s.world.Socket()); err != nil {
		t.Errorf("the first daemon's socket: %v", err)
	}
}
