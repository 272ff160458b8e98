package translate

import (
	"slices"
	"strings"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// AuditTypesIn translates a filter. It refuses unknown types: a misspelled filter would show an empty log.
func AuditTypesIn(op string, types []string) ([]messages.AuditType, error) {
	known := messages.AuditTypes()
	var out []messages.AuditType
	for _, t := range types {
		if !slices.Contains(known, messages.AuditType(t)) {
			var names []string
			for _, k := range known {
				names = append(names, string(k))
			}
			slices.Sort(names)
			return nil, wire.Invalid(op, "The types are "+strings.Join(names, ", ")+".", "the event type %q is unknown", wire.Clip(t))
		}
		out = append(out, messages.AuditType(t))
	}
	return out, nil
}

// AuditOut translates an entry of the audit log.
func AuditOut(e messages.AuditEntry) *pb.AuditEntry {
	return &pb.AuditEntry{
		Id: e.ID, EventId: e.EventID, EventType: string(e.Type), Severity: e.Severity, SessionId: string(e.Session), SubagentId: e.Subagent,
		ParentSessionId: string(e.Parent), ActorType: e.ActorType, ActorId: e.ActorID, ToolName: e.Tool, InputSha256: e.InputHash,
		InputPreview: e.InputPreview, Outcome: string(e.Outcome), ErrorCode: e.ErrorCode, ErrorMessage: e.ErrorMessage,
		Context: e.Context, ClientIp: e.ClientIP, CreatedAt: TimeOut(e.CreatedAt), ExpiresAt: TimeOut(e.ExpiresAt),
	}
}

// TokenOut translates a token, without its secret.
func TokenOut(t messages.Token) *pb.AccessToken {
	return &pb.AccessToken{
		Name: t.Name, Scopes: t.Rights.Names(), CreatedAt: TimeOut(t.CreatedAt), LastUsedAt: TimeOut(t.LastUsed), ExpiresAt: TimeOut(t.ExpiresAt),
		Person: t.Person, Id: t.ID, Title: t.Title, Shared: t.Shared,
	}
}

// MemberOut translates a member of a session.
func MemberOut(m messages.Member) *pb.Member {
	return &pb.Member{SessionId: string(m.Session), Person: m.Person, Role: string(m.Role), CreatedAt: TimeOut(m.Since)}
}
