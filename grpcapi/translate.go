package grpcapi

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// The translation of agent.proto, in its order. Inward, an unknown value is an error. Outward,
// every value is translated.

// startIn translates the first message of a Converse stream. Without a session id it makes one.
func startIn(m *pb.StartConversation, client messages.ClientID) (messages.StartSession, error) {
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
	if out.WorkingDirectory, err = directoryIn(op, m.GetWorkingDirectory()); err != nil {
		return out, err
	}
	if m.GetSessionId() == "" {
		if out.WorkingDirectory == "" && out.WorktreeID == "" {
			return out, wire.Invalid(op, "Give working_directory: the absolute path of the agent's directory.", "a new session needs a working directory")
		}
		out.Session = messages.SessionID(uuid.NewString())
	} else if out.Session, err = sessionIn(op, m.GetSessionId()); err != nil {
		return out, err
	}
	if err := argumentsIn(op, &out); err != nil {
		return out, err
	}
	if out.Options, err = optionsIn(op, m.GetOptions()); err != nil {
		return out, err
	}
	if out.Lease, err = leaseIn(op, m.GetWorktreeLock(), out.WorktreeID); err != nil {
		return out, err
	}
	if out.Budget, err = budgetIn(op, m.GetBudget()); err != nil {
		return out, err
	}
	for _, check := range []error{
		modeIn(op, out.PermissionMode),
		metadataIn(op, out.Metadata),
		environmentIn(op, out.Environment),
		nameIn(op, out.Name),
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
	if m.Model, err = argumentIn(op, "model", m.Model); err != nil {
		return err
	}
	if m.WorktreeID, err = argumentIn(op, "worktree_id", m.WorktreeID); err != nil {
		return err
	}
	if m.AllowedTools, err = toolsIn(op, "allowed_tools", m.AllowedTools); err != nil {
		return err
	}
	m.DeniedTools, err = toolsIn(op, "denied_tools", m.DeniedTools)
	return err
}

// attachIn translates the rest of the first message: which part of the history is sent. A new
// session has none, so all of it is sent.
func attachIn(m *pb.StartConversation, session messages.SessionID, client messages.ClientID, created bool) (messages.Attach, error) {
	out := messages.Attach{
		Session: session, Client: client, Stream: uuid.NewString(),
		Observer: m.GetObserver(), History: messages.HistoryFull, Follow: messages.FollowForever,
	}
	history, err := historyIn(m.GetHistory(), m.GetFromSequence())
	if err != nil || created {
		return out, err
	}
	out.History = history
	if history == messages.HistoryFromSequence {
		out.From = messages.Seq(m.GetFromSequence())
	}
	return out, nil
}

func historyIn(p pb.HistoryPolicy, from uint64) (messages.History, error) {
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

// inputIn translates a user message.
func inputIn(m *pb.UserMessage, session messages.SessionID, client messages.ClientID) (messages.SendInput, error) {
	const op = "send message"
	out := messages.SendInput{Session: session, Client: client, Content: m.GetContent()}
	if key := m.GetIdempotencyKey(); key == "" {
		out.Key = uuid.NewString()
	} else if out.Key = wire.CanonicalUUID(key); out.Key == "" {
		return out, wire.Invalid(op, "Use a UUID of 36 characters, or leave it out.", "the idempotency_key %q is not a UUID", wire.Clip(key))
	}
	switch n := len(out.Content); {
	case strings.TrimSpace(out.Content) == "" && len(m.GetAttachments()) == 0:
		return out, wire.Invalid(op, "Send text, or attach a file.", "the message is empty")
	case n > maxContentBytes:
		return out, wire.Invalid(op, "Put the rest into a file and attach it, or let the agent read it.",
			"the text has %d bytes, at most %d are taken", n, maxContentBytes)
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

// answerIn translates the answer to a permission request.
func answerIn(m *pb.PermissionResponse, session messages.SessionID, client messages.ClientID) (messages.AnswerPermission, error) {
	const op = "answer permission"
	request, err := requestIn(op, "request_id", m.GetRequestId())
	if err != nil {
		return messages.AnswerPermission{}, err
	}
	out := messages.AnswerPermission{
		Session: session, Client: client, Request: request,
		Key:     wire.CanonicalUUID(m.GetIdempotencyKey()), // other values of published clients are ignored
		Message: m.GetMessage(), Suggestions: m.GetApplySuggestions(),
	}
	if out.Decision, err = decisionIn(op, m.GetDecision()); err != nil {
		return out, err
	}
	if out.Updated, err = updatedIn(op, out.Decision, m.GetUpdatedInput()); err != nil {
		return out, err
	}
	return out, cmp.Or(denialIn(op, out.Message), suggestionsIn(op, out.Suggestions))
}

// suggestionsIn refuses more suggestions than a request can have.
func suggestionsIn(op string, chosen []uint32) error {
	if len(chosen) > maxSuggestions {
		return wire.Invalid(op, "Name each once.", "%d suggestions are chosen, the limit is %d", len(chosen), maxSuggestions)
	}
	return nil
}

func decisionIn(op string, d pb.PermissionDecision) (messages.Decision, error) {
	switch d {
	case pb.PermissionDecision_PERMISSION_DECISION_UNSPECIFIED:
		return 0, wire.Invalid(op, "Set decision, for example ALLOW_ONCE or DENY.", "decision is not set")
	case pb.PermissionDecision_ALLOW_ONCE:
		return messages.AllowOnce, nil
	case pb.PermissionDecision_ALLOW_SESSION:
		return messages.AllowSession, nil
	case pb.PermissionDecision_DENY:
		return messages.Deny, nil
	case pb.PermissionDecision_ALLOW_WITH_EDIT:
		return messages.AllowWithEdit, nil
	case pb.PermissionDecision_DENY_NO_INTERRUPT:
		return messages.DenyNoInterrupt, nil
	case pb.PermissionDecision_DENY_WITH_INTERRUPT:
		return messages.DenyWithInterrupt, nil
	}
	return 0, wire.Invalid(op, "Use a PermissionDecision that this daemon knows, 1 to 6.", "the decision %d is unknown", d)
}

func denialIn(op, message string) error {
	if len(message) > maxMessageBytes {
		return wire.Invalid(op, "Shorten it.", "the message has %d bytes, the limit is %d", len(message), maxMessageBytes)
	}
	return nil
}

// questionIn translates the answer to a question. The session collects the answers to all
// questions of a request.
func questionIn(m *pb.UserQuestionResponse, session messages.SessionID, client messages.ClientID) (messages.AnswerPermission, error) {
	const op = "answer question"
	request, err := requestIn(op, "question_id", m.GetQuestionId())
	if err != nil {
		return messages.AnswerPermission{}, err
	}
	out := messages.AnswerPermission{
		Session: session, Client: client, Request: request,
		Decision: messages.DecisionAnswered, Answers: m.GetAnswers(),
	}
	return out, answersIn(op, out.Answers)
}

func answersIn(op string, answers map[string]string) error {
	size := 0
	for question, answer := range answers {
		size += len(question) + len(answer)
	}
	switch {
	case len(answers) == 0:
		return wire.Invalid(op, "Set answers: the text of the question to the answer chosen.", "answers is empty")
	case len(answers) > maxAnswers || size > maxMessageBytes:
		return wire.Invalid(op, "Shorten them.", "the answers are too long")
	}
	return nil
}

// cancelIn translates the request to interrupt a turn, on a stream or as a call.
func cancelIn(m interface{ GetReason() string }, session messages.SessionID, client messages.ClientID) (messages.CancelTurn, error) {
	out := messages.CancelTurn{Session: session, Client: client, Reason: m.GetReason()}
	return out, denialIn("cancel turn", out.Reason)
}

// lockIn translates a request of the holder of the input lock.
func lockIn(m *pb.InputLockAction, session messages.SessionID, client messages.ClientID) (messages.Request, error) {
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

func settingsIn(m *pb.SessionSettingsChange, session messages.SessionID, client messages.ClientID) (messages.ChangeSettings, error) {
	const op = "change settings"
	out := messages.ChangeSettings{Session: session, Client: client, Model: strings.TrimSpace(m.GetModel()), PermissionMode: m.GetPermissionMode(), ConfirmMode: m.GetConfirmMode()}
	if out.Model == "" && out.PermissionMode == "" {
		return out, wire.Invalid(op, "Set model or permission_mode.", "the request changes no setting")
	}
	var err error
	if out.Model, err = argumentIn(op, "model", out.Model); err != nil {
		return out, err
	}
	return out, modeIn(op, out.PermissionMode)
}

func listIn(m *pb.ListSessionsRequest) (messages.ListSessions, error) {
	const op = "list sessions"
	dir, err := directoryIn(op, m.GetWorkingDirectory())
	if err != nil {
		return messages.ListSessions{}, err
	}
	out := messages.ListSessions{WorkingDirectory: dir, WorktreeID: m.GetWorktreeId(), Limit: 100, Offset: int(min(m.GetOffset(), math.MaxInt32))}
	if m.GetLimit() > 0 {
		out.Limit = int(min(m.GetLimit(), maxListLimit))
	}
	return out, nil
}

func listOut(l messages.SessionList, now time.Time) *pb.ListSessionsResponse {
	out := &pb.ListSessionsResponse{Total: saturate(uint64(max(l.Total, 0)))}
	for _, record := range l.Sessions {
		summary := summaryOut(record, now)
		noteSlot(summary, l.Slots)
		out.Sessions = append(out.Sessions, summary)
	}
	return out
}

// maxSlotAsking bounds how many sessions a summary names as the reason for its waiting.
const maxSlotAsking = 5

// noteSlot adds to a summary that its session waits for a slot and why, and which sessions keep one
// while they wait for a person.
func noteSlot(out *pb.SessionSummary, q messages.SlotQueue) {
	place := slices.IndexFunc(q.Waiting, func(w messages.SlotWaiter) bool { return string(w.Session) == out.GetId() })
	if place < 0 {
		return
	}
	out.SlotPlace, out.SlotReason = uint32(place+1), string(q.Waiting[place].Reason)
	if q.Waiting[place].Reason == messages.SlotRateLimited {
		out.RateLimited = true
		if until := q.Waiting[place].Until; until.After(out.GetRateLimitedUntil().AsTime()) {
			out.RateLimitedUntil = timeOut(until)
		}
	}
	for _, id := range q.Asking[:min(len(q.Asking), maxSlotAsking)] {
		out.SlotAsking = append(out.SlotAsking, string(id))
	}
}

func summaryOut(r messages.SessionRecord, now time.Time) *pb.SessionSummary {
	return &pb.SessionSummary{
		Id:                 string(r.ID),
		Model:              cmp.Or(r.AgentModel, r.Model),
		WorkingDirectory:   r.WorkingDirectory,
		WorktreeId:         r.WorktreeID,
		Status:             r.Phase.String(),
		MessageCount:       r.Messages,
		TotalInputTokens:   saturate(r.Usage.InputTokens),
		TotalOutputTokens:  saturate(r.Usage.OutputTokens),
		TotalCostUsd:       r.Usage.CostUSD,
		CreatedAt:          timeOut(r.CreatedAt),
		UpdatedAt:          timeOut(r.UpdatedAt),
		LastMessagePreview: strings.ToValidUTF8(r.Preview, "?"),
		Name:               r.Name,
		Condition:          string(r.Condition),
		Waiting:            cmp.Or(r.Waiting, string(r.Budget.Held)),
		RateLimited:        r.RateLimit.Holds(now),
		RateLimitedUntil:   limitEndOut(r.RateLimit, now),
		Budget:             sessionBudgetOut(r.Budget, now),
	}
}

// resumeIn translates a replay: of everything for sequence 0, else of the events after it.
func resumeIn(m *pb.ResumeSessionRequest, client messages.ClientID) (messages.Attach, error) {
	session, err := sessionIn("resume session", m.GetSessionId())
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

func lockOut(a messages.LockAnswer) *pb.InputLockResponse {
	if a.Granted {
		return &pb.InputLockResponse{Granted: true, PreviousHolder: string(a.Previous)}
	}
	return &pb.InputLockResponse{PreviousHolder: string(a.Holder), Refused: a.Refused, Place: saturate(uint64(max(a.Place, 0)))}
}

func grantsOut(grants map[string]bool) []*pb.SessionGrantEntry {
	out := make([]*pb.SessionGrantEntry, 0, len(grants))
	for tool, granted := range grants {
		out = append(out, &pb.SessionGrantEntry{ToolName: tool, Granted: granted})
	}
	slices.SortFunc(out, func(a, b *pb.SessionGrantEntry) int { return strings.Compare(a.GetToolName(), b.GetToolName()) })
	return out
}

func clearGrantsIn(m *pb.ClearSessionGrantsRequest) (messages.ClearGrants, error) {
	session, err := sessionIn("clear grants", m.GetSessionId())
	if err != nil {
		return messages.ClearGrants{}, err
	}
	return messages.ClearGrants{Session: session, Tool: m.GetToolName()}, nil
}

func compactIn(m *pb.CompactSessionRequest) (messages.CompactSession, error) {
	const op = "compact session"
	out := messages.CompactSession{Key: uuid.NewString()}
	var err error
	if out.Session, err = sessionIn(op, m.GetSessionId()); err != nil {
		return out, err
	}
	if key := m.GetIdempotencyKey(); key != "" {
		if out.Key = wire.CanonicalUUID(key); out.Key == "" {
			return out, wire.Invalid(op, "Use a UUID of 36 characters, or leave it out.", "the idempotency_key %q is not a UUID", wire.Clip(key))
		}
	}
	return out, nil
}

func compactOut(c messages.SessionCompacted) *pb.CompactSessionResponse {
	out := &pb.CompactSessionResponse{
		MessagesBefore: c.MessagesBefore, MessagesAfter: c.MessagesAfter, Done: c.Done,
		TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter, Boundary: uint64(c.Boundary),
	}
	if c.Done && c.TokensAfter < c.TokensBefore {
		out.TokensSaved = saturate(c.TokensBefore - c.TokensAfter)
	}
	return out
}

func setGrantIn(m *pb.SetSessionGrantRequest) (messages.SetGrant, error) {
	const op = "set grant"
	session, err := sessionIn(op, m.GetSessionId())
	if err != nil {
		return messages.SetGrant{}, err
	}
	tools, err := toolsIn(op, "tool_name", []string{m.GetToolName()})
	if err != nil {
		return messages.SetGrant{}, err
	}
	return messages.SetGrant{Session: session, Tool: tools[0], Granted: m.GetGranted()}, nil
}

func renameIn(m *pb.RenameSessionRequest) (messages.RenameSession, error) {
	const op = "rename session"
	session, err := sessionIn(op, m.GetSessionId())
	if err != nil {
		return messages.RenameSession{}, err
	}
	out := messages.RenameSession{Session: session, Name: strings.TrimSpace(m.GetName())}
	return out, nameIn(op, out.Name)
}
