package auth

import (
	"maps"
	"slices"
	"strings"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// Anyone is the need of calls that are served without authentication: process managers send no token.
const Anyone messages.Rights = 0

// needed is the table of the rights that calls need: any one of those listed. A name that ends in a
// slash is a whole service. Methods not listed are denied (TestEveryCallHasARule in grpcapi).
//
// A caller over the socket has every right, or view alone if an agent has started it
// ([Restriction]); over TCP it has the rights of its token.
var needed = map[string]messages.Rights{
	"/betcode.v1.AgentService/ListSessions":            messages.MayView,
	"/betcode.v1.AgentService/ResumeSession":           messages.MayView,
	"/betcode.v1.AgentService/ListSessionGrants":       messages.MayView,
	"/betcode.v1.AgentService/Converse":                messages.MayApprove | messages.MayControl,
	"/betcode.v1.AgentService/CompactSession":          messages.MayControl,
	"/betcode.v1.AgentService/CancelTurn":              messages.MayControl,
	"/betcode.v1.AgentService/RequestInputLock":        messages.MayControl,
	"/betcode.v1.AgentService/RenameSession":           messages.MayControl,
	"/betcode.v1.AgentService/DeleteSession":           messages.MayControl,
	"/betcode.v1.AgentService/SetSessionGrant":         messages.MayApprove,
	"/betcode.v1.AgentService/ClearSessionGrants":      messages.MayApprove,
	"/betcode.v1.AdminService/GetTree":                 messages.MayView,
	"/betcode.v1.AdminService/ListPermissions":         messages.MayView,
	"/betcode.v1.AdminService/ExplainPermission":       messages.MayView,
	"/betcode.v1.AdminService/TestRules":               messages.MayView,
	"/betcode.v1.AdminService/ShowSession":             messages.MayView,
	"/betcode.v1.AdminService/Resolve":                 messages.MayView,
	"/betcode.v1.AdminService/ExportSession":           messages.MayView,
	"/betcode.v1.AdminService/RawOutput":               messages.MayView,
	"/betcode.v1.AdminService/JournalStats":            messages.MayView,
	"/betcode.v1.AdminService/VerifyJournal":           messages.MayView,
	"/betcode.v1.AdminService/AnswerPermission":        messages.MayApprove,
	"/betcode.v1.AdminService/StopSession":             messages.MayControl,
	"/betcode.v1.AdminService/ContinueSession":         messages.MayControl,
	"/betcode.v1.AdminService/RestartSession":          messages.MayControl,
	"/betcode.v1.AdminService/StopRepeat":              messages.MayControl,
	"/betcode.v1.AdminService/SetSessionBudget":        messages.MayApprove,
	"/betcode.v1.AdminService/ForkSession":             messages.MayControl,
	"/betcode.v1.AdminService/TrustDirectory":          messages.MayAdmin,
	"/betcode.v1.AdminService/BackupJournal":           messages.MayAdmin,
	"/betcode.v1.AdminService/Shutdown":                messages.MayAdmin,
	"/betcode.v1.AdminService/GetStartup":              messages.MayAdmin, // and over the socket only
	"/betcode.v1.ConfigService/GetSettings":            messages.MayView,
	"/betcode.v1.ConfigService/ListMcpServers":         messages.MayView,
	"/betcode.v1.ConfigService/GetPermissions":         messages.MayView,
	"/betcode.v1.ConfigService/UpdateSettings":         messages.MayAdmin,
	"/betcode.v1.AccessService/":                       messages.MayAdmin,
	"/betcode.v1.AccessService/GetCaller":              messages.MayView | messages.MayProxy,
	"/betcode.v1.AccessService/CreateProxyToken":       messages.MayControl, // the token has no more rights than the caller
	"/betcode.v1.AccessService/ListProxyTokens":        messages.MayControl,
	"/betcode.v1.AccessService/RenewProxyToken":        messages.MayControl,
	"/betcode.v1.AccessService/RevokeProxyToken":       messages.MayControl,
	"/betcode.v1.AccessService/ListMembers":            messages.MayView,
	"/betcode.v1.VersionService/GetVersion":            messages.MayView,
	"/betcode.v1.VersionService/NegotiateCapabilities": messages.MayView,
	"/betcode.v1.BetCodeHealth/GetHealthDetails":       messages.MayView,
	"/betcode.v1.GitLabService/":                       messages.MayControl, // it reads with the token of the user, not of an agent
	"/betcode.v1.CommandService/":                      messages.MayView,    // none of its commands changes anything
	"/betcode.v1.CommandService/AddPlugin":             messages.MayAdmin,
	"/betcode.v1.CommandService/RemovePlugin":          messages.MayAdmin,
	"/betcode.v1.CommandService/EnablePlugin":          messages.MayAdmin,
	"/betcode.v1.CommandService/DisablePlugin":         messages.MayAdmin,
	"/betcode.v1.MachineService/":                      messages.MayView, // switching to the own machine changes nothing
	"/betcode.v1.FleetService/GetFleet":                messages.MayView,
	"/betcode.v1.FleetService/StopFleet":               messages.MayControl,
	"/betcode.v1.FleetService/ResumeFleet":             messages.MayControl,
	"/betcode.v1.SearchService/Search":                 messages.MayView,
	"/betcode.v1.SearchService/Digest":                 messages.MayView,
	"/betcode.v1.WorktreeService/ListWorktrees":        messages.MayView,
	"/betcode.v1.WorktreeService/GetWorktree":          messages.MayView,
	"/betcode.v1.WorktreeService/CreateWorktree":       messages.MayControl,
	"/betcode.v1.WorktreeService/SetupWorktree":        messages.MayControl,
	"/betcode.v1.WorktreeService/WatchWorktreeSetup":   messages.MayView,
	"/betcode.v1.WorktreeService/CancelWorktreeSetup":  messages.MayControl,
	"/betcode.v1.WorktreeService/SwitchWorktree":       messages.MayControl,
	"/betcode.v1.WorktreeService/RemoveWorktree":       messages.MayControl,
	"/betcode.v1.WorktreeService/PruneWorktrees":       messages.MayControl,
	"/betcode.v1.SubagentService/ListSubagents":        messages.MayView | messages.MayFleet,
	"/betcode.v1.SubagentService/WatchSubagent":        messages.MayView | messages.MayFleet,
	"/betcode.v1.SubagentService/WatchOrchestration":   messages.MayView,
	"/betcode.v1.SubagentService/SpawnSubagent":        messages.MayControl | messages.MayFleet,
	"/betcode.v1.SubagentService/SendToSubagent":       messages.MayControl | messages.MayFleet,
	"/betcode.v1.SubagentService/CancelSubagent":       messages.MayControl | messages.MayFleet,
	"/betcode.v1.SubagentService/CreateOrchestration":  messages.MayControl | messages.MayFleet,
	"/betcode.v1.SubagentService/GetOrchestration":     messages.MayView | messages.MayFleet,
	"/betcode.v1.SubagentService/ListOrchestrations":   messages.MayView,
	"/betcode.v1.SubagentService/CancelOrchestration":  messages.MayControl | messages.MayFleet,
	"/betcode.v1.SubagentService/RetryOrchestration":   messages.MayControl,
	"/betcode.v1.SubagentService/PauseOrchestration":   messages.MayControl,
	"/betcode.v1.SubagentService/RevokeAutoApprove":    messages.MayControl | messages.MayApprove,
	"/betcode.v1.GitRepoService/":                      messages.MayControl,
	"/betcode.v1.ProxyService/Connect":                 messages.MayControl | messages.MayProxy,
	"/betcode.v1.GitRepoService/ListRepos":             messages.MayView,
	"/betcode.v1.GitRepoService/GetRepo":               messages.MayView,
	"/betcode.v1.GitRepoService/ListBranches":          messages.MayView,
	"/betcode.v1.GitRepoService/GetBranch":             messages.MayView,
	"/betcode.v1.Health/":                              Anyone,
	"/grpc.health.v1.Health/":                          Anyone,
	"/grpc.reflection.v1.ServerReflection/":            messages.MayView,
	"/grpc.reflection.v1alpha.ServerReflection/":       messages.MayView,
	"/grpc.channelz.v1.Channelz/":                      messages.MayView,
}

// Needs returns the rights of which a method needs any one. It returns false for a method that is not listed.
func Needs(method string) (messages.Rights, bool) {
	if need, ok := needed[method]; ok {
		return need, true
	}
	need, ok := needed[method[:strings.LastIndexByte(method, '/')+1]]
	return need, ok
}

// Methods returns the methods and services that have a row in the table of rights.
func Methods() []string { return slices.Sorted(maps.Keys(needed)) }

// widens reports whether options give an agent more rights or start programs.
func widens(o *pb.AgentOptions) bool {
	return o.GetAgent() != "" || len(o.GetAgents()) > 0 || len(o.GetMcpConfig()) > 0 || len(o.GetAdditionalDirectories()) > 0 || o.GetFleet()
}

// requestNeeds returns the rights that a request on a Converse stream needs, all of them. Allowing
// an agent to act without asking counts as approving.
func requestNeeds(r *pb.AgentRequest) messages.Rights {
	switch r := r.GetRequest().(type) {
	case *pb.AgentRequest_Permission, *pb.AgentRequest_QuestionResponse:
		return messages.MayApprove
	case *pb.AgentRequest_Start:
		if len(r.Start.GetAllowedTools()) > 0 || r.Start.GetConfirmMode() || asksLess(r.Start.GetPermissionMode()) || r.Start.GetBudget() != nil || widens(r.Start.GetOptions()) {
			return messages.MayControl | messages.MayApprove
		}
		return messages.MayView
	case *pb.AgentRequest_Settings:
		if r.Settings.GetConfirmMode() || asksLess(r.Settings.GetPermissionMode()) {
			return messages.MayControl | messages.MayApprove
		}
	}
	return messages.MayControl
}

// asksLess reports whether an agent requests fewer permissions in a mode than by default.
func asksLess(mode string) bool {
	switch mode {
	case "", "default", "manual", "plan", "dontAsk":
		return false
	}
	return true
}
