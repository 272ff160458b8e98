package conformance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

var gitlabStories = []story{{name: "gitlab", setup: gitlabServer, run: gitlab}}

const token = "glpat-elephant"

// questions maps a request to the name of its recorded file.
var questions = strings.NewReplacer("/", "_", "?", "_", "&", "_", "%2F", "-", "%2E", ".")

// gitlabServer answers from the recording of package gitlab until the world is gone;
// the project "group/busy" has been asked too often.
func gitlabServer(t *testing.T, world *kit.World) error {
	recording := filepath.Join(kit.Repository(), "grpcapi", "gitlab", "testdata")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		what := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v4/projects/")
		if r.URL.RawQuery != "" {
			what += "?" + r.URL.RawQuery
		}
		answer, err := os.ReadFile(filepath.Join(recording, questions.Replace(what)+".json"))
		if r.URL.Query().Get("page") == "2" { // of any list
			answer, err = []byte("[]"), os.WriteFile(filepath.Join(world.Root, "second"), []byte(r.URL.RawQuery), 0o600)
		}
		switch {
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasPrefix(what, "group%2Fbusy"):
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusTooManyRequests)
		case err != nil:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"message":"404 Not Found"}`)
		default:
			w.Header().Set("X-Total", "42")
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(answer)
		}
	}))
	world.Extra = append(world.Extra, "BETCODE_GITLAB_URL="+server.URL, "BETCODE_GITLAB_TOKEN="+token)
	t.Cleanup(server.Close)
	return nil
}

// gitlab asks everything there is to ask.
func gitlab(s *stage) {
	const project = "group/sub.name"
	ctx, api := s.Context(), pb.NewGitLabServiceClient(s.daemon.Conn())
	mrs, err := api.ListMergeRequests(ctx, &pb.ListMergeRequestsRequest{
		Project: project, StateFilter: pb.MergeRequestState_MERGE_REQUEST_STATE_OPENED, Limit: 2,
	})
	s.must(err)
	mr, err := api.GetMergeRequest(ctx, &pb.GetMergeRequestRequest{Project: project, Iid: 7})
	s.must(err)
	if mrs.GetTotal() != 42 || len(mrs.GetMergeRequests()) != 2 || mr.GetMergeRequest().GetIid() != 7 {
		s.Errorf("%v, %v", mrs, mr)
	}
	s.took("ListMergeRequestsRequest", "project", "state_filter", "limit")
	s.took("GetMergeRequestRequest", "project", "iid")
	pipelines, err := api.ListPipelines(ctx, &pb.ListPipelinesRequest{Project: project, StatusFilter: pb.PipelineStatus_PIPELINE_STATUS_FAILED})
	s.must(err)
	pipeline, err := api.GetPipeline(ctx, &pb.GetPipelineRequest{Project: project, PipelineId: 55})
	s.must(err)
	if len(pipelines.GetPipelines()) != 1 || pipelines.GetPipelines()[0].GetId() != pipeline.GetPipeline().GetId() {
		s.Errorf("%v, %v", pipelines, pipeline)
	}
	s.took("ListPipelinesRequest", "project", "status_filter")
	s.took("GetPipelineRequest", "project", "pipeline_id")
	jobs, err := api.GetPipelineJobs(ctx, &pb.GetJobsRequest{Project: project, PipelineId: 55})
	s.must(err)
	log, err := api.GetJobLog(ctx, &pb.GetJobLogRequest{Project: project, JobId: 90})
	s.must(err)
	if len(jobs.GetJobs()) != 2 || log.GetTotal() != 36 {
		s.Errorf("%v, %v", jobs, log)
	}
	issues, err := api.ListIssues(ctx, &pb.ListIssuesRequest{Project: "17", StateFilter: pb.IssueState_ISSUE_STATE_CLOSED})
	s.must(err)
	issue, err := api.GetIssue(ctx, &pb.GetIssueRequest{Project: project, Iid: 3})
	s.must(err)
	if len(issues.GetIssues()) != 1 || issue.GetIssue().GetTitle() != "It breaks" {
		s.Errorf("%v, %v", issues, issue)
	}
	s.took("ListIssuesRequest", "project", "state_filter")
	s.took("GetIssueRequest", "project", "iid")

	for message, second := range map[string]func() error{
		"ListMergeRequestsRequest": func() error {
			_, err := api.ListMergeRequests(ctx, &pb.ListMergeRequestsRequest{Project: project, Limit: 3, Offset: 3})
			return err
		},
		"ListPipelinesRequest": func() error {
			_, err := api.ListPipelines(ctx, &pb.ListPipelinesRequest{Project: project, Limit: 3, Offset: 3})
			return err
		},
		"ListIssuesRequest": func() error {
			_, err := api.ListIssues(ctx, &pb.ListIssuesRequest{Project: project, Limit: 3, Offset: 3})
			return err
		},
	} {
		s.must(second())
		query, err := os.ReadFile(filepath.Join(s.world.Root, "second"))
		s.must(err)
		if !strings.Contains(string(query), "per_page=3") {
			s.Errorf("the second page was asked for by %s", query)
		}
		s.took(message, "limit", "offset")
		s.must(os.Remove(filepath.Join(s.world.Root, "second")))
	}

	_, err = api.ListIssues(ctx, &pb.ListIssuesRequest{Project: "group/busy"})
	s.refused(err, codes.ResourceExhausted)
	if detailsOf(err)["retry_after_ms"] != "30000" {
		s.Errorf("the details are %v", detailsOf(err))
	}
	s.shows("Error Response Structure", "details: retry_after_ms")
}
