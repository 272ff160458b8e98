package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// TestGitLab: the daemon calls a self-hosted GitLab with a token from a file and returns its
// answers, a rate limit included. No log line and no answer contains the token. Without a token the
// error names what is missing.
func TestGitLab(t *testing.T) {
	t.Parallel()
	const token = "glpat-elephant"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasSuffix(r.URL.Path, "/merge_requests"):
			fmt.Fprint(w, `[{"id":1007,"iid":7,"title":"Fix it","state":"opened","source_branch":"fix","author":{"username":"ann"}}]`)
		default:
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	w, err := kit.NewWorld(binaries.betcode, binaries.fake)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(w.Root, "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Extra = append(w.Extra, "BETCODE_GITLAB_URL="+server.URL, "BETCODE_GITLAB_TOKEN_FILE="+file)
	s := storyIn(t, w)
	if said, code := s.command(binaries.betcode, []string{"gitlab", "mrs", "--project", "group/name"}); code != 0 || !strings.HasPrefix(said, "!7\topened\tann\t") {
		t.Errorf("exit %d: %s", code, said)
	}
	said, code := s.command(binaries.betcode, []string{"gitlab", "issues", "--project", "group/name"})
	if code != 4 || !strings.Contains(said, "30s") || strings.Contains(said, token) {
		t.Errorf("exit %d: %s", code, said)
	}
	_, err = pb.NewGitLabServiceClient(s.daemon.Conn()).ListIssues(t.Context(), &pb.ListIssuesRequest{Project: "group/name"})
	var waits, reasons []string
	for _, d := range status.Convert(err).Details() {
		switch d := d.(type) {
		case *errdetails.RetryInfo:
			waits = append(waits, d.GetRetryDelay().AsDuration().String())
		case *errdetails.ErrorInfo:
			reasons = append(reasons, d.GetReason()+d.GetMetadata()["retry_after_ms"])
		}
	}
	if status.Code(err) != codes.ResourceExhausted || fmt.Sprint(waits, reasons) != "[30s] [RATE_LIMITED30000]" {
		t.Errorf("%v %v %v", err, waits, reasons)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if said, code := s.command(binaries.betcode, []string{"gitlab", "mrs", "--project", "group/name"}); code != 1 || !strings.Contains(said, "chmod 600") {
		t.Errorf("open to all: exit %d: %s", code, said)
	}
	if _, err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.daemon.Log(), token) { // it is complete now
		t.Error("the log shows the token")
	}
	w.Extra = nil
	s.start()
	if said, code := s.command(binaries.betcode, []string{"gitlab", "mrs", "--project", "group/name"}); code != 1 || !strings.Contains(said, "BETCODE_GITLAB_TOKEN") {
		t.Errorf("not configured: exit %d: %s", code, said)
	}
}
