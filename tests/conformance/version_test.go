package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// versionStories are about compatibility, feature flags and deprecation.
var versionStories = []story{
	{name: "handshake", run: handshake},
	{name: "feature flags", run: featureFlags},
	{name: "deprecation", run: deprecation},
	{name: "an old agent", setup: oldAgent, run: incompatible},
}

func (s *stage) negotiate(r *pb.NegotiateRequest) *pb.NegotiateResponse {
	s.Helper()
	answer, err := pb.NewVersionServiceClient(s.daemon.Conn()).NegotiateCapabilities(s.Context(), r)
	s.must(err)
	return answer
}

func (s *stage) version() *pb.GetVersionResponse {
	s.Helper()
	version, err := pb.NewVersionServiceClient(s.daemon.Conn()).GetVersion(s.Context(), &pb.GetVersionRequest{})
	s.must(err)
	return version
}

// warns reports whether one of the warnings has these words.
func warns(r *pb.NegotiateResponse, words string) bool {
	return strings.Contains(strings.Join(r.GetWarnings(), "\n"), words)
}

// handshake in all its branches.
func handshake(s *stage) {
	version := s.version()
	if version.GetApiVersion() != "v1" || version.GetServerVersion() == "" || version.GetClaudeCode().GetVersion() == "" ||
		version.GetClaudeCode().GetCompatibility() != pb.CompatibilityLevel_FULLY_COMPATIBLE || version.GetConstraints().GetMinClientVersion() == "" {
		s.Errorf("it is %v", version)
	}
	s.shows("Complete Version Handshake Sequence", "Phase 1: Version Discovery", "Phase 2: Compatibility Check")
	s.turn(s.converse("a", &pb.StartConversation{}), 0, "echo:hello") // so that tools and models are known
	fits := version.GetConstraints().GetRecommendedClient()
	answer := s.negotiate(&pb.NegotiateRequest{
		ClientVersion: fits, ClientType: "cli", RequestedFeatures: []string{"streaming_deltas", "subagent_orchestration"},
		ClientCapabilities: map[string]string{"api_version": "v1"},
	})
	if !answer.GetAccepted() || strings.Join(answer.GetGrantedFeatures(), " ") != "streaming_deltas" || !warns(answer, "subagent_orchestration") {
		s.Errorf("answered %v", answer)
	}
	s.took("NegotiateRequest", "client_version", "client_type", "requested_features")
	s.eventually("what the agent can is known", func() bool {
		can := s.negotiate(&pb.NegotiateRequest{ClientVersion: fits}).GetCapabilities()
		return len(can.GetAvailableTools()) > 0 && len(can.GetAvailableModels()) > 0
	})
	s.shows("Version Negotiation Protocol", "Client version compatible")
	s.shows("Complete Version Handshake Sequence", "Phase 3: Capability Negotiation")
	answer = s.negotiate(&pb.NegotiateRequest{ClientVersion: "0.0.1"})
	if answer.GetAccepted() || !strings.Contains(answer.GetRejectionReason(), "Client too old") || answer.GetUpgradeUrl() == "" {
		s.Errorf("answered %v", answer)
	}
	s.shows("Version Negotiation Protocol", "Client version too old")
	answer = s.negotiate(&pb.NegotiateRequest{ClientVersion: fits, ClientCapabilities: map[string]string{"api_version": "v2"}})
	if !answer.GetAccepted() || !warns(answer, "Untested client version") {
		s.Errorf("answered %v", answer)
	}
	s.took("NegotiateRequest", "client_capabilities")
	s.shows("Version Negotiation Protocol", "Unknown API version")
}

// featureFlags have a stage and what follows from it, and are switched by settings.
func featureFlags(s *stage) {
	flags := map[string]*pb.FeatureFlag{}
	for _, f := range s.version().GetFlags() {
		flags[f.GetName()] = f
		switch f.GetStage() {
		case pb.FeatureStage_ALPHA, pb.FeatureStage_BETA:
			if f.GetEnabled() {
				s.Errorf("%v is on", f)
			}
		case pb.FeatureStage_STABLE, pb.FeatureStage_DEPRECATED:
			if !f.GetEnabled() {
				s.Errorf("%v is off", f)
			}
		}
	}
	s.shows("Feature Flag Lifecycle", "Alpha: default off", "Beta: default off", "Stable: default on")
	for name, want := range map[string]string{
		"streaming_deltas": "STABLE 0.1.0", "permission_bridge": "STABLE 0.1.0", "session_persistence": "STABLE 0.1.0",
		"worktree_management": "BETA 0.2.0", "subagent_orchestration": "ALPHA 0.2.0", "context_compaction": "STABLE 0.1.0",
		"legacy_permission_format": "DEPRECATED 0.1.0",
	} {
		if is := fmt.Sprint(flags[name].GetStage(), " ", flags[name].GetIntroducedVersion()); is != want {
			s.Errorf("%s is %s", name, is)
		}
		s.shows("Current Feature Flags", name)
	}

	s.must(config(s.world, `{"feature_flags": {"context_compaction": false}}`))
	s.eventually("the flag is off", func() bool {
		settings, err := pb.NewConfigServiceClient(s.daemon.Conn()).GetSettings(s.Context(), &pb.GetSettingsRequest{})
		on, said := settings.GetFeatureFlags()["context_compaction"]
		return err == nil && said && !on
	})
	s.shows("Feature Flag Configuration", "settings.json feature_flags")
	if answer := s.negotiate(&pb.NegotiateRequest{ClientVersion: "0.1.0", RequestedFeatures: []string{"context_compaction"}}); len(answer.GetGrantedFeatures()) != 0 ||
		!warns(answer, "context_compaction disabled") {
		s.Errorf("answered %v", answer)
	}
	_, err := s.daemon.Agents().CompactSession(s.Context(), &pb.CompactSessionRequest{SessionId: session()})
	s.refused(err, codes.Unimplemented, "config set feature_flags.context_compaction true")
	s.shows("Runtime Feature Checking", "A disabled feature answers UNIMPLEMENTED and says how to enable it")
	s.shows("Error Recovery Sequences", "Feature flag disabled")
}

// deprecation reaches who uses what goes away, once, and is written down.
func deprecation(s *stage) {
	c := s.converse("a", &pb.StartConversation{})
	next := 0
	for range 2 {
		s.say(c, "run:true")
		var asked kit.Event
		asked, next = s.wait(c, next, kit.IsPermission)
		s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
			RequestId: asked.GetPermissionRequest().GetRequestId(), Decision: pb.PermissionDecision_ALLOW_ONCE, IdempotencyKey: "no uuid",
		}}}))
		_, next = s.wait(c, next, kit.IsIdle)
	}
	n := 0
	for _, e := range c.Events() {
		if e.GetDeprecation().GetFeature() == "legacy_permission_format" && e.GetSequence() == 0 {
			n++
		}
	}
	if n != 1 {
		s.Errorf("warned %d times", n)
	}
	s.shows("Feature Flag Lifecycle", "Deprecated: warnings emitted")
	s.shows("Deprecation Announcement", "4. A runtime warning when it is used")
	constraints := s.version().GetConstraints()
	if !slices.Contains(constraints.GetDeprecatedFeatures(), "legacy_permission_format") || constraints.GetFeatureReplacements()["legacy_permission_format"] == "" {
		s.Errorf("announced: %v", constraints)
	}
	s.shows("Deprecation Announcement", "5. deprecated_features of GetVersionResponse")
	s.shows("Complete Version Handshake Sequence", "Phase 5: Ongoing Deprecation Monitoring")
	page, err := os.ReadFile(filepath.Join(kit.Repository(), "docs", "compatibility.md"))
	s.must(err)
	for commitment, line := range map[string]string{
		"RPC method":     "| an RPC | 12 months | 6 months |",
		"Message field":  "| a field | 6 months | 3 months |",
		"Feature flag":   "| a feature flag | 6 months | 3 months |",
		"Enum value":     "| an enum value | 6 months | 3 months |",
		"Entire service": "| a service | 18 months | 12 months |",
	} {
		if !strings.Contains(string(page), line) {
			s.Errorf("docs/compatibility.md does not say %q", line)
		}
		s.shows("Timeline Commitments", commitment)
	}
}

// oldAgent wraps the agent in a script that prints another version.
func oldAgent(_ *testing.T, w *kit.World) error {
	script := filepath.Join(w.Root, "agent")
	text := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --version ] && echo '0.9.0 (Claude Code)' && exit\nexec %s \"$@\"\n", w.Agent)
	w.Agent = script
	return os.WriteFile(script, []byte(text), 0o700)
}

// incompatible agents are reported to every caller.
func incompatible(s *stage) {
	if claude := s.version().GetClaudeCode(); claude.GetCompatibility() != pb.CompatibilityLevel_INCOMPATIBLE || claude.GetVersion() != "0.9.0" {
		s.Errorf("the agent is %v", claude)
	}
	answer := s.negotiate(&pb.NegotiateRequest{ClientVersion: "0.1.0"})
	if answer.GetAccepted() || !strings.Contains(answer.GetRejectionReason(), "Claude Code v0.9.0 < required") || answer.GetUpgradeUrl() == "" {
		s.Errorf("answered %v", answer)
	}
	s.shows("Error Recovery Sequences", "Claude Code version incompatible")
}
