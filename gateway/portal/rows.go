package portal

import (
	"cmp"

	pb "betcode/proto/betcode/v1"
)

// sessionRow is a session in the form that pages of all generations read.
type sessionRow struct {
	ID               string   `json:"id"`
	User             string   `json:"user_id"`
	Name             string   `json:"session_name"`
	Key              string   `json:"session_key"`
	Directory        string   `json:"working_directory"`
	Status           string   `json:"status"`
	LastActivity     string   `json:"last_activity"`
	CreatedAt        string   `json:"created_at"`
	UpdatedAt        string   `json:"updated_at"`
	Branch           *string  `json:"git_branch"`
	Cost             float64  `json:"total_cost_usd"`
	InputTokens      uint32   `json:"input_tokens"`
	OutputTokens     uint32   `json:"output_tokens"`
	CacheCreation    uint32   `json:"cache_creation_tokens"`
	CacheRead        uint32   `json:"cache_read_tokens"`
	ClientVersion    string   `json:"client_version"`
	InputSeq         int64    `json:"input_seq"`
	Role             string   `json:"my_role"`
	Hostname         string   `json:"hostname"`
	Launcher         *string  `json:"launcher_id"`
	PRURL            *string  `json:"pr_url"`
	AgentType        string   `json:"agent_type"`
	RepoURL          *string  `json:"repo_url"`
	ScheduledTask    *string  `json:"scheduled_task_id"`
	OpenPRs          []string `json:"open_prs"`
	Paused           bool     `json:"paused"`
	ClaudeArgs       []string `json:"claude_args"`
	LastModel        string   `json:"last_model"`
	LauncherVersion  *string  `json:"launcher_version"`
	ForkedFrom       *string  `json:"forked_from_session_id"`
	ConditionOfAgent string   `json:"condition,omitempty"` // ours
}

// row returns the row of a session.
func (c call) row(s *pb.SessionSummary) sessionRow {
	updated := naive(s.GetUpdatedAt().AsTime())
	row := sessionRow{
		ID: s.GetId(), User: c.caller.id(), Name: cmp.Or(s.GetName(), s.GetTitle(), s.GetId()), Key: s.GetId(), Directory: s.GetWorkingDirectory(), Status: "active",
		LastActivity: updated, CreatedAt: naive(s.GetCreatedAt().AsTime()), UpdatedAt: updated, Cost: s.GetTotalCostUsd(),
		InputTokens: s.GetTotalInputTokens(), OutputTokens: s.GetTotalOutputTokens(), ClientVersion: c.options.Version, Role: c.caller.within(s.GetId()).role(),
		Hostname: c.options.Hostname, AgentType: "claude", OpenPRs: []string{}, ClaudeArgs: []string{}, LastModel: s.GetModel(), ConditionOfAgent: s.GetCondition(),
		Paused: s.GetWaiting() != "" || s.GetCondition() != "",
	}
	row.proxied(s)
	return row
}

// shown returns the row of a single session, with more details than in lists.
func (c call) shown(of Session) sessionRow {
	row := c.row(of.Summary)
	row.ForkedFrom = named(of.ForkedFrom)
	return row
}
