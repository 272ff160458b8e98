package grpcapi

import (
	"google.golang.org/grpc"

	"betcode/grpcapi/translate"
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
	if filter.Types, err = translate.AuditTypesIn(op, r.GetEventTypes()); err != nil {
		return err
	}
	if ref := r.GetSessionId(); ref != "" {
		if filter.Session, err = (adminService{asker: s.server.asker}).resolve(stream.Context(), ref); err != nil {
			return err
		}
	}
	return s.server.options.Audit.Read(stream.Context(), filter, func(e messages.AuditEntry) error {
		return stream.Send(translate.AuditOut(e))
	})
}
