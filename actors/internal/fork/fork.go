package fork

import (
	"context"
	"errors"
	"io/fs"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/claude/transcript"
	"betcode/messages"
	"betcode/messages/claudecode"
	"betcode/messages/regular"
)

// Deps is what forks need.
type Deps struct {
	Exists      func(messages.SessionID) bool // reports whether the journal has a session
	Load        func(messages.SessionID) (messages.SessionLoaded, error)
	View        func(context.Context, messages.GetSession) (messages.SessionView, error) // asks the session
	Start       func(context.Context, messages.StartSession) (messages.Reply, error)     // starts the new session
	Directory   func(string) (string, error)                                             // checks a working directory
	Version     func() string                                                            // of the agent, empty if not known
	Environment func(kept map[string]string) []string                                    // of an agent that keeps these variables
}

// Forker makes forks. It is safe for concurrent use.
type Forker struct{ deps Deps }

// New returns a Forker.
func New(d Deps) *Forker { return &Forker{d} }

// Fork makes a session that begins with the conversation of another. It is durable
// with the new session's first record. That session's first agent makes the fork, from the
// message that is the last one now. Fork reads the agent's transcript on the
// caller's goroutine.
func (f *Forker) Fork(ctx context.Context, m messages.ForkSession) (messages.Reply, error) {
	const op = "fork session"
	if f.deps.Exists(m.Fork) {
		return f.forkedBefore(ctx, m)
	}
	if version := f.deps.Version(); claudecode.LacksOption(version, "fork-session") {
		return nil, messages.Errorf(op, messages.WrongState, "Claude Code %s cannot fork a conversation; %s can", version, claudecode.OptionFrom("fork-session")).
			WithHint("upgrade the agent: " + claudecode.UpgradeCommand())
	}
	view, err := f.restingView(ctx, op, m.Session)
	if err != nil {
		return nil, err
	}
	r := view.Record
	if r.Proxy != nil {
		return nil, messages.Errorf(op, messages.WrongState, "the session's agent runs under a proxy: its conversation is on another machine").
			With("session_id", string(m.Session)).WithHint("start a session on that machine")
	}
	origin := messages.Fork{Session: m.Session, Seq: r.Head, AgentSession: r.AgentSession}
	environment := r.Environment
	if view.Run != nil {
		environment = view.Run.Environment
	}
	if origin.Message, err = lastAnswer(op, r.AgentSession, f.deps.Environment(environment)); err != nil {
		return nil, err
	}
	if loaded, err := f.deps.Load(m.Session); err == nil {
		if state, err := claude.ParseState(loaded.Cursor.Translator); err == nil {
			origin.CostUSD = state.Cost()
		}
	}
	if again, err := f.restingView(ctx, op, m.Session); err != nil || again.Record.Head != r.Head {
		return nil, messages.Errorf(op, messages.Aborted, "session %s went on meanwhile", m.Session).WithHint("try again")
	}
	start := messages.StartSession{
		Session: m.Fork, Client: m.Client, Name: m.Name, WorkingDirectory: r.WorkingDirectory, WorktreeID: r.WorktreeID, Model: r.Model,
		PermissionMode: r.PermissionMode, AllowedTools: r.AllowedTools, DeniedTools: r.DeniedTools, Environment: environment,
		Resume: r.Resume, Options: r.Options, Fork: origin, Resolved: r.Resolved,
	}
	if _, err := f.deps.Directory(start.WorkingDirectory); err != nil {
		return nil, err
	}
	answer, err := f.deps.Start(ctx, start)
	if err != nil {
		return nil, err
	}
	if made, ok := answer.(messages.SessionStarted); ok && made.View.Record.Fork.Session == m.Session {
		return messages.SessionForked{Session: m.Fork, Origin: made.View.Record.Fork}, nil
	}
	return nil, messages.UsedKey(op, string(m.Fork))
}

// forkedBefore returns the answer to a repeated request.
func (f *Forker) forkedBefore(ctx context.Context, m messages.ForkSession) (messages.Reply, error) {
	view, err := f.deps.View(ctx, messages.GetSession{Session: m.Fork})
	if err != nil {
		return nil, err
	}
	if view.Record.Fork.Session == m.Session {
		return messages.SessionForked{Session: m.Fork, Origin: view.Record.Fork}, nil
	}
	return nil, messages.UsedKey("fork session", string(m.Fork))
}

// restingView returns the view of a session whose conversation can be forked: the agent's transcript
// has all of it, and nothing is about to be added. It refuses any other session.
func (f *Forker) restingView(ctx context.Context, op string, id messages.SessionID) (messages.SessionView, error) {
	view, err := f.deps.View(ctx, messages.GetSession{Session: id})
	if err != nil {
		return view, err
	}
	r := view.Record
	refuse := func(hint, format string, args ...any) (messages.SessionView, error) {
		return view, messages.Errorf(op, messages.WrongState, format, args...).With("session_id", string(id)).WithHint(hint)
	}
	switch {
	case r.Turn || len(view.Inputs) > 0 || len(view.Permissions) > 0:
		return refuse("wait until it is over, or cancel it", "a turn is under way in session %s", id)
	case r.Condition == messages.MemoryGone || r.Condition == messages.ConversationDeleted:
		return refuse("begin another session", "the agent no longer knows the conversation of session %s", id)
	case !r.InTranscript || r.AgentSession == "":
		return refuse("send a message first, or begin another session", "session %s has no answer of the agent yet", id)
	}
	return view, nil
}

// lastAnswer finds the agent's newest message in its transcript.
func lastAnswer(op, conversation string, environment []string) (string, error) {
	files, err := claude.Transcripts(environment, conversation)
	if err != nil {
		return "", messages.AsError(op, err)
	}
	for _, path := range files {
		file, err := regular.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", messages.Errorf(op, messages.Unavailable, "read the agent's transcript: %w", err)
		}
		last, err := transcript.LastAnswer(file)
		_ = file.Close() // it was read only
		switch {
		case err != nil:
			return "", messages.Errorf(op, messages.Unavailable, "%w", err)
		case last == "":
			return "", messages.Errorf(op, messages.WrongState, "the agent has said nothing since the conversation began or was compacted").
				WithHint("send a message first")
		}
		return last, nil
	}
	return "", messages.Errorf(op, messages.WrongState, "the agent has no transcript of the conversation, so it cannot be resumed").
		WithHint("begin another session")
}
