package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages/claudecode"
	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// The handshake: a client that is too old, an agent that is too old and is replaced
// meanwhile, a feature that is switched off and on while the daemon runs.
func TestHandshake(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	agent := filepath.Join(dir, "claude")
	replace := func(version string) {
		t.Helper()
		script := "#!/bin/sh\n[ \"$1\" = --version ] && { echo '" + version + " (Claude Code)'; exit; }\nexec '" + binaries.fake + "' \"$@\"\n"
		if err := os.WriteFile(agent+".new", []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(agent+".new", agent); err != nil {
			t.Fatal(err)
		}
	}
	replace("0.9.0")
	s := newStory(t, agent)
	client := pb.NewVersionServiceClient(s.daemon.Conn())
	negotiate := func(r *pb.NegotiateRequest) *pb.NegotiateResponse {
		t.Helper()
		answer, err := client.NegotiateCapabilities(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if got := negotiate(&pb.NegotiateRequest{ClientVersion: "0.1.0"}); got.GetAccepted() || got.GetRejectionReason() != "Claude Code v0.9.0 < required v"+claudecode.Oldest() || !strings.HasPrefix(got.GetUpgradeUrl(), "https://") {
		t.Errorf("%v", got)
	}
	replace("2.1.330")
	v, err := client.GetVersion(t.Context(), &pb.GetVersionRequest{})
	if err != nil || v.GetClaudeCode().GetVersion() != "2.1.330" || v.GetClaudeCode().GetCompatibility() != pb.CompatibilityLevel_FULLY_COMPATIBLE {
		t.Errorf("%v, %v", v, err)
	}
	if got := negotiate(&pb.NegotiateRequest{ClientVersion: "0.0.9"}); got.GetAccepted() || !strings.HasPrefix(got.GetRejectionReason(), "Client too old") {
		t.Errorf("%v", got)
	}
	id := session()
	c := s.converse("a", id)
	s.say(c, "echo:hello")
	s.wait(c, 0, kit.IsIdle)
	wishes := []string{"streaming_deltas", "context_compaction", "subagents"}
	var got *pb.NegotiateResponse
	s.eventually("what the agent has reported", func() bool {
		got = negotiate(&pb.NegotiateRequest{ClientVersion: "0.1.0", RequestedFeatures: wishes})
		return slices.Contains(got.GetCapabilities().GetAvailableModels(), "fake-large") && len(got.GetCapabilities().GetAvailableModels()) == 2 && slices.Contains(got.GetCapabilities().GetAvailableTools(), "Bash")
	})
	if !got.GetAccepted() || !slices.Equal(got.GetGrantedFeatures(), []string{"context_compaction", "streaming_deltas"}) {
		t.Errorf("%v", got)
	}

	compact := func() codes.Code {
		t.Helper()
		_, err := s.daemon.Agents().CompactSession(t.Context(), &pb.CompactSessionRequest{SessionId: id})
		return status.Code(err)
	}
	if said, code := s.command(s.world.Binary, []string{"config", "set", "feature_flags.context_compaction", "false"}); code != 0 || !strings.Contains(said, "feature_flags.context_compaction is ") {
		t.Fatalf("exit %d\n%s", code, said)
	}
	s.eventually("the end of a feature", func() bool { return compact() == codes.Unimplemented })
	got = negotiate(&pb.NegotiateRequest{ClientVersion: "0.1.0", RequestedFeatures: wishes})
	if !slices.Equal(got.GetGrantedFeatures(), []string{"streaming_deltas"}) || got.GetCapabilities().GetFeatureFlags()["context_compaction"] {
		t.Errorf("%v", got)
	}
	s.cli(0, "config", "unset", "feature_flags.context_compaction")
	s.eventually("the feature", func() bool { return compact() != codes.Unimplemented })
}
