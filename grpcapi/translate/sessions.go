package translate

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// ListIn translates a request for a list of sessions.
func ListIn(m *pb.ListSessionsRequest) (messages.ListSessions, error) {
	const op = "list sessions"
	dir, err := DirectoryIn(op, m.GetWorkingDirectory())
	if err != nil {
		return messages.ListSessions{}, err
	}
	out := messages.ListSessions{WorkingDirectory: dir, WorktreeID: m.GetWorktreeId(), Limit: 100, Offset: int(min(m.GetOffset(), math.MaxInt32))}
	if m.GetLimit() > 0 {
		out.Limit = int(min(m.GetLimit(), maxListLimit))
	}
	if m.Resting != nil {
		resting := int(min(m.GetResting(), maxListLimit))
		out.Resting = &resting
	}
	return out, nil
}

// TotalsOut translates a list of sessions, without the sessions.
func TotalsOut(l messages.SessionList) *pb.ListSessionsResponse {
	return &pb.ListSessionsResponse{
		Total: Saturate(uint64(max(l.Total, 0))), OmittedIdle: Saturate(uint64(max(l.Omitted.Idle, 0))), OmittedStopped: Saturate(uint64(max(l.Omitted.Stopped, 0))),
	}
}

// Steady reports whether the summary of a session depends on its record alone, and not on the time.
func Steady(r *messages.SessionRecord) bool {
	return r.RateLimit == (messages.RateLimit{}) && r.Budget.WorkingSince.IsZero()
}

// maxSlotAsking bounds the sessions that a summary names as the reason for its wait.
const maxSlotAsking = 5

// NoteSlot adds to a summary why its session waits for a slot, and which sessions have a slot while
// they wait for a person.
func NoteSlot(out *pb.SessionSummary, q messages.SlotQueue) {
	place := slices.IndexFunc(q.Waiting, func(w messages.SlotWaiter) bool { return string(w.Session) == out.GetId() })
	if place < 0 {
		return
	}
	out.SlotPlace, out.SlotReason = uint32(place+1), string(q.Waiting[place].Reason)
	if q.Waiting[place].Reason == messages.SlotRateLimited {
		out.RateLimited = true
		if until := q.Waiting[place].Until; until.After(out.GetRateLimitedUntil().AsTime()) {
			out.RateLimitedUntil = TimeOut(until)
		}
	}
	for _, id := range q.Asking[:min(len(q.Asking), maxSlotAsking)] {
		out.SlotAsking = append(out.SlotAsking, string(id))
	}
}

// SummaryOut translates a session into an entry of a list.
func SummaryOut(r *messages.SessionRecord, now time.Time) *pb.SessionSummary {
	return &pb.SessionSummary{
		Id:                 string(r.ID),
		Model:              cmp.Or(r.AgentModel, r.Model),
		WorkingDirectory:   r.WorkingDirectory,
		WorktreeId:         r.WorktreeID,
		Status:             r.Phase.String(),
		MessageCount:       r.Messages,
		TotalInputTokens:   Saturate(r.Usage.InputTokens),
		TotalOutputTokens:  Saturate(r.Usage.OutputTokens),
		TotalCostUsd:       r.Usage.CostUSD,
		CreatedAt:          TimeOut(r.CreatedAt),
		UpdatedAt:          TimeOut(r.UpdatedAt),
		LastMessagePreview: strings.ToValidUTF8(r.Preview, "?"),
		Name:               r.Name,
		Title:              r.Title,
		StoppedAt:          TimeOut(r.Stopped.At),
		StoppedBy:          string(r.Stopped.By),
		Condition:          string(r.Condition),
		Waiting:            cmp.Or(r.Waiting, string(r.Budget.Held)),
		RateLimited:        r.RateLimit.Holds(now),
		RateLimitedUntil:   limitEndOut(r.RateLimit, now),
		Budget:             sessionBudgetOut(r.Budget, now),
		Proxied:            proxiedOut(r.Proxy),
	}
}

// LockOut translates the answer to a request for the input lock.
func LockOut(a messages.LockAnswer) *pb.InputLockResponse {
	if a.Granted {
		return &pb.InputLockResponse{Granted: true, PreviousHolder: string(a.Previous)}
	}
	return &pb.InputLockResponse{PreviousHolder: string(a.Holder), Refused: a.Refused, Place: Saturate(uint64(max(a.Place, 0)))}
}

// GrantsOut translates grants, sorted by tool.
func GrantsOut(grants map[string]bool) []*pb.SessionGrantEntry {
	out := make([]*pb.SessionGrantEntry, 0, len(grants))
	for tool, granted := range grants {
		out = append(out, &pb.SessionGrantEntry{ToolName: tool, Granted: granted})
	}
	slices.SortFunc(out, func(a, b *pb.SessionGrantEntry) int { return strings.Compare(a.GetToolName(), b.GetToolName()) })
	return out
}

// ClearGrantsIn translates a request to clear grants.
func ClearGrantsIn(m *pb.ClearSessionGrantsRequest) (messages.ClearGrants, error) {
	session, err := SessionIn("clear grants", m.GetSessionId())
	if err != nil {
		return messages.ClearGrants{}, err
	}
	return messages.ClearGrants{Session: session, Tool: m.GetToolName()}, nil
}

// CompactIn translates a request to compact. Without a key it generates one.
func CompactIn(m *pb.CompactSessionRequest) (messages.CompactSession, error) {
	const op = "compact session"
	out := messages.CompactSession{Key: uuid.NewString()}
	var err error
	if out.Session, err = SessionIn(op, m.GetSessionId()); err != nil {
		return out, err
	}
	if key := m.GetIdempotencyKey(); key != "" {
		if out.Key = wire.CanonicalUUID(key); out.Key == "" {
			return out, wire.Invalid(op, "Use a UUID of 36 characters, or leave it out.", "the idempotency_key %q is not a UUID", wire.Clip(key))
		}
	}
	return out, nil
}

// CompactOut translates the result of a compaction.
func CompactOut(c messages.SessionCompacted) *pb.CompactSessionResponse {
	out := &pb.CompactSessionResponse{
		MessagesBefore: c.MessagesBefore, MessagesAfter: c.MessagesAfter, Done: c.Done,
		TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter, Boundary: uint64(c.Boundary),
	}
	if c.Done && c.TokensAfter < c.TokensBefore {
		out.TokensSaved = Saturate(c.TokensBefore - c.TokensAfter)
	}
	return out
}

// SetGrantIn translates a grant of a tool, or its refusal.
func SetGrantIn(m *pb.SetSessionGrantRequest) (messages.SetGrant, error) {
	const op = "set grant"
	session, err := SessionIn(op, m.GetSessionId())
	if err != nil {
		return messages.SetGrant{}, err
	}
	tools, err := ToolsIn(op, "tool_name", []string{m.GetToolName()})
	if err != nil {
		return messages.SetGrant{}, err
	}
	return messages.SetGrant{Session: session, Tool: tools[0], Granted: m.GetGranted()}, nil
}

// RenameIn translates a new name of a session.
func RenameIn(m *pb.RenameSessionRequest) (messages.RenameSession, error) {
	const op = "rename session"
	session, err := SessionIn(op, m.GetSessionId())
	if err != nil {
		return messages.RenameSession{}, err
	}
	out := messages.RenameSession{Session: session, Name: strings.TrimSpace(m.GetName())}
	return out, NameIn(op, out.Name)
}
