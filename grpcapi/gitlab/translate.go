package gitlab

import (
	"strings"
	"time"

	api "gitlab.com/gitlab-org/api/client-go"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "betcode/proto/betcode/v1"
)

// The maximum size of a description, in a list and in a single object.
const (
	listedBytes = 4 << 10
	shownBytes  = 256 << 10
)

// A GitLab's names of states are the names of our values in lower case, without their prefix. TestWords checks this.

// wordOf returns the GitLab's name of a value, empty for an unknown one.
func wordOf(e protoreflect.Enum) string {
	d := e.Descriptor()
	value := d.Values().ByNumber(e.Number())
	if value == nil {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(string(value.Name()), prefixOf(d)))
}

// prefixOf returns the common prefix of the names of an enum's values.
func prefixOf(d protoreflect.EnumDescriptor) string {
	return strings.TrimSuffix(string(d.Values().ByNumber(0).Name()), "UNSPECIFIED")
}

// valueOf returns the value with a GitLab's name; 0 for one that this version does not know.
func valueOf[E protoreflect.Enum](word string) E {
	var none E
	d := none.Descriptor()
	number := protoreflect.EnumNumber(0)
	if value := d.Values().ByName(protoreflect.Name(prefixOf(d) + strings.ToUpper(word))); value != nil {
		number = value.Number()
	}
	return none.Type().New(number).(E)
}

// filterIn translates a filter to the GitLab's name; nil for unspecified.
func filterIn(op string, e protoreflect.Enum) (*string, error) {
	switch word := wordOf(e); {
	case e.Number() == 0:
		return nil, nil
	case word == "":
		return nil, invalid(op, "the filter %d is unknown", e.Number())
	default:
		return &word, nil
	}
}

func mergeRequestOut(m *api.BasicMergeRequest, most int) *pb.MergeRequestInfo {
	out := &pb.MergeRequestInfo{
		Id: uint64(m.ID), Iid: uint64(m.IID), Title: clean(m.Title), Description: cut(m.Description, most),
		State:        valueOf[pb.MergeRequestState](m.State),
		SourceBranch: clean(m.SourceBranch), TargetBranch: clean(m.TargetBranch),
		Labels: each(m.Labels, clean), CreatedAt: timeOut(m.CreatedAt), UpdatedAt: timeOut(m.UpdatedAt),
		WebUrl: clean(m.WebURL), Draft: m.Draft, MergeStatus: mergeStatusOut(m),
		Author: userOut(m.Author), Assignees: each(m.Assignees, userOut), Reviewers: each(m.Reviewers, userOut),
	}
	if len(out.Assignees) == 0 && m.Assignee != nil {
		out.Assignees = []string{userOut(m.Assignee)}
	}
	if len(out.Assignees) > 0 {
		out.Assignee = out.Assignees[0]
	}
	if m.Milestone != nil {
		out.Milestone = clean(m.Milestone.Title)
	}
	return out
}

// mergeStatusOut returns whether there are conflicts. A GitLab's detailed status also has other
// reasons against a merge, which are not conflicts.
func mergeStatusOut(m *api.BasicMergeRequest) pb.MergeStatus {
	switch m.DetailedMergeStatus {
	case "":
		return pb.MergeStatus_MERGE_STATUS_UNSPECIFIED
	case "unchecked":
		return pb.MergeStatus_MERGE_STATUS_UNCHECKED
	case "checking", "preparing", "approvals_syncing":
		return pb.MergeStatus_MERGE_STATUS_CHECKING
	case "conflict", "broken_status", "commits_status", "need_rebase":
		return pb.MergeStatus_MERGE_STATUS_CANNOT_BE_MERGED
	}
	if m.HasConflicts {
		return pb.MergeStatus_MERGE_STATUS_CANNOT_BE_MERGED
	}
	return pb.MergeStatus_MERGE_STATUS_CAN_BE_MERGED
}

func listedPipelineOut(p *api.PipelineInfo) *pb.PipelineInfo {
	return &pb.PipelineInfo{
		Id: uint64(p.ID), Status: valueOf[pb.PipelineStatus](p.Status), RefName: clean(p.Ref), Sha: clean(p.SHA),
		Source: clean(p.Source), CreatedAt: timeOut(p.CreatedAt), UpdatedAt: timeOut(p.UpdatedAt), WebUrl: clean(p.WebURL),
	}
}

func pipelineOut(p *api.Pipeline) *pb.PipelineInfo {
	return &pb.PipelineInfo{
		Id: uint64(p.ID), Status: valueOf[pb.PipelineStatus](p.Status), RefName: clean(p.Ref), Sha: clean(p.SHA),
		Source: clean(string(p.Source)), CreatedAt: timeOut(p.CreatedAt), UpdatedAt: timeOut(p.UpdatedAt), WebUrl: clean(p.WebURL),
	}
}

func jobOut(j *api.Job) *pb.JobInfo {
	return &pb.JobInfo{
		Id: uint64(j.ID), Name: clean(j.Name), Stage: clean(j.Stage), Status: valueOf[pb.PipelineStatus](j.Status),
		AllowFailure: j.AllowFailure, FailureReason: clean(j.FailureReason),
		CreatedAt: timeOut(j.CreatedAt), StartedAt: timeOut(j.StartedAt), FinishedAt: timeOut(j.FinishedAt),
		DurationSeconds: j.Duration, WebUrl: clean(j.WebURL),
	}
}

func issueOut(i *api.Issue, most int) *pb.IssueInfo {
	out := &pb.IssueInfo{
		Id: uint64(i.ID), Iid: uint64(i.IID), Title: clean(i.Title), Description: cut(i.Description, most),
		State: valueOf[pb.IssueState](i.State), Labels: each(i.Labels, clean),
		CreatedAt: timeOut(i.CreatedAt), UpdatedAt: timeOut(i.UpdatedAt), WebUrl: clean(i.WebURL), Confidential: i.Confidential,
	}
	if i.Author != nil {
		out.Author = clean(i.Author.Username)
	}
	for _, a := range i.Assignees {
		out.Assignees = append(out.Assignees, clean(a.Username))
	}
	if len(out.Assignees) > 0 {
		out.Assignee = out.Assignees[0]
	}
	if i.Milestone != nil {
		out.Milestone = clean(i.Milestone.Title)
	}
	return out
}

func userOut(u *api.BasicUser) string {
	if u == nil {
		return ""
	}
	return clean(u.Username)
}

func timeOut(t *time.Time) *timestamppb.Timestamp {
	if t == nil || t.IsZero() {
		return nil
	}
	return timestamppb.New(*t)
}

// clean returns text as valid UTF-8 of at most 2 KiB.
func clean(s string) string { return cut(s, 2<<10) }

// cut returns at most most bytes of a text, with a mark if it was shortened.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "?")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most-len("…")], "") + "…"
}
