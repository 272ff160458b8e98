package gitlab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

// group is the commands of this package.
type group struct{ *base.Program }

// Command returns the command with its subcommands.
func Command(program *base.Program) *cli.Command {
	p := group{program}
	listed := func(states string) []cli.Flag {
		return append(gitlabFlags(output.ListFlags()),
			&cli.StringFlag{Name: "state", Usage: "only those in `STATE`: " + states},
			&cli.UintFlag{Name: "limit", Usage: "at most `N`, up to 100", Value: 20},
			&cli.UintFlag{Name: "offset", Usage: "leave out the first `N`"})
	}
	return &cli.Command{
		Name: "gitlab", Usage: "look at merge requests, pipelines and issues",
		Description: "The daemon asks the GitLab in its settings (BETCODE_GITLAB_URL) with its token (BETCODE_GITLAB_TOKEN,\n" +
			"GITLAB_TOKEN or gitlab.token_file). Without --project the project is that of the remote \"origin\".",
		Subcommands: []*cli.Command{
			{Name: "mrs", Usage: "list merge requests", Flags: listed("opened, closed, merged or locked"), Action: p.shows(0, p.mergeRequests)},
			{Name: "mr", Usage: "show a merge request", ArgsUsage: "NUMBER", Flags: gitlabFlags(output.Flags()), Action: p.shows(1, p.mergeRequest)},
			{Name: "pipelines", Usage: "list pipelines", Flags: listed("running, success, failed, …"), Action: p.shows(0, p.pipelines)},
			{Name: "jobs", Usage: "list the jobs of a pipeline", ArgsUsage: "PIPELINE", Flags: gitlabFlags(output.ListFlags()), Action: p.shows(1, p.jobs)},
			{
				Name: "log", Usage: "print the end of a job's log", ArgsUsage: "JOB",
				Flags: append(gitlabFlags(output.OnceFlags()), &cli.BoolFlag{Name: "all", Usage: "print the whole log"}), Action: p.withProject(1, p.jobLog),
			},
			{Name: "issues", Usage: "list issues", Flags: listed("opened or closed"), Action: p.shows(0, p.issues)},
			{Name: "issue", Usage: "show an issue", ArgsUsage: "NUMBER", Flags: gitlabFlags(output.Flags()), Action: p.shows(1, p.issue)},
		},
	}
}

func gitlabFlags(form []cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "project", Aliases: []string{"p"}, Usage: "its `PATH`, for example group/name, or number"},
	}, form...)
}

// gitlabCall is one call about a project.
type gitlabCall struct {
	*cli.Context
	ctx     context.Context
	api     pb.GitLabServiceClient
	project string
	number  uint64 // the argument, of a command that takes one
}

// withProject wraps the action of a command about a project.
func (p group) withProject(takes int, action func(gitlabCall) error) cli.ActionFunc {
	return p.WithClient(takes, takes, func(ctx context.Context, c *cli.Context, cl *client.Client) (err error) {
		q := gitlabCall{Context: c, ctx: ctx, api: cl.GitLab, project: c.String("project")}
		if takes > 0 {
			text := strings.TrimLeft(c.Args().First(), "!#")
			if q.number, err = strconv.ParseUint(text, 10, 62); err != nil || q.number == 0 {
				return exit.Usage(fmt.Errorf("%q is not a number", c.Args().First()))
			}
		}
		if q.project == "" {
			if q.project, err = originProject(ctx); err != nil {
				return exit.Usage(err)
			}
		}
		return action(q)
	})
}

// filter reads --state as a value of an enum whose names have a prefix.
func (q gitlabCall) filter(prefix string, values map[string]int32) (int32, error) {
	word := q.String("state")
	if word == "" {
		return 0, nil
	}
	n, ok := values[prefix+strings.ToUpper(word)]
	if !ok || n == 0 {
		return 0, exit.Usage(fmt.Errorf("there is no state %q", word))
	}
	return n, nil
}

// shows wraps the action of a command that shows something of a project.
func (p group) shows(takes int, fetch func(gitlabCall) (output.View, error)) cli.ActionFunc {
	return p.withProject(takes, func(q gitlabCall) error {
		return p.ShowLive(q.ctx, q.Context, func() (output.View, error) { return fetch(q) })
	})
}

// listing shows a list.
func listing(schema, list, name string, answer proto.Message, header []string, row func(i int, l output.Look) []string) (output.View, error) {
	return output.View{Schema: schema, Value: answer, List: list, Name: name, Columns: console.Columns(header...), Row: row}, nil
}

func (p group) mergeRequests(q gitlabCall) (output.View, error) {
	state, err := q.filter("MERGE_REQUEST_STATE_", pb.MergeRequestState_value)
	if err != nil {
		return output.View{}, err
	}
	r, err := q.api.ListMergeRequests(q.ctx, &pb.ListMergeRequestsRequest{
		Project: q.project, StateFilter: pb.MergeRequestState(state), Limit: uint32(q.Uint("limit")), Offset: uint32(q.Uint("offset")),
	})
	if err != nil {
		return output.View{}, err
	}
	return listing("betcode.gitlab.mrs/v2", "merge_requests", "iid", r, []string{"MR", "STATE", "AUTHOR", "UPDATED", "BRANCH", "TITLE"}, func(i int, l output.Look) []string {
		m := r.GetMergeRequests()[i]
		title := m.GetTitle()
		if m.GetDraft() && !strings.HasPrefix(title, "Draft:") {
			title = "Draft: " + title
		}
		return []string{
			"!" + strconv.FormatUint(m.GetIid(), 10), console.Enum(m.GetState(), "MERGE_REQUEST_STATE_"), m.GetAuthor(), l.When(m.GetUpdatedAt()), m.GetSourceBranch(), title,
		}
	})
}

func (p group) mergeRequest(q gitlabCall) (output.View, error) {
	r, err := q.api.GetMergeRequest(q.ctx, &pb.GetMergeRequestRequest{Project: q.project, Iid: q.number})
	if err != nil {
		return output.View{}, err
	}
	m := r.GetMergeRequest()
	return sheet("betcode.gitlab.mr/v2", r, fmt.Sprintf("!%d %s", m.GetIid(), m.GetTitle()), m.GetDescription(), [][2]string{
		{"state", console.Enum(m.GetState(), "MERGE_REQUEST_STATE_")},
		{"merge", console.Enum(m.GetMergeStatus(), "MERGE_STATUS_")},
		{"branch", m.GetSourceBranch() + " into " + m.GetTargetBranch()},
		{"author", m.GetAuthor()},
		{"assignees", strings.Join(m.GetAssignees(), ", ")},
		{"reviewers", strings.Join(m.GetReviewers(), ", ")},
		{"labels", strings.Join(m.GetLabels(), ", ")},
		{"milestone", m.GetMilestone()},
		{"url", m.GetWebUrl()},
	})
}

func (p group) pipelines(q gitlabCall) (output.View, error) {
	status, err := q.filter("PIPELINE_STATUS_", pb.PipelineStatus_value)
	if err != nil {
		return output.View{}, err
	}
	r, err := q.api.ListPipelines(q.ctx, &pb.ListPipelinesRequest{
		Project: q.project, StatusFilter: pb.PipelineStatus(status), Limit: uint32(q.Uint("limit")), Offset: uint32(q.Uint("offset")),
	})
	if err != nil {
		return output.View{}, err
	}
	return listing("betcode.gitlab.pipelines/v2", "pipelines", "id", r, []string{"PIPELINE", "STATE", "REF", "COMMIT", "UPDATED", "SOURCE"}, func(i int, l output.Look) []string {
		line := r.GetPipelines()[i]
		return []string{
			strconv.FormatUint(line.GetId(), 10), console.Enum(line.GetStatus(), "PIPELINE_STATUS_"), line.GetRefName(), console.ShortID(line.GetSha()),
			l.When(line.GetUpdatedAt()), line.GetSource(),
		}
	})
}

func (p group) jobs(q gitlabCall) (output.View, error) {
	r, err := q.api.GetPipelineJobs(q.ctx, &pb.GetJobsRequest{Project: q.project, PipelineId: q.number, Limit: 100})
	if err != nil {
		return output.View{}, err
	}
	return listing("betcode.gitlab.jobs/v2", "jobs", "id", r, []string{"JOB", "STATE", "STAGE", "NAME", "TOOK", "WHY"}, func(i int, _ output.Look) []string {
		j := r.GetJobs()[i]
		took := time.Duration(j.GetDurationSeconds() * float64(time.Second)).Round(time.Second)
		return []string{strconv.FormatUint(j.GetId(), 10), console.Enum(j.GetStatus(), "PIPELINE_STATUS_"), j.GetStage(), j.GetName(), took.String(), j.GetFailureReason()}
	})
}

// jobLog prints the end of a log, or all of it, piece by piece.
func (p group) jobLog(q gitlabCall) error {
	const piece = 1 << 20
	request := &pb.GetJobLogRequest{Project: q.project, JobId: q.number, Tail: !q.Bool("all")}
	if q.Bool("all") {
		request.Limit = piece
	}
	for {
		r, err := q.api.GetJobLog(q.ctx, request)
		if err != nil {
			return err
		}
		if q.IsSet("json") || q.IsSet("output") || q.IsSet("jq") {
			return p.Show(q.Context, output.View{Schema: "betcode.gitlab.log/v2", Value: r, Text: func(w io.Writer, _ output.Look) error {
				_, err := w.Write(p.shown(r.GetContent()))
				return err
			}})
		}
		if _, err := p.Stdout.Write(p.shown(r.GetContent())); err != nil {
			return err
		}
		request.Offset = r.GetOffset() + uint64(len(r.GetContent()))
		if request.GetTail() || len(r.GetContent()) == 0 || request.GetOffset() >= r.GetTotal() {
			return nil
		}
	}
}

func (p group) issues(q gitlabCall) (output.View, error) {
	state, err := q.filter("ISSUE_STATE_", pb.IssueState_value)
	if err != nil {
		return output.View{}, err
	}
	r, err := q.api.ListIssues(q.ctx, &pb.ListIssuesRequest{
		Project: q.project, StateFilter: pb.IssueState(state), Limit: uint32(q.Uint("limit")), Offset: uint32(q.Uint("offset")),
	})
	if err != nil {
		return output.View{}, err
	}
	return listing("betcode.gitlab.issues/v2", "issues", "iid", r, []string{"ISSUE", "STATE", "AUTHOR", "UPDATED", "TITLE"}, func(n int, l output.Look) []string {
		i := r.GetIssues()[n]
		return []string{"#" + strconv.FormatUint(i.GetIid(), 10), console.Enum(i.GetState(), "ISSUE_STATE_"), i.GetAuthor(), l.When(i.GetUpdatedAt()), i.GetTitle()}
	})
}

func (p group) issue(q gitlabCall) (output.View, error) {
	r, err := q.api.GetIssue(q.ctx, &pb.GetIssueRequest{Project: q.project, Iid: q.number})
	if err != nil {
		return output.View{}, err
	}
	i := r.GetIssue()
	return sheet("betcode.gitlab.issue/v2", r, fmt.Sprintf("#%d %s", i.GetIid(), i.GetTitle()), i.GetDescription(), [][2]string{
		{"state", console.Enum(i.GetState(), "ISSUE_STATE_")},
		{"author", i.GetAuthor()},
		{"assignees", strings.Join(i.GetAssignees(), ", ")},
		{"labels", strings.Join(i.GetLabels(), ", ")},
		{"milestone", i.GetMilestone()},
		{"url", i.GetWebUrl()},
	})
}

var errNoProject = errors.New("no project is named, and the working directory has no remote \"origin\" at a GitLab; give --project")
