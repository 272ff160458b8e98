package version

import (
	"context"
	"math"
	"slices"

	"github.com/rs/zerolog"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// apiVersion is the version of the protobuf package that is served.
const apiVersion = "v1"

// reportsLookedAt bounds the sessions whose agents' tools and models are reported.
const reportsLookedAt = 50

// Options configure a [Service].
type Options struct {
	Logger          *zerolog.Logger
	Server          string // version of the daemon
	MaxMessageBytes int    // of a request, reported to clients

	// Claude returns the version of the agent, empty if it is not known; nil = always unknown.
	Claude func() string
	// Flags returns the feature flags of the settings; nil = the settings have none.
	Flags func() map[string]bool
	// Serves reports whether the daemon serves a gRPC service. It is called after all services are registered.
	Serves func(service string) bool
	// Reports returns the newest reports of agents, at most limit.
	Reports func(ctx context.Context, limit int) (messages.AgentReports, error)
}

// Service implements VersionService. It is safe for concurrent use.
type Service struct {
	pb.UnimplementedVersionServiceServer
	options Options
	warned  warned
}

// New returns a service.
func New(o Options) *Service { return &Service{options: o} }

// GetVersion implements VersionService.
func (s *Service) GetVersion(context.Context, *pb.GetVersionRequest) (*pb.GetVersionResponse, error) {
	claude := s.claude()
	out := &pb.GetVersionResponse{
		ApiVersion:    apiVersion,
		ServerVersion: s.options.Server,
		ClaudeCode:    &pb.ClaudeCodeInfo{Version: claude, Compatibility: window.level(claude)},
		Constraints: &pb.VersionConstraints{
			MinClientVersion: window.Client.Minimum, RecommendedClient: window.Client.Recommended,
			FeatureReplacements: map[string]string{},
		},
	}
	flags := s.flags()
	for _, f := range messages.Features() {
		on := f.On(flags) && s.built(f)
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
func (s *Service) NegotiateCapabilities(ctx context.Context, r *pb.NegotiateRequest) (*pb.NegotiateResponse, error) {
	can, err := s.capabilities(ctx)
	if err != nil {
		return nil, err
	}
	return negotiation{
		window: window, server: s.options.Server, claude: s.claude(), features: messages.Features(),
		flags: s.flags(), built: s.built, can: can,
	}.answer(r), nil
}

func (s *Service) claude() string {
	if s.options.Claude == nil {
		return ""
	}
	return s.options.Claude()
}

// capabilities returns the capabilities of the daemon. Tools and models come from recent reports of
// agents: the names that they accept for a model, and the models that they have used.
func (s *Service) capabilities(ctx context.Context) (*pb.CapabilitySet, error) {
	reports, err := s.options.Reports(ctx, reportsLookedAt)
	if err != nil {
		return nil, err
	}
	out := &pb.CapabilitySet{
		StreamingSupported: true, CompressionSupported: true,
		MaxMessageSize: uint32(min(max(int64(s.options.MaxMessageBytes), 0), math.MaxUint32)),
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
	flags := s.flags()
	for _, f := range messages.Features() {
		out.FeatureFlags[f.Name] = f.On(flags) && s.built(f)
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
