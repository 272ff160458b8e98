package actors

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"

	"github.com/google/uuid"

	"betcode/actors/internal/checks"
	"betcode/actors/internal/fence"
	"betcode/actors/internal/rules"
	"betcode/actors/session/subagent"
	"betcode/actors/settings"
	"betcode/messages"
)

// A subagent is a session. The code of this file runs on the caller's goroutine before that session exists: it finds the parent,
// checks the request, and counts.

// spawns are the subagents that are being spawned: they count before the journal has them. It is safe for concurrent use.
type spawns struct {
	mu    sync.Mutex
	under map[messages.SessionID]map[messages.SessionID]bool // by parent
}

// begin counts one more subagent, unless there are too many with those that run. done takes it back.
func (s *spawns) begin(parent, child messages.SessionID, most int, running func(messages.SessionID) []messages.SessionID) (done func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[messages.SessionID]bool{}
	maps.Copy(all, s.under[parent])
	for _, id := range running(parent) {
		all[id] = true
	}
	if delete(all, child); len(all) >= most {
		return nil, false
	}
	if s.under == nil {
		s.under = map[messages.SessionID]map[messages.SessionID]bool{}
	}
	if s.under[parent] == nil {
		s.under[parent] = map[messages.SessionID]bool{}
	}
	s.under[parent][child] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.under[parent], child); len(s.under[parent]) == 0 {
			delete(s.under, parent)
		}
	}, true
}

// spawnSubagent makes a subagent. A repeated request is answered by the subagent's session.
func (s *System) spawnSubagent(ctx context.Context, m messages.SpawnSubagent) (messages.Reply, error) {
	const op = "spawn subagent"
	if err := checks.Spawn(m); err != nil {
		s.toolRefused(m, err)
		return nil, err
	}
	parent, err := s.options.Store.Load(m.Parent)
	if err == nil && !parent.Found {
		err = messages.Errorf(op, messages.NotFound, "the parent session %q does not exist", m.Parent).WithCode(messages.SessionNotFound).
			With("session_id", string(m.Parent)).WithHint("name a session: betcode session list")
	}
	digest := spawnDigest(m)
	if err != nil && s.queries.Exists(m.Subagent) { // the parent was deleted since
		return s.ask(ctx, s.sessions, messages.BeginSubagent{Start: messages.StartSession{Session: m.Subagent}, Subagent: messages.SubagentRecord{Digest: digest}})
	}
	if err != nil {
		return nil, messages.AsError(op, err)
	}
	begin, err := s.beginning(m, parent)
	if err != nil {
		return nil, err
	}
	begin.Subagent.Digest = digest
	if !s.queries.Exists(m.Subagent) {
		now := s.settings.Load()
		if begin.Subagent.Depth > uint32(now.SubagentDepth) { //nolint:gosec // a setting of at most 10
			return nil, subagentLimit(op, m.Parent, "subagents may be %d deep, and %s is that deep", now.SubagentDepth, m.Parent)
		}
		if slots := s.slots.Load(); slots != nil && len(slots.Waiting) >= now.MaxWaiting {
			return nil, messages.Errorf(op, messages.Exhausted, "all agents are busy and the queue is full").WithCode(messages.PoolExhausted).
				WithHint("wait for a session to end its turn, or allow more agents at once")
		}
		done, ok := s.spawning.begin(m.Parent, m.Subagent, now.Subagents, s.options.Store.RunningSubagents)
		if !ok {
			return nil, subagentLimit(op, m.Parent, "%d subagents of %s have not ended", now.Subagents, m.Parent)
		}
		defer done()
		if err := s.affordable(m, parent.Record); err != nil {
			return nil, err
		}
		if begin.Start, err = s.subagentStart(begin.Start); err != nil {
			return nil, err
		}
	}
	return s.startLeased(ctx, begin.Start, begin)
}

func subagentLimit(op string, parent messages.SessionID, format string, args ...any) error {
	return messages.Errorf(op, messages.Exhausted, format, args...).WithCode(messages.SubagentLimit).With("session_id", string(parent)).
		WithHint("wait for one to end, or cancel one: betcode subagent list")
}

// toolRefused reports a tool that a subagent was to get and that does not exist to the audit log.
func (s *System) toolRefused(m messages.SpawnSubagent, err error) {
	var refused *messages.Error
	if errors.As(err, &refused) && refused.Details["tool"] != "" {
		s.audit(messages.AuditEntry{
			Type: messages.AuditToolUnknown, Session: m.Parent, Parent: m.Parent, ActorType: messages.ActorUser, ActorID: string(m.Client),
			Tool: subagent.Cut(refused.Details["tool"], 128), Outcome: messages.OutcomeDenied, ErrorMessage: "a subagent was to have it",
		})
	}
}

// spawnDigest identifies the content of a request to spawn, without the client that sends it.
func spawnDigest(m messages.SpawnSubagent) []byte {
	m.Client = ""
	text, err := json.Marshal(m)
	if err != nil { // it has texts, numbers and times
		panic("encode request: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return sum[:16]
}

// beginning completes a request with the settings of the parent.
func (s *System) beginning(m messages.SpawnSubagent, parent messages.SessionLoaded) (messages.BeginSubagent, error) {
	now, at := s.settings.Load(), s.now()
	r := parent.Record
	environment := r.Environment
	if parent.Run != nil {
		environment = parent.Run.Environment
	}
	environment = maps.Clone(environment)
	if environment == nil {
		environment = map[string]string{}
	}
	maps.Copy(environment, m.Environment)
	child := messages.SubagentRecord{
		Parent: m.Parent, Depth: 1, Prompt: subagent.Cut(m.Prompt, subagent.MaxPrompt), Tools: m.Tools, MaxTurns: m.MaxTurns, BudgetUSD: m.BudgetUSD,
		Lease: m.Lease, Forward: m.Forward, Step: m.Step, Status: messages.SubagentPending,
	}
	if r.Subagent != nil {
		child.Depth = r.Subagent.Depth + 1
	}
	if m.Timeout > 0 {
		child.Deadline = at.Add(m.Timeout).Round(0)
	}
	fenced := now.Fence == settings.FenceProject
	if m.AutoApprove {
		child.Auto = messages.AutoApprove{
			Given: true, Since: at.Round(0), Until: at.Add(cmp.Or(m.Auto.Duration, now.AutoApproveTime)).Round(0),
			PerMinute: cmp.Or(m.Auto.PerMinute, defaultPerMinute), Queue: m.Auto.Queue, Fence: !m.Auto.Unfenced,
		}
		fenced = fenced || child.Auto.Fence
	}
	if _, err := fence.Available(); child.Auto.Fence && err != nil {
		return messages.BeginSubagent{}, messages.Errorf("spawn subagent", messages.WrongState, "an auto-approved subagent is fenced, and this machine cannot fence agents: %w", err).
			WithHint("let a person approve its calls, or set auto_approve_config.unfenced if you accept that it may write anywhere")
	}
	limit := m.Budget // nil: that of the settings
	if limit == nil && m.BudgetUSD > 0 {
		limit = &messages.BudgetLimit{Micros: microsOf(m.BudgetUSD)}
	}
	start := messages.StartSession{
		Session: m.Subagent, Client: m.Client, Name: cmp.Or(m.Name, firstLine(m.Prompt)), WorkingDirectory: m.WorkingDirectory, WorktreeID: m.WorktreeID,
		Lease: m.Lease, Budget: limit,
		Model: cmp.Or(m.Model, r.Model), Environment: environment, Resume: r.Resume,
		Options: messages.AgentOptions{MaxTurns: m.MaxTurns, MaxBudgetUSD: m.BudgetUSD},
	}
	if start.WorkingDirectory == "" && start.WorktreeID == "" {
		if err := onThisMachine("spawn subagent", r); err != nil {
			return messages.BeginSubagent{}, err
		}
		start.WorkingDirectory, start.WorktreeID = r.WorkingDirectory, r.WorktreeID
	}
	if subagent.Restricted(child) {
		start.Options.Tools, start.Options.NoTools = builtinTools(m.Tools)
	}
	begin := messages.BeginSubagent{
		Start: start, Subagent: child, Prompt: m.Prompt, Fenced: fenced,
		Key: uuid.NewSHA1(uuid.NameSpaceOID, []byte("prompt of "+m.Subagent)).String(),
	}
	if m.InheritGrants {
		begin.Grants = maps.Clone(r.Grants)
	}
	return begin, nil
}

// onThisMachine refuses to work in the directory of a session whose agent runs under a proxy. That directory is on another
// machine, and a directory of that name on this machine was chosen by the proxy.
func onThisMachine(op string, r messages.SessionRecord) error {
	if r.Proxy == nil {
		return nil
	}
	return messages.Errorf(op, messages.WrongState, "the agent of session %s runs under a proxy, and its directory is on another machine", r.ID).
		With("session_id", string(r.ID)).WithHint("Name a directory of this machine: betcode subagent spawn --cwd DIR")
}

// defaultPerMinute is how many calls are approved in a minute unless the request has another limit.
const defaultPerMinute = 60

// maxSubagentName bounds a name that is derived from a prompt, in bytes.
const maxSubagentName = 60

// firstLine returns the beginning of a prompt as a name.
func firstLine(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return subagent.Cut(strings.Join(strings.Fields(line), " "), maxSubagentName)
}

// builtinTools returns the agent's own tools among those that a subagent was given, and whether there are none.
func builtinTools(tools []string) (names []string, none bool) {
	seen := map[string]bool{}
	for _, tool := range tools {
		name, _, err := rules.Rule{Text: tool}.Split()
		if err == nil && !rules.IsMCP(name) && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, len(names) == 0
}

// subagentStart completes and checks the session of a new subagent.
func (s *System) subagentStart(m messages.StartSession) (messages.StartSession, error) {
	m, err := s.inWorktree(m)
	if err != nil {
		return m, err
	}
	return s.checks.Start(m)
}
