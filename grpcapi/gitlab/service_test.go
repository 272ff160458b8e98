package gitlab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "glpat-elephant"

// recorded is a GitLab that answers from testdata: the name of a file is a path with its query.
type recorded struct {
	*testing.T
	*httptest.Server
	asked []string
}

func newRecorded(t *testing.T) (*recorded, *Service) {
	t.Helper()
	r := &recorded{T: t}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Server.Close)
	s := New(Options{URL: r.URL + "/", Token: func() (string, error) { return secret, nil }})
	if err := s.Problem(); err != nil {
		t.Fatal(err)
	}
	return r, s
}

// fileName returns the name of the file for a request.
var fileName = strings.NewReplacer("/", "_", "?", "_", "&", "_", "%2F", "-", "%2E", ".")

// ServeHTTP implements http.Handler.
func (r *recorded) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	what := strings.TrimPrefix(q.URL.EscapedPath(), "/api/v4/projects/")
	if q.URL.RawQuery != "" {
		what += "?" + q.URL.RawQuery
	}
	r.asked = append(r.asked, what)
	if q.Header.Get("Authorization") != "Bearer "+secret || q.Method != http.MethodGet {
		r.Errorf("%s %s by %q", q.Method, what, q.Header)
	}
	answer, err := os.ReadFile(filepath.Join("testdata", fileName.Replace(what)+".json"))
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"404 Project Not Found"}`)
		return
	}
	w.Header().Set("X-Total", "42")
	w.Header().Set("Content-Type", "application/json")
	w.Write(answer)
}

func ask[In, Out any](t *testing.T, call func(context.Context, In) (Out, error), in In) Out {
	t.Helper()
	out, err := call(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCalls makes every call to a recorded GitLab.
func TestCalls(t *testing.T) {
	const project = "group/sub.name"
	r, s := newRecorded(t)
	mrs := ask(t, s.ListMergeRequests, &pb.ListMergeRequestsRequest{Project: project, StateFilter: pb.MergeRequestState_MERGE_REQUEST_STATE_OPENED, Limit: 2})
	if list := mrs.GetMergeRequests(); mrs.GetTotal() != 42 || len(list) != 2 || list[0].GetIid() != 7 || !list[0].GetDraft() ||
		list[0].GetState() != pb.MergeRequestState_MERGE_REQUEST_STATE_OPENED || list[1].GetMergeStatus() != pb.MergeStatus_MERGE_STATUS_CANNOT_BE_MERGED {
		t.Errorf("%v", mrs)
	}
	mr := ask(t, s.GetMergeRequest, &pb.GetMergeRequestRequest{Project: project, Iid: 7}).GetMergeRequest()
	if mr.GetId() != 1007 || mr.GetAuthor() != "ann" || mr.GetAssignee() != "bob" || len(mr.GetReviewers()) != 1 || mr.GetMilestone() != "1.0" ||
		mr.GetSourceBranch() != "fix" || mr.GetTargetBranch() != "main" || mr.GetCreatedAt().GetSeconds() != 1763632800 ||
		mr.GetMergeStatus() != pb.MergeStatus_MERGE_STATUS_CAN_BE_MERGED || mr.GetLabels()[1] != "ui" || mr.GetWebUrl() == "" {
		t.Errorf("%v", mr)
	}
	pipelines := ask(t, s.ListPipelines, &pb.ListPipelinesRequest{Project: project, StatusFilter: pb.PipelineStatus_PIPELINE_STATUS_FAILED})
	if list := pipelines.GetPipelines(); len(list) != 1 || list[0].GetId() != 55 || list[0].GetStatus() != pb.PipelineStatus_PIPELINE_STATUS_FAILED {
		t.Errorf("%v", pipelines)
	}
	pipeline := ask(t, s.GetPipeline, &pb.GetPipelineRequest{Project: project, PipelineId: 55}).GetPipeline()
	if pipeline.GetRefName() != "main" || pipeline.GetSource() != "push" || pipeline.GetSha() == "" || pipeline.GetUpdatedAt() == nil {
		t.Errorf("%v", pipeline)
	}
	jobs := ask(t, s.GetPipelineJobs, &pb.GetJobsRequest{Project: project, PipelineId: 55}).GetJobs()
	if len(jobs) != 2 || jobs[0].GetFailureReason() != "script_failure" || jobs[0].GetDurationSeconds() != 12.5 ||
		jobs[1].GetStatus() != pb.PipelineStatus_PIPELINE_STATUS_UNSPECIFIED || jobs[1].GetStartedAt() != nil {
		t.Errorf("%v", jobs)
	}
	issues := ask(t, s.ListIssues, &pb.ListIssuesRequest{Project: "17", StateFilter: pb.IssueState_ISSUE_STATE_CLOSED})
	if list := issues.GetIssues(); len(list) != 1 || list[0].GetState() != pb.IssueState_ISSUE_STATE_CLOSED || !list[0].GetConfidential() {
		t.Errorf("%v", issues)
	}
	issue := ask(t, s.GetIssue, &pb.GetIssueRequest{Project: project, Iid: 3}).GetIssue()
	if issue.GetTitle() != "It breaks" || issue.GetAuthor() != "eve" || issue.GetAssignee() != "bob" || len(issue.GetAssignees()) != 2 {
		t.Errorf("%v", issue)
	}
	log := ask(t, s.GetJobLog, &pb.GetJobLogRequest{Project: project, JobId: 90, Offset: 6, Limit: 5})
	if string(log.GetContent()) != "first" || log.GetOffset() != 6 || log.GetTotal() != 36 {
		t.Errorf("%v", log)
	}
	if log = ask(t, s.GetJobLog, &pb.GetJobLogRequest{Project: project, JobId: 90, Limit: 5, Tail: true}); string(log.GetContent()) != "last\n" || log.GetOffset() != 31 {
		t.Errorf("%v", log)
	}
	if len(r.asked) != 9 {
		t.Errorf("asked %q", r.asked)
	}
}

// TestPages: a part of a list that does not begin at a page boundary is read from two pages.
func TestPages(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var page, size int
		fmt.Sscan(q.FormValue("page"), &page)
		fmt.Sscan(q.FormValue("per_page"), &size)
		rows := []string{}
		for n := (page - 1) * size; n < min(page*size, 250); n++ {
			rows = append(rows, fmt.Sprintf(`{"id":1,"iid":%d,"state":"opened"}`, n))
		}
		fmt.Fprintf(w, "[%s]", strings.Join(rows, ","))
	}))
	defer server.Close()
	s := New(Options{URL: server.URL})
	for _, c := range []struct{ limit, offset, first, n uint32 }{
		{0, 0, 0, 20}, {10, 0, 0, 10}, {10, 20, 20, 10}, {10, 7, 7, 10}, {100, 249, 249, 1}, {1000, 0, 0, 100}, {100, 150, 150, 100}, {7, 250, 0, 0}, {7, 1 << 31, 0, 0},
	} {
		r, err := s.ListIssues(t.Context(), &pb.ListIssuesRequest{Project: "1", Limit: c.limit, Offset: c.offset})
		if err != nil {
			t.Fatal(err)
		}
		if list := r.GetIssues(); len(list) != int(c.n) || r.GetTotal() != 0 || (c.n > 0 && list[0].GetIid() != uint64(c.first)) || (c.n > 0 && list[c.n-1].GetIid() != uint64(c.first+c.n-1)) {
			t.Errorf("%+v: %d entries from %v", c, len(list), r)
		}
	}
}

// TestRefusals tests the statuses of a GitLab, and failures before an answer. No error contains the token.
func TestRefusals(t *testing.T) {
	t.Parallel()
	var status int
	answer := `{"message":"no, for ` + strings.Repeat("long ", 100) + `"}`
	header := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	defer server.Close()
	s := New(Options{URL: server.URL, Token: func() (string, error) { return secret, nil }})
	get := func(s *Service) *messages.Error {
		t.Helper()
		_, err := s.GetIssue(t.Context(), &pb.GetIssueRequest{Project: "a/b", Iid: 1})
		var e *messages.Error
		if !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
		if text := fmt.Sprint(e.Error(), e.Hint, e.Details); strings.Contains(text, secret) || len(text) > 800 {
			t.Errorf("an error says too much: %s", text)
		}
		return e
	}
	for code, kind := range map[int]messages.Kind{
		400: messages.Invalid, 401: messages.Unauthenticated, 403: messages.Denied, 404: messages.NotFound, 405: messages.Internal,
		409: messages.Aborted, 422: messages.Invalid, 429: messages.Exhausted, 500: messages.Unavailable, 503: messages.Unavailable,
	} {
		if status = code; get(s).Kind != kind {
			t.Errorf("%d is %s", code, get(s).Kind)
		}
	}
	status, header = 429, map[string]string{"Retry-After": "30"}
	if e := get(s); e.Code != messages.RateLimited || e.Details[messages.RetryAfter] != "30000" {
		t.Errorf("%+v", e)
	}
	status, answer = 200, "<html>not what you think</html>"
	if e := get(s); e.Kind != messages.Unavailable {
		t.Errorf("no JSON: %v", e)
	}
	if answer = `{"title":"no id"}`; get(s).Kind != messages.Unavailable {
		t.Error("no issue")
	}
	status, header = 302, map[string]string{"Location": "http://elsewhere.invalid/api"}
	if e := get(s); e.Kind != messages.Unavailable || !strings.Contains(e.Error(), "redirects") {
		t.Errorf("elsewhere: %v", e)
	}
	if e := get(New(Options{})); e.Kind != messages.WrongState || e.Hint == "" {
		t.Errorf("not configured: %v", e)
	}
	if e := get(New(Options{Token: func() (string, error) { return "", os.ErrPermission }})); e.Kind != messages.WrongState {
		t.Errorf("no token: %v", e)
	}
	server.Close()
	if e := get(s); e.Kind != messages.Unavailable {
		t.Errorf("nobody there: %v", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.GetIssue(ctx, &pb.GetIssueRequest{Project: "a/b", Iid: 1}); messages.KindOf(err) != messages.Canceled {
		t.Errorf("given up: %v", err)
	}
}

// TestTimeout: a call to a GitLab that does not answer ends after the timeout.
func TestTimeout(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-released }))
	defer server.Close()
	defer close(released)
	_, err := New(Options{URL: server.URL, Timeout: time.Millisecond}).GetIssue(t.Context(), &pb.GetIssueRequest{Project: "a/b", Iid: 1})
	if messages.KindOf(err) != messages.DeadlineExceeded {
		t.Errorf("%v", err)
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	s := New(Options{URL: "http://127.0.0.1:1"})
	for _, project := range []string{"", "noslash", "/a/b", "a/../b", "a b/c", "a/b?x=1", "a/b#c", strings.Repeat("a/", 300), "-1"} {
		if _, err := s.ListIssues(t.Context(), &pb.ListIssuesRequest{Project: project}); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%q: %v", project, err)
		}
	}
	for name, err := range map[string]error{
		"no number": second(s.GetIssue(t.Context(), &pb.GetIssueRequest{Project: "a/b"})),
		"filter":    second(s.ListPipelines(t.Context(), &pb.ListPipelinesRequest{Project: "a/b", StatusFilter: 99})),
		"tail":      second(s.GetJobLog(t.Context(), &pb.GetJobLogRequest{Project: "a/b", JobId: 1, Tail: true, Offset: 1})),
	} {
		if messages.KindOf(err) != messages.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestURLs: a token is not sent in the clear, nor to an invalid URL.
func TestURLs(t *testing.T) {
	t.Parallel()
	for url, good := range map[string]bool{
		"https://gitlab.com": true, "https://example.com/gitlab/": true, "http://127.0.0.1:8080": true, "http://localhost": true, "http://[::1]:1": true,
		"http://example.com": false, "ftp://example.com": false, "example.com": false, "https://user:" + secret + "@example.com": false, "https://e.com?x": false, "://": false,
	} {
		err := New(Options{URL: url}).Problem()
		if (err == nil) != good {
			t.Errorf("%s: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("an error shows the token: %v", err)
		}
	}
}
