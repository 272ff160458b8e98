package grpcapi

import (
	"slices"
	"strings"

	"google.golang.org/grpc"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// accessService is AccessService.
type accessService struct {
	pb.UnimplementedAccessServiceServer
	server *Server
}

// ListAudit implements AccessService.
func (s accessService) ListAudit(r *pb.ListAuditRequest, stream grpc.ServerStreamingServer[pb.AuditEntry]) error {
	const op = "read audit log"
	if s.server.options.Audit == nil {
		return messages.Errorf(op, messages.Unimplemented, "this daemon keeps no audit log")
	}
	var filter messages.AuditFilter
	if since := r.GetSince(); since != nil {
		if err := since.CheckValid(); err != nil {
			return wire.Invalid(op, "Give a valid timestamp.", "since: %w", err)
		}
		filter.Since = since.AsTime()
	}
	var err error
	if filter.Types, err = auditTypesIn(op, r.GetEventTypes()); err != nil {
		return err
	}
	if ref := r.GetSessionId(); ref != "" {
		if filter.Session, err = (adminService{asker: s.server.asker}).resolve(stream.Context(), ref); err != nil {
			return err
		}
	}
	return s.server.options.Audit.Read(stream.Context(), filter, func(e messages.AuditEntry) error {
		return stream.Send(auditOut(e))
	})
}

// auditTypesIn translates a filter. It refuses unknown types: a misspelled filter would show an
// empty log.
func auditTypesIn(op string, types []string) ([]messages.AuditType, error) {
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

func auditOut(e messages.AuditEntry) *pb.AuditEntry {
	return &pb.AuditEntry{
		Id: e.ID, EventId: e.EventID, EventType: string(e.Type), Severity: e.Severity, SessionId: string(e.Session), SubagentId: e.Subagent,
		ParentSessionId: string(e.Parent), ActorType: e.ActorType, ActorId: e.ActorID, ToolName: e.Tool, InputSha256: e.InputHash,
		InputPreview: e.InputPreview, Outcome: string(e.Outcome), ErrorCode: e.ErrorCode, ErrorMessage: e.ErrorMessage,
		Context: e.Context, ClientIp: e.ClientIP, CreatedAt: timeOut(e.CreatedAt), ExpiresAt: timeOut(e.ExpiresAt),
	}
}
