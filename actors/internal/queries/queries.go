package queries

import (
	"context"
	"path/filepath"
	"time"

	"betcode/actors/internal/disk"
	"betcode/actors/internal/protect"
	"betcode/actors/internal/ruleset"
	"betcode/actors/internal/workdir"
	"betcode/messages"
)

// Store is the part of the journal that queries read.
type Store interface {
	// Load returns everything a session is rebuilt from.
	Load(messages.SessionID) (messages.SessionLoaded, error)
	// Sessions returns a page of sessions, the last used first, and their number. Damaged lists those that cannot be loaded.
	Sessions(workingDirectory, worktree string, limit, offset int) ([]messages.SessionRecord, int, error)
	// Conversations is Sessions without subagents and without the records of sessions that known reports; Subagents lists those of a session, or all, oldest first.
	Conversations(workingDirectory, worktree string, limit, offset int, known func(messages.SessionID, messages.Revision) bool) (messages.SessionList, error)
	// Select is Conversations for the sessions that wanted selects. It does not read the others.
	Select(workingDirectory, worktree string, wanted func(messages.SessionID, messages.Rest) bool) ([]messages.SessionRecord, error)
	Subagents(parent messages.SessionID) ([]messages.SessionRecord, error)
	Damaged() ([]messages.DamagedSession, error)
	// Outlines returns the parts of all sessions' records that need no I/O.
	Outlines() []messages.SessionOutline
	// Resolve finds a session by its name, in a directory if several have it, or by the beginning of its id.
	Resolve(reference, directory string) (messages.SessionID, error)
	// Pending returns the permission requests of a session, or of all.
	Pending(messages.SessionID) ([]messages.PermissionRecord, error)
	// Seen returns the number of the event under an idempotency key, StoredResult the result of its request as well.
	Seen(session messages.SessionID, key string) (messages.Seq, bool, error)
	StoredResult(session messages.SessionID, key string) (messages.StoredResult, bool, error)
	// Events returns copies of the events after a number; Salvaged skips damage, and gap is the skipped range.
	Events(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error)
	Salvaged(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, *messages.HistoryGap, error)
}

// Deps is what queries need of the system.
type Deps struct {
	Store       Store
	Runs        string                                                                   // the directory with the run directories of all sessions
	Home        string                                                                   // of the user, for rules
	MachineFile string                                                                   // stores the machine's id; empty = there is none
	Environment func(kept map[string]string) []string                                    // of an agent of a session that keeps these variables
	Now         func() time.Time                                                         //
	Rules       func() *ruleset.Set                                                      // the present rules of the user
	Directories *workdir.Reviewer                                                        // reviews the files of directories that agents obey
	Protected   *protect.List                                                            // nil = nothing is protected
	Space       func() (disk.Space, error)                                               // of the disk that the daemon writes to
	Slots       func() messages.SlotQueue                                                // the pool's last report
	Worktrees   func() ([]messages.WorktreeView, error)                                  // without the state of their files; nil = there are none
	View        func(context.Context, messages.GetSession) (messages.SessionView, error) // asks a session
}

// Queries answers queries. It is safe for concurrent use.
type Queries struct {
	deps   Deps
	lately lately
}

// New returns queries.
func New(d Deps) *Queries { return &Queries{deps: d} }

// Answer answers a query, on the caller's goroutine. An error is a [*messages.Error].
func (q *Queries) Answer(ctx context.Context, r messages.Request) (messages.Reply, error) {
	switch m := r.(type) {
	case messages.ListSessions:
		return q.listSessions(m)
	case messages.ResolveSession:
		id, err := q.deps.Store.Resolve(m.Reference, m.Directory)
		return result(messages.SessionResolved{Session: id}, err)
	case messages.ResolveKey:
		return q.resolveKey(m)
	case messages.ResolveRequest:
		return q.resolveRequest(m)
	case messages.ListPermissions:
		return q.listPermissions(m)
	case messages.ReadHistory:
		return q.readHistory(m)
	case messages.GetRawOutput:
		return q.rawOutput(ctx, m)
	case messages.ExplainPermission:
		return q.explain(ctx, m)
	case messages.ListRules:
		return q.listRules(m)
	case messages.TestRules:
		return q.testRules(ctx, m)
	case messages.GetAgentReports:
		return q.agentReports(m)
	case messages.GetSubagents:
		return q.subagents(m)
	case messages.ListSubagents:
		return q.listSubagents(m)
	case messages.ListPath:
		return q.completePath(m)
	case messages.GetMachine:
		return q.machine()
	case messages.GetDigest:
		return q.digest(ctx, m)
	}
	return nil, messages.Errorf("ask", messages.Unimplemented, "no query answers a %T", r)
}

// Exists reports whether a session exists, even a damaged one.
func (q *Queries) Exists(id messages.SessionID) bool {
	loaded, err := q.deps.Store.Load(id)
	return err == nil && loaded.Found || messages.KindOf(err) == messages.DataLoss && err != nil
}

// load returns a session, or an error if it does not exist.
func (q *Queries) load(op string, id messages.SessionID) (messages.SessionLoaded, error) {
	loaded, err := q.deps.Store.Load(id)
	if err == nil && !loaded.Found {
		err = notFound(op, id)
	}
	if err != nil {
		return loaded, messages.AsError(op, err)
	}
	return loaded, nil
}

func notFound(op string, id messages.SessionID) error {
	return messages.Errorf(op, messages.NotFound, "session %q does not exist", id).WithCode(messages.SessionNotFound)
}

// runsOf returns the directory of a session's runs.
func (q *Queries) runsOf(id messages.SessionID) string {
	return filepath.Join(q.deps.Runs, string(id))
}

func result(r messages.Reply, err error) (messages.Reply, error) {
	if err != nil {
		return nil, messages.AsError("read journal", err)
	}
	return r, nil
}
