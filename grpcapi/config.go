package grpcapi

import (
	"context"

	"betcode/grpcapi/auth"
	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// configService is ConfigService.
type configService struct {
	pb.UnimplementedConfigServiceServer
	asker handler.Asker
}

// GetSettings implements ConfigService.
func (s configService) GetSettings(ctx context.Context, r *pb.GetSettingsRequest) (*pb.Settings, error) {
	scope, directory, err := translate.ScopeIn("get settings", r.GetScope(), r.GetWorkingDirectory())
	return handler.Unary(ctx, s.asker, messages.GetSettings{Scope: scope, Directory: directory}, err, translate.SettingsOut)
}

// UpdateSettings implements ConfigService.
func (s configService) UpdateSettings(ctx context.Context, r *pb.UpdateSettingsRequest) (*pb.Settings, error) {
	const op = "update settings"
	scope, directory, err := translate.ScopeIn(op, r.GetScope(), r.GetWorkingDirectory())
	if err != nil {
		return nil, err
	}
	changes, err := translate.ChangesIn(r)
	if err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return nil, wire.Invalid(op, "Set a member of settings that is not zero, or name it in values.", "the request changes no setting")
	}
	m := messages.UpdateSettings{Scope: scope, Directory: directory, Changes: changes, Revision: r.GetRevision(), Client: auth.CallOf(ctx).Client}
	return handler.Unary(ctx, s.asker, m, nil, translate.SettingsOut)
}

// ListMcpServers implements ConfigService.
func (s configService) ListMcpServers(ctx context.Context, r *pb.ListMcpServersRequest) (*pb.ListMcpServersResponse, error) {
	const op = "list MCP servers"
	wanted, err := translate.ServerStatusIn(op, r.GetStatusFilter())
	if err != nil {
		return nil, err
	}
	var session messages.SessionID
	if r.GetSessionId() != "" {
		if session, err = translate.SessionIn(op, r.GetSessionId()); err != nil {
			return nil, err
		}
	}
	return handler.Unary(ctx, s.asker, messages.GetAgentReports{Session: session}, nil, func(a messages.AgentReports) *pb.ListMcpServersResponse {
		return translate.ServersOut(a.Reports, wanted)
	})
}

// GetPermissions implements ConfigService.
func (s configService) GetPermissions(ctx context.Context, r *pb.GetPermissionsRequest) (*pb.PermissionRules, error) {
	const op = "get permissions"
	var m messages.ListRules
	var err error
	if r.GetSessionId() != "" {
		if m.Session, err = translate.SessionIn(op, r.GetSessionId()); err != nil {
			return nil, err
		}
	}
	if m.Directory, err = translate.DirectoryIn(op, r.GetWorkingDirectory()); err != nil {
		return nil, err
	}
	if m.Session != "" && m.Directory != "" {
		return nil, wire.Invalid(op, "Leave one of them out.", "session_id and working_directory are both set; a session has a directory")
	}
	return handler.Unary(ctx, s.asker, m, nil, translate.RulesOut)
}
