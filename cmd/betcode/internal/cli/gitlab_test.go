package cli

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

// fakeGitLab records requests and has one object of each kind.
type fakeGitLab struct {
	pb.UnimplementedGitLabServiceServer
	asked []string
}

func (f *fakeGitLab) note(m proto.Message) {
	f.asked = append(f.asked, strings.ReplaceAll(m.(interface{ String() string }).String(), "  ", " "))
}

func (f *fakeGitLab) ListMergeRequests(_ context.Context, r *pb.ListMergeRequestsRequest) (*pb.ListMergeRequestsResponse, error) {
	f.note(r)
	return &pb.ListMergeRequestsResponse{MergeRequests: []*pb.MergeRequestInfo{{
		Iid: 7, Title: "Fix\nit", Draft: true, Author: "ann", SourceBranch: "fix", State: pb.MergeRequestState_MERGE_REQUEST_STATE_OPENED,
	}}}, nil
}

func (f *fakeGitLab) GetMergeRequest(_ context.Context, r *pb.GetMergeRequestRequest) (*pb.GetMergeRequestResponse, error) {
	f.note(r)
	return &pb.GetMergeRequestResponse{MergeRequest: &pb.MergeRequestInfo{Iid: 7, Title: "Fix it", Description: "It was\x1b[2J broken.", SourceBranch: "fix", TargetBranch: "main"}}, nil
}

func (f *fakeGitLab) ListPipelines(_ context.Context, r *pb.ListPipelinesRequest) (*pb.ListPipelinesResponse, error) {
	f.note(r)
	return &pb.ListPipelinesResponse{Pipelines: []*pb.PipelineInfo{{Id: 55, Status: pb.PipelineStatus_PIPELINE_STATUS_FAILED, RefName: "main", Sha: "a1b2c3d4e5f6"}}}, nil
}

func (f *fakeGitLab) GetPipelineJobs(_ context.Context, r *pb.GetJobsRequest) (*pb.GetJobsResponse, error) {
	f.note(r)
	return &pb.GetJobsResponse{Jobs: []*pb.JobInfo{{Id: 90, Name: "test", Stage: "check", DurationSeconds: 12.6}}}, nil
}

func (f *fakeGitLab) GetJobLog(_ context.Context, r *pb.GetJobLogRequest) (*pb.GetJobLogResponse, error) {
	f.note(r)
	const log = "one\ntwo\nthree\n"
	if r.GetTail() {
		return &pb.GetJobLogResponse{Content: []byte(log[8:]), Offset: 8, Total: uint64(len(log))}, nil
	}
	return &pb.GetJobLogResponse{Content: []byte(log[r.GetOffset():min(r.GetOffset()+5, uint64(len(log)))]), Offset: r.GetOffset(), Total: uint64(len(log))}, nil
}

func (f *fakeGitLab) ListIssues(_ context.Context, r *pb.ListIssuesRequest) (*pb.ListIssuesResponse, error) {
	f.note(r)
	return &pb.ListIssuesResponse{Issues: []*pb.IssueInfo{{Iid: 3, Title: "It breaks", State: pb.IssueState_ISSUE_STATE_OPENED}}}, nil
}

func (f *fakeGitLab) GetIssue(_ context.Context, r *pb.GetIssueRequest) (*pb.GetIssueResponse, error) {
	f.note(r)
	if r.GetIid() == 4 {
		return nil, catalogued(codes.FailedPrecondition, "FAILED_PRECONDITION", "get issue: no GitLab is configured.")
	}
	return &pb.GetIssueResponse{Issue: &pb.IssueInfo{Iid: 3, Title: "It breaks", Assignees: []string{"bob", "ann"}}}, nil
}

func TestGitLabCommands(t *testing.T) {
	fake := &fakeGitLab{}
	serveFake(t, &fakeDaemon{gitlab: fake})
	for _, test := range []struct {
		args string
		code int
		out  string // all of it, or its beginning
		ask  string
	}{
		{"mrs --state opened --limit 5 --offset 2", 0, "!7\topened\tann\t\tfix\tDraft: Fix it\n", `project:"g/p" state_filter:MERGE_REQUEST_STATE_OPENED limit:5 offset:2`},
		{"mr !7", 0, "!7 Fix it\nstate      -\nmerge      -\nbranch     fix into main\n\nIt was\\x1b[2J broken.\n", `project:"g/p" iid:7`},
		{"mr 7 --json", 0, "{\n", `project:"g/p" iid:7`},
		{"pipelines --state failed", 0, "55\tfailed\tmain\ta1b2c3d4\t\t\n", `project:"g/p" status_filter:PIPELINE_STATUS_FAILED limit:20`},
		{"jobs 55", 0, "90\t-\tcheck\ttest\t13s\t\n", `project:"g/p" pipeline_id:55 limit:100`},
		{"log 90", 0, "three\n", `project:"g/p" job_id:90 tail:true`},
		{"log 90 --all", 0, "one\ntwo\nthree\n", `project:"g/p" job_id:90 offset:10 limit:1048576`},
		{"issues", 0, "#3\topened\t\t\tIt breaks\n", `project:"g/p" limit:20`},
		{"issue #3", 0, "#3 It breaks\nstate      -\nassignees  bob, ann\n", `project:"g/p" iid:3`},
		{"issue 4", 1, "", `project:"g/p" iid:4`},
		{"mr seven", 5, "", ""},
		{"mrs --state merging", 5, "", ""},
		{"mr", 5, "", ""},
	} {
		fake.asked = nil
		code, out, stderr := command(t, "", append(strings.Fields("gitlab "+test.args), "--project", "g/p")...)
		if code != test.code || !strings.HasPrefix(out, test.out) || (test.out != "" && !strings.HasSuffix(test.args, "json") && out != test.out) {
			t.Errorf("%s: exit %d\n%q\n%s", test.args, code, out, stderr)
		}
		if n := len(fake.asked); test.ask != "" && (n == 0 || fake.asked[n-1] != test.ask) {
			t.Errorf("%s: asked %q", test.args, fake.asked)
		}
	}
}
