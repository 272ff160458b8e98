package grpcapi

import (
	"context"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// apiVersion is the version of the protobuf package that is served.
const apiVersion = "v1"

// features are the flags of the API document that are on.
var features = []string{"permission_bridge", "session_persistence", "streaming_deltas"}

type versionService struct {
	pb.UnimplementedVersionServiceServer
	options *Options
}

// GetVersion implements VersionService.
func (s versionService) GetVersion(context.Context, *pb.GetVersionRequest) (*pb.GetVersionResponse, error) {
	claude := &pb.ClaudeCodeInfo{Compatibility: pb.CompatibilityLevel_COMPATIBILITY_UNKNOWN}
	if s.options.ClaudeVersion != nil {
		claude.Version = s.options.ClaudeVersion()
	}
	return &pb.GetVersionResponse{
		ApiVersion:    apiVersion,
		ServerVersion: s.options.Version,
		Features:      features,
		ClaudeCode:    claude,
		Constraints:   &pb.VersionConstraints{},
	}, nil
}

// NegotiateCapabilities implements VersionService.
func (s versionService) NegotiateCapabilities(context.Context, *pb.NegotiateRequest) (*pb.NegotiateResponse, error) {
	return nil, messages.Errorf("negotiate capabilities", messages.Unimplemented, "not built yet").
		WithHint("Go on without: every feature that GetVersion lists is available to every client.")
}
