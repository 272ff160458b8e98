package translate

import (
	"path"
	"strings"

	"github.com/google/uuid"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The translation of agent.proto, in its order. Inward, an unknown value is an error. Outward,
// every value is translated.

// StartIn translates the first message of a Converse stream. Without a session id it generates one.
func StartIn(m *pb.StartConversation, client messages.ClientID) (messages.StartSession, error) {
	const op = "start conversation"
	var err error
	out := messages.StartSession{
		Client:         client,
		Name:           strings.TrimSpace(m.GetName()),
		WorktreeID:     m.GetWorktreeId(),
		Model:          m.GetModel(),
		PermissionMode: m.GetPermissionMode(),
		ConfirmMode:    m.GetConfirmMode(),
		AllowedTools:   m.GetAllowedTools(),
		DeniedTools:    m.GetDeniedTools(),
		Metadata:       m.GetMetadata(),
		Environment:    m.GetEnvironment(),
		Resume:         messages.ResumePolicy(m.GetResumePolicy()),
	}
	if !out.Resume.Valid() {
		return out, wire.Invalid(op, "Use auto, ask or never.", "the resume_policy %q is unknown", wire.Clip(m.GetResumePolicy()))
	}
	if m.GetPlanMode() {
		if out.PermissionMode != "" && out.PermissionMode != "plan" {
			return out, wire.Invalid(op, "Leave one of them out.", "plan_mode and permission_mode %q contradict each other", wire.Clip(out.PermissionMode))
		}
		out.PermissionMode = "plan"
	}
	if out.WorkingDirectory, err = DirectoryIn(op, m.GetWorkingDirectory()); err != nil {
		return out, err
	}
	if m.GetSessionId() == "" {
		if out.WorkingDirectory == "" && out.WorktreeID == "" {
			return out, wire.Invalid(op, "Give working_directory: the absolute path of the agent's directory.", "a new session needs a working directory")
		}
		out.Session = messages.SessionID(uuid.NewString())
	} else if out.Session, err = SessionIn(op, m.GetSessionId()); err != nil {
		return out, err
	}
	if err := argumentsIn(op, &out); err != nil {
		return out, err
	}
	if out.Options, err = optionsIn(op, m.GetOptions()); err != nil {
		return out, err
	}
	if out.Lease, err = LeaseIn(op, m.GetWorktreeLock(), out.WorktreeID); err != nil {
		return out, err
	}
	if out.Budget, err = BudgetIn(op, m.GetBudget()); err != nil {
		return out, err
	}
	for _, check := range []error{
		modeIn(op, out.PermissionMode),
		metadataIn(op, out.Metadata),
		environmentIn(op, out.Environment),
		NameIn(op, out.Name),
	} {
		if check != nil {
			return out, check
		}
	}
	return out, nil
}

// argumentsIn checks the parts of a new session that become arguments of its agent, and
// replaces them by the form that the agent gets.
func argumentsIn(op string, m *messages.StartSession) (err error) {
	if m.Model, err = ArgumentIn(op, "model", m.Model); err != nil {
		return err
	}
	if m.WorktreeID, err = ArgumentIn(op, "worktree_id", m.WorktreeID); err != nil {
		return err
	}
	if m.AllowedTools, err = ToolsIn(op, "allowed_tools", m.AllowedTools); err != nil {
		return err
	}
	m.DeniedTools, err = ToolsIn(op, "denied_tools", m.DeniedTools)
	return err
}

// AttachIn translates the rest of the first message: which part of the history is sent. A new
// session has none, so all of it is sent.
func AttachIn(m *pb.StartConversation, session messages.SessionID, client messages.ClientID, created bool) (messages.Attach, error) {
	out := messages.Attach{
		Session: session, Client: client, Stream: uuid.NewString(),
		Observer: m.GetObserver(), Discards: m.GetDiscardUnused(), History: messages.HistoryFull, Follow: messages.FollowForever,
	}
	history, err := HistoryIn(m.GetHistory(), m.GetFromSequence())
	if err != nil || created {
		return out, err
	}
	out.History = history
	if history == messages.HistoryFromSequence {
		out.From = messages.Seq(m.GetFromSequence())
	}
	return out, nil
}

// HistoryIn translates which part of the history a client wants. Without a policy, from decides.
func HistoryIn(p pb.HistoryPolicy, from uint64) (messages.History, error) {
	switch p {
	case pb.HistoryPolicy_HISTORY_POLICY_UNSPECIFIED:
		if from > 0 {
			return messages.HistoryFromSequence, nil
		}
		return messages.HistoryPendingOnly, nil // published clients set no policy and read history with ResumeSession
	case pb.HistoryPolicy_HISTORY_POLICY_FULL:
		return messages.HistoryFull, nil
	case pb.HistoryPolicy_HISTORY_POLICY_PENDING_ONLY:
		return messages.HistoryPendingOnly, nil
	case pb.HistoryPolicy_HISTORY_POLICY_NONE:
		return messages.HistoryNone, nil
	case pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE:
		return messages.HistoryFromSequence, nil
	}
	return 0, wire.Invalid("start conversation", "Use a HistoryPolicy that this daemon knows, 0 to 4.", "the history policy %d is unknown", p)
}

// InputIn translates a user message.
func InputIn(m *pb.UserMessage, session messages.SessionID, client messages.ClientID) (messages.SendInput, error) {
	const op = "send message"
	out := messages.SendInput{Session: session, Client: client, Content: m.GetContent()}
	if key := m.GetIdempotencyKey(); key == "" {
		out.Key = uuid.NewString()
	} else if out.Key = wire.CanonicalUUID(key); out.Key == "" {
		return out, wire.Invalid(op, "Use a UUID of 36 characters, or leave it out.", "the idempotency_key %q is not a UUID", wire.Clip(key))
	}
	if r := m.GetRepeat(); r != nil {
		out.Repeat = &messages.Repeat{Max: r.GetMax(), Marker: r.GetMarker()}
	}
	switch n := len(out.Content); {
	case strings.TrimSpace(out.Content) == "" && len(m.GetAttachments()) == 0:
		return out, wire.Invalid(op, "Send text, or attach a file.", "the message is empty")
	case n > MaxContentBytes:
		return out, wire.Invalid(op, "Put the rest into a file and attach it, or let the agent read it.",
			"the text has %d bytes, at most %d are taken", n, MaxContentBytes)
	case len(m.GetAttachments()) > maxAttachments:
		return out, wire.Invalid(op, "Send them in several messages.", "there are %d attachments, the limit is %d", len(m.GetAttachments()), maxAttachments)
	}
	for i, a := range m.GetAttachments() {
		attachment, err := attachmentIn(i, a)
		if err != nil {
			return out, err
		}
		out.Attachments = append(out.Attachments, attachment)
	}
	return out, nil
}

func attachmentIn(i int, a *pb.Attachment) (messages.Attachment, error) {
	const op = "send message"
	out := messages.Attachment{Filename: a.GetFilename(), MimeType: a.GetMimeType(), Data: a.GetData()}
	switch {
	case len(out.Data) == 0:
		return out, wire.Invalid(op, "Attach the file's content, or leave it out.", "attachment %d is empty", i+1)
	case out.Filename != "" && (path.Base(out.Filename) != out.Filename || out.Filename == ".." || strings.ContainsAny(out.Filename, "\\\x00") || len(out.Filename) > maxNameBytes):
		return out, wire.Invalid(op, "Give its name without a directory.", "the name %q of attachment %d is not a file's name", wire.Clip(out.Filename), i+1)
	case !strings.Contains(out.MimeType, "/") || len(out.MimeType) > maxNameBytes:
		return out, wire.Invalid(op, `Give it, for example "image/png".`, "attachment %d has no mime_type", i+1)
	}
	return out, nil
}

// CancelIn translates the request to interrupt a turn, on a stream or as a call.
func CancelIn(m interface{ GetReason() string }, session messages.SessionID, client messages.ClientID) (messages.CancelTurn, error) {
	out := messages.CancelTurn{Session: session, Client: client, Reason: m.GetReason()}
	return out, denialIn("cancel turn", out.Reason)
}

// LockIn translates a request of the holder of the input lock.
func LockIn(m *pb.InputLockAction, session messages.SessionID, client messages.ClientID) (messages.Request, error) {
	switch a := m.GetAction(); a {
	case pb.LockAction_LOCK_ACTION_UNSPECIFIED:
		return nil, wire.Invalid("change input lock", "Set action to LOCK_ACTION_RELEASE or LOCK_ACTION_REFUSE.", "action is not set")
	case pb.LockAction_LOCK_ACTION_RELEASE:
		return messages.ReleaseLock{Session: session, Client: client}, nil
	case pb.LockAction_LOCK_ACTION_REFUSE:
		return messages.RefuseLock{Session: session, Client: client}, nil
	default:
		return nil, wire.Invalid("change input lock", "Use a LockAction that this daemon knows.", "the action %d is unknown", a)
	}
}

// SettingsIn translates a change of a session's model or permission mode.
func SettingsIn(m *pb.SessionSettingsChange, session messages.SessionID, client messages.ClientID) (messages.ChangeSettings, error) {
	const op = "change settings"
	out := messages.ChangeSettings{Session: session, Client: client, Model: strings.TrimSpace(m.GetModel()), PermissionMode: m.GetPermissionMode(), ConfirmMode: m.GetConfirmMode()}
	if out.Model == "" && out.PermissionMode == "" {
		return out, wire.Invalid(op, "Set model or permission_mode.", "the request changes no setting")
	}
	var err error
	if out.Model, err = ArgumentIn(op, "model", out.Model); err != nil {
		return out, err
	}
	return out, modeIn(op, out.PermissionMode)
}

// ResumeIn translates a replay: of everything for sequence 0, else of the events after it.
func ResumeIn(m *pb.ResumeSessionRequest, client messages.ClientID) (messages.Attach, error) {
	session, err := SessionIn("resume session", m.GetSessionId())
	out := messages.Attach{
		Session: session, Client: client, Stream: uuid.NewString(), Observer: true,
		History: messages.HistoryFull, Follow: messages.FollowTurn,
	}
	if m.GetFromSequence() > 0 {
		out.History, out.From = messages.HistoryFromSequence, messages.Seq(m.GetFromSequence())
	}
	if m.GetFollow() {
		out.Follow = messages.FollowForever
	}
	return out, err
}
