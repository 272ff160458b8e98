package gitlab

import (
	"context"

	api "gitlab.com/gitlab-org/api/client-go"

	pb "betcode/proto/betcode/v1"
)

// ListMergeRequests implements GitLabService.
func (s *Service) ListMergeRequests(ctx context.Context, r *pb.ListMergeRequestsRequest) (*pb.ListMergeRequestsResponse, error) {
	return do(ctx, s, "list merge requests", r.GetProject(), func(q *request) (*pb.ListMergeRequestsResponse, error) {
		state, err := filterIn(q.op, r.GetStateFilter())
		if err != nil {
			return nil, err
		}
		found, total, err := list(q, r.GetLimit(), r.GetOffset(), func(o api.ListOptions) ([]*api.BasicMergeRequest, *api.Response, error) {
			return q.client.MergeRequests.ListProjectMergeRequests(q.project, &api.ListProjectMergeRequestsOptions{ListOptions: o, State: state}, q.context)
		})
		if err != nil {
			return nil, err
		}
		return &pb.ListMergeRequestsResponse{MergeRequests: each(found, func(m *api.BasicMergeRequest) *pb.MergeRequestInfo {
			return mergeRequestOut(m, listedBytes)
		}), Total: total}, nil
	})
}

// GetMergeRequest implements GitLabService.
func (s *Service) GetMergeRequest(ctx context.Context, r *pb.GetMergeRequestRequest) (*pb.GetMergeRequestResponse, error) {
	return do(ctx, s, "get merge request", r.GetProject(), func(q *request) (*pb.GetMergeRequestResponse, error) {
		iid, err := number(q.op, "iid", r.GetIid())
		if err != nil {
			return nil, err
		}
		m, answer, err := q.client.MergeRequests.GetMergeRequest(q.project, iid, nil, q.context)
		if err != nil {
			return nil, q.failed(answer, err)
		}
		return &pb.GetMergeRequestResponse{MergeRequest: mergeRequestOut(&m.BasicMergeRequest, shownBytes)}, nil
	})
}

// ListPipelines implements GitLabService.
func (s *Service) ListPipelines(ctx context.Context, r *pb.ListPipelinesRequest) (*pb.ListPipelinesResponse, error) {
	return do(ctx, s, "list pipelines", r.GetProject(), func(q *request) (*pb.ListPipelinesResponse, error) {
		status, err := filterIn(q.op, r.GetStatusFilter())
		if err != nil {
			return nil, err
		}
		found, total, err := list(q, r.GetLimit(), r.GetOffset(), func(o api.ListOptions) ([]*api.PipelineInfo, *api.Response, error) {
			return q.client.Pipelines.ListProjectPipelines(q.project, &api.ListProjectPipelinesOptions{ListOptions: o, Status: (*api.BuildStateValue)(status)}, q.context)
		})
		if err != nil {
			return nil, err
		}
		return &pb.ListPipelinesResponse{Pipelines: each(found, listedPipelineOut), Total: total}, nil
	})
}

// GetPipeline implements GitLabService.
func (s *Service) GetPipeline(ctx context.Context, r *pb.GetPipelineRequest) (*pb.GetPipelineResponse, error) {
	return do(ctx, s, "get pipeline", r.GetProject(), func(q *request) (*pb.GetPipelineResponse, error) {
		id, err := number(q.op, "pipeline_id", r.GetPipelineId())
		if err != nil {
			return nil, err
		}
		p, answer, err := q.client.Pipelines.GetPipeline(q.project, id, q.context)
		if err != nil {
			return nil, q.failed(answer, err)
		}
		return &pb.GetPipelineResponse{Pipeline: pipelineOut(p)}, nil
	})
}

// GetPipelineJobs implements GitLabService.
func (s *Service) GetPipelineJobs(ctx context.Context, r *pb.GetJobsRequest) (*pb.GetJobsResponse, error) {
	return do(ctx, s, "get pipeline jobs", r.GetProject(), func(q *request) (*pb.GetJobsResponse, error) {
		id, err := number(q.op, "pipeline_id", r.GetPipelineId())
		if err != nil {
			return nil, err
		}
		found, total, err := list(q, r.GetLimit(), r.GetOffset(), func(o api.ListOptions) ([]*api.Job, *api.Response, error) {
			return q.client.Jobs.ListPipelineJobs(q.project, id, &api.ListJobsOptions{ListOptions: o}, q.context)
		})
		if err != nil {
			return nil, err
		}
		return &pb.GetJobsResponse{Jobs: each(found, jobOut), Total: total}, nil
	})
}

// ListIssues implements GitLabService.
func (s *Service) ListIssues(ctx context.Context, r *pb.ListIssuesRequest) (*pb.ListIssuesResponse, error) {
	return do(ctx, s, "list issues", r.GetProject(), func(q *request) (*pb.ListIssuesResponse, error) {
		state, err := filterIn(q.op, r.GetStateFilter())
		if err != nil {
			return nil, err
		}
		found, total, err := list(q, r.GetLimit(), r.GetOffset(), func(o api.ListOptions) ([]*api.Issue, *api.Response, error) {
			return q.client.Issues.ListProjectIssues(q.project, &api.ListProjectIssuesOptions{ListOptions: o, State: state}, q.context)
		})
		if err != nil {
			return nil, err
		}
		return &pb.ListIssuesResponse{Issues: each(found, func(i *api.Issue) *pb.IssueInfo { return issueOut(i, listedBytes) }), Total: total}, nil
	})
}

// GetIssue implements GitLabService.
func (s *Service) GetIssue(ctx context.Context, r *pb.GetIssueRequest) (*pb.GetIssueResponse, error) {
	return do(ctx, s, "get issue", r.GetProject(), func(q *request) (*pb.GetIssueResponse, error) {
		iid, err := number(q.op, "iid", r.GetIid())
		if err != nil {
			return nil, err
		}
		i, answer, err := q.client.Issues.GetIssue(q.project, iid, q.context)
		if err != nil {
			return nil, q.failed(answer, err)
		}
		return &pb.GetIssueResponse{Issue: issueOut(i, shownBytes)}, nil
	})
}
