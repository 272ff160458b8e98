package actors

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/session/compaction"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// askPatience bounds a request without a deadline of its own. It is below the 30 s
// after which clients in the field cancel unary calls.
const askPatience = 25 * time.Second

// Ask sends a request to the actor that answers it and waits for the answer. An error
// is a [*messages.Error]: errors of the actor library are translated here.
func (s *System) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	switch m := s.checks.Complete(r).(type) {
	case messages.ListSessions, messages.ResolveSession, messages.ResolveKey, messages.ResolveRequest, messages.ListPermissions,
		messages.ReadHistory, messages.GetRawOutput, messages.ExplainPermission, messages.ListRules, messages.TestRules,
		messages.GetAgentReports, messages.GetSubagents, messages.ListSubagents, messages.ListPath, messages.GetMachine, messages.GetDigest:
		return s.queries.Answer(ctx, m)
	case messages.Search:
		return s.searcher.Search(ctx, m)
	case messages.ForkSession:
		return s.forker.Fork(ctx, m)
	case messages.GetTree:
		return s.tree.Snapshot(s.daemon.Id, s.now()), nil
	case messages.GetJournalStats:
		return s.options.Store.Stats(), nil
	case messages.VerifyJournal:
		return s.maintainer().Verify(ctx, m)
	case messages.BackupJournal:
		return s.maintainer().BackUp(ctx, m)
	case messages.TrustDirectory:
		return s.directories.Trust(m)
	case messages.ReviewDirectory:
		return s.directories.Review(m)
	case messages.GetAbilities:
		return s.queries.AskAbilities(m, func() (messages.Reply, error) { return s.ask(ctx, s.sessions, m) })
	case messages.ListWorktrees, messages.GetWorktree, messages.CreateWorktree, messages.SwitchWorktree, messages.SetupWorktree, messages.RemoveWorktree,
		messages.PruneWorktrees, messages.ReadSetup, messages.CancelSetup:
		return s.worktree(ctx, m)
	case messages.ListRepositories, messages.GetRepository, messages.RegisterRepository, messages.UpdateRepository, messages.UnregisterRepository,
		messages.ScanRepositories, messages.ListBranches, messages.GetBranch, messages.CreateBranch, messages.DeleteBranch:
		return s.repository(ctx, m)
	case messages.LeaseWorktree, messages.ReleaseWorktree:
		return s.lease(ctx, m)
	case messages.CreateOrchestration, messages.GetOrchestration, messages.ListOrchestrations, messages.ReadOrchestration,
		messages.CancelOrchestration, messages.RetryOrchestration, messages.PauseOrchestration:
		return s.orchestrate(ctx, m)
	case messages.StopFleet:
		return s.stopFleet(m)
	case messages.ResumeFleet:
		return s.resumeFleet(m)
	case messages.GetFleet:
		return s.getFleet(), nil
	case messages.GetHealth:
		return s.ask(ctx, s.health, m)
	case messages.Shutdown:
		select {
		case s.shutdown <- m:
		default:
		}
		return messages.Done{}, nil
	case messages.StartSession:
		m, err := s.inWorktree(m)
		if err != nil {
			return nil, err
		}
		m.Fork = messages.Fork{} // only forker sets it
		if m, err = s.checks.Start(m); err != nil {
			return nil, err
		}
		return s.startNamed(ctx, m)
	case messages.RenameSession:
		return s.rename(ctx, m, m)
	case messages.SendInput:
		m.Digest = requests.InputDigest(m.Content, m.Attachments, m.Repeat)
		return s.askOnce(ctx, m)
	case messages.SpawnSubagent:
		return s.spawnSubagent(ctx, m)
	case messages.SendToSubagent:
		m.Input.Digest = requests.InputDigest(m.Input.Content, m.Input.Attachments, nil)
		if known, err := s.queries.Repeated(m.Input); known != nil || err != nil {
			return known, err
		}
		return s.working(ctx, m, func() (messages.Reply, error) { return s.ask(ctx, s.sessions, m) })
	case messages.CancelSubagent:
		return s.cancelSubagent(ctx, m, m)
	case messages.Idempotent:
		if cancel, ok := m.Request.(messages.CancelSubagent); ok {
			if known, err := s.queries.Repeated(m); known != nil || err != nil {
				return known, err
			}
			return s.cancelSubagent(ctx, m, cancel)
		}
		if answer, ok := m.Request.(messages.AnswerPermission); ok {
			return s.answerPermission(ctx, m, answer)
		}
		if rename, ok := m.Request.(messages.RenameSession); ok {
			return s.rename(ctx, m, rename)
		}
		return s.askOnce(ctx, m)
	case messages.AnswerPermission:
		return s.answerPermission(ctx, m, m)
	case messages.CompactSession:
		seen, err := s.queries.KeyUsed(m.Session, m.Key)
		if err != nil {
			return nil, err
		}
		m.Repeated = seen
		return compaction.Ask(ctx, func() (messages.Reply, error) {
			return s.working(ctx, m, func() (messages.Reply, error) { return s.ask(ctx, s.sessions, m) })
		})
	case messages.ConnectProxy:
		return s.connectProxy(ctx, m)
	case messages.TakeProxyFrames, messages.DisconnectProxy, messages.ReplaceProxied:
		return s.ask(ctx, s.sessions, m)
	case messages.SessionRequest:
		return s.working(ctx, m, func() (messages.Reply, error) { return s.ends(ctx, m) })
	}
	return nil, messages.Errorf("ask", messages.Unimplemented, "no actor answers a %T", r)
}

// ask sends a request and waits for the answer. It sends a request to a session again
// when the session's actor crashes meanwhile; the first answer counts.
func (s *System) ask(ctx context.Context, to *actor.PID, r messages.Request) (messages.Reply, error) {
	return s.askWithin(ctx, askPatience, to, r)
}

// askWithin is ask with another bound.
func (s *System) askWithin(ctx context.Context, patience time.Duration, to *actor.PID, r messages.Request) (messages.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var crashed <-chan struct{}
	if target, ok := r.(messages.SessionRequest); ok {
		var stop func()
		crashed, stop = s.crashes.watch(target.Target())
		defer stop()
	}
	answers := make(future, 1)
	self, _ := s.actors.ProcessRegistry.Add(answers, "ask/"+s.actors.ProcessRegistry.NextId())
	defer s.actors.ProcessRegistry.Remove(self)
	for {
		s.actors.Root.RequestWithCustomSender(to, r, self)
		select {
		case got := <-answers:
			return unpack(got)
		case <-crashed:
			if known, err := s.queries.Repeated(r); known != nil || err != nil {
				return known, err // it was carried out, and its answer was lost
			}
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, messages.Errorf("ask", messages.DeadlineExceeded, "no answer in time")
			}
			return nil, &messages.Error{Op: "ask", Kind: messages.Canceled, Err: context.Cause(ctx)}
		}
	}
}

// askOnce answers a request under a key from the journal if it was carried out before, and otherwise sends it.
func (s *System) askOnce(ctx context.Context, r messages.Request) (messages.Reply, error) {
	if known, err := s.queries.Repeated(r); known != nil || err != nil {
		return known, err
	}
	return s.working(ctx, r, func() (messages.Reply, error) { return s.ends(ctx, r) })
}

// answerPermission sends an answer to the session. If the session has no decision of the request
// in memory, the answer comes from the journal. r is the answer m, or m under a key.
func (s *System) answerPermission(ctx context.Context, r messages.Request, m messages.AnswerPermission) (messages.Reply, error) {
	r, m, err := s.addressAnswer(r, m)
	if err != nil {
		return nil, err
	}
	if err := s.checks.Edit(m); err != nil {
		return nil, err
	}
	answer, err := s.askOnce(ctx, r)
	if answered, ok := answer.(messages.PermissionAnswered); ok {
		s.queries.Answered(m.Session, prompts.RequestOf(cmp.Or(answered.Request, m.Request)))
	}
	var stale *messages.Error
	if errors.As(err, &stale) && stale.Code == messages.PermissionStale {
		switch before, found := s.queries.Decided(m.Session, prompts.RequestOf(m.Request)); {
		case found && before.Decision == messages.DecisionExpired:
			return nil, requests.Expired(prompts.RequestOf(m.Request), before.At)
		case found:
			return before, nil
		}
	}
	return answer, err
}

// sessionView returns the state of a session, from its actor.
func (s *System) sessionView(ctx context.Context, m messages.GetSession) (messages.SessionView, error) {
	answer, err := s.ask(ctx, s.sessions, m)
	if err != nil {
		return messages.SessionView{}, err
	}
	view, ok := answer.(messages.SessionView)
	if !ok {
		return view, messages.Errorf("get session", messages.Internal, "unexpected answer %T", answer)
	}
	return view, nil
}

// future receives the first answer to a request. It is an actor.Process and no
// future of the library: it costs no goroutine, and leaves none behind when the
// caller stops waiting.
type future chan any

// SendUserMessage implements actor.Process.
func (l future) SendUserMessage(_ *actor.PID, message any) {
	_, answer, _ := actor.UnwrapEnvelope(message)
	select {
	case l <- answer:
	default: // the request was answered before
	}
}

// SendSystemMessage implements actor.Process.
func (future) SendSystemMessage(*actor.PID, any) {}

// Stop implements actor.Process.
func (future) Stop(*actor.PID) {}

// unpack turns an answer into a reply or a [*messages.Error].
func unpack(answer any) (messages.Reply, error) {
	switch answer := answer.(type) {
	case *actor.DeadLetterResponse:
		return nil, messages.Errorf("ask", messages.Unavailable, "the actor is gone").WithHint("try again")
	case *messages.Error:
		return nil, answer
	case messages.Reply:
		return answer, nil
	}
	return nil, messages.Errorf("ask", messages.Internal, "unexpected answer %T", answer)
}
