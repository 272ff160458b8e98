package grpcapi

import (
	"context"
	"slices"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// apiVersion is the version of the protobuf package that is served.
const apiVersion = "v1"

// reportsLookedAt bounds the sessions whose agents' tools and models are reported.
const reportsLookedAt = 50

type versionService struct {
	pb.UnimplementedVersionServiceServer
	server *Server
}

// GetVersion implements VersionService.
func (s versionService) GetVersion(context.Context, *pb.GetVersionRequest) (*pb.GetVersionResponse, error) {
	claude := s.claude()
	out := &pb.GetVersionResponse{
		ApiVersion:    apiVersion,
		ServerVersion: s.server.options.Version,
		ClaudeCode:    &pb.ClaudeCodeInfo{Version: claude, Compatibility: window.level(claude)},
		Constraints: &pb.VersionConstraints{
			MinClientVersion: window.Client.Minimum, RecommendedClient: window.Client.Recommended,
			FeatureReplacements: map[string]string{},
		},
	}
	said := s.server.flags()
	for _, f := range messages.Features() {
		on := f.On(said) && s.server.built(f)
		if on {
			out.Features = append(out.Features, f.Name)
		}
		if f.Stage == messages.StageDeprecated {
			out.Constraints.DeprecatedFeatures = append(out.Constraints.DeprecatedFeatures, f.Name)
			out.Constraints.FeatureReplacements[f.Name] = f.Replacement
		}
		out.Flags = append(out.Flags, featureOut(f, on))
	}
	slices.Sort(out.GetFeatures())
	return out, nil
}

// NegotiateCapabilities implements VersionService.
func (s versionService) NegotiateCapabilities(ctx context.Context, r *pb.NegotiateRequest) (*pb.NegotiateResponse, error) {
	can, err := s.capabilities(ctx)
	if err != nil {
		return nil, err
	}
	return negotiation{
		window: window, server: s.server.options.Version, claude: s.claude(), features: messages.Features(),
		said: s.server.flags(), built: s.server.built, can: can,
	}.answer(r), nil
}

func (s versionService) claude() string {
	if s.server.options.ClaudeVersion == nil {
		return ""
	}
	return s.server.options.ClaudeVersion()
}

// capabilities returns the abilities of the daemon. Tools and models are those that agents have
// reported lately: the names they accept for a model, and the models they have used.
func (s versionService) capabilities(ctx context.Context) (*pb.CapabilitySet, error) {
	reports, err := ask[messages.AgentReports](ctx, s.server.asker, messages.GetAgentReports{Limit: reportsLookedAt})
	if err != nil {
		return nil, err
	}
	out := &pb.CapabilitySet{
		StreamingSupported: true, CompressionSupported: true,
		MaxMessageSize: uint32Of(int64(s.server.options.MaxMessageBytes)),
		FeatureFlags:   map[string]bool{},
	}
	for _, r := range reports.Reports {
		out.AvailableTools = append(out.AvailableTools, r.Tools...)
		out.AvailableModels = append(out.AvailableModels, r.Models...)
		if r.Model != "" {
			out.AvailableModels = append(out.AvailableModels, r.Model)
		}
	}
	out.AvailableTools, out.AvailableModels = unique(out.GetAvailableTools()), unique(out.GetAvailableModels())
	said := s.server.flags()
	for _, f := range messages.Features() {
		out.FeatureFlags[f.Name] = f.On(said) && s.server.built(f)
	}
	out.SubagentsEnabled = out.GetFeatureFlags()["subagent_orchestration"]
	out.WorktreesEnabled = out.GetFeatureFlags()["worktree_management"]
	return out, nil
}

func unique(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

func featureOut(f messages.Feature, on bool) *pb.FeatureFlag {
	return &pb.FeatureFlag{
		Name: f.Name, Description: f.Description, Stage: pb.FeatureStage(f.Stage), IntroducedVersion: f.Since,
		MinClientVersion: f.MinClient, DeprecatedVersion: f.Deprecated, RemovalVersion: f.Removal, Enabled: on, Replacement: f.Replacement,
	}
}
