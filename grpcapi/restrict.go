package grpcapi

import (
	"strings"

	"github.com/rs/zerolog"

	"betcode/messages"
)

// anyone stands in [needed] for calls that nobody has to introduce himself for:
// process managers send no token.
const anyone messages.Rights = 0

// needed is the one table of what a call needs: any one of the rights named; a name
// that ends in a slash stands for a whole service. Whatever is not here is refused,
// so an RPC added later is, until somebody has thought about it (TestEveryCallIsJudged).
//
// The socket gives every right, or view alone to what an agent has started
// ([restriction]); over TCP a token says which.
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
	"/betcode.v1.VersionService/GetVersion":            messages.MayView,
	"/betcode.v1.VersionService/NegotiateCapabilities": messages.MayView,
	"/betcode.v1.BetCodeHealth/GetHealthDetails":       messages.MayView,
	"/betcode.v1.GitLabService/":                       messages.MayControl, // it reads with a token that is the user's, not an agent's
	"/betcode.v1.CommandService/":                      messages.MayView,    // of its commands too none changes anything
	"/betcode.v1.CommandService/AddPlugin":             messages.MayAdmin,
	"/betcode.v1.CommandService/RemovePlugin":          messages.MayAdmin,
	"/betcode.v1.CommandService/EnablePlugin":          messages.MayAdmin,
	"/betcode.v1.CommandService/DisablePlugin":         messages.MayAdmin,
	"/betcode.v1.MachineService/":                      messages.MayView, // to switch to one's own machine changes nothing
	"/betcode.v1.Health/":                              anyone,
	"/grpc.health.v1.Health/":                          anyone,
	"/grpc.reflection.v1.ServerReflection/":            messages.MayView,
	"/grpc.reflection.v1alpha.ServerReflection/":       messages.MayView,
	"/grpc.channelz.v1.Channelz/":                      messages.MayView,
}

// needOf is what a method, as gRPC names it, needs; false if nobody has decided.
func needOf(method string) (messages.Rights, bool) {
	if need, ok := needed[method]; ok {
		return need, true
	}
	need, ok := needed[method[:strings.LastIndexByte(method, '/')+1]]
	return need, ok
}

// restriction is why a caller may only view.
type restriction uint8

const (
	unrestricted restriction = iota
	belowAgent               // it is an agent, or descends from one
	unknown                  // it could not be told
)

// judge asks who a caller descends from. It is asked once per connection.
func (c unixCredentials) judge(pid int, caller witness) restriction {
	if c.restricted == nil {
		return unrestricted
	}
	below, err := c.restricted(pid)
	if err == nil {
		err = caller.there() // so it was the caller that was looked at, and not the next process with its pid
	}
	return c.note(below, err, func(e *zerolog.Event) *zerolog.Event { return e.Int(fieldPID, pid) })
}

// note makes a restriction of what was found out about a caller, and logs one that may
// only view: the first of a minute, the others are counted.
func (c unixCredentials) note(below bool, err error, about func(*zerolog.Event) *zerolog.Event) restriction {
	switch {
	case err != nil:
		if c.notes.add("callers of unknown origin", refusal{span: spanConnect, code: "view only"}) {
			about(c.log.Warn()).Str(fieldTarget, target).Str(fieldSpan, spanConnect).Err(err).
				Msg("caller may only view: nobody knows what started it")
		}
		return unknown
	case below:
		if c.notes.add("descendants of agents", refusal{span: spanConnect, code: "view only"}) {
			about(c.log.Info()).Str(fieldTarget, target).Str(fieldSpan, spanConnect).
				Msg("caller may only view: it descends from an agent")
		}
		return belowAgent
	}
	return unrestricted
}

// rights are what a restriction leaves.
func (r restriction) rights() messages.Rights {
	if r == unrestricted {
		return messages.MayEverything
	}
	return messages.MayView
}

const opAdmit = "admit call"

// refuse says why a restricted caller may not do more.
func (r restriction) refuse() error {
	if r == belowAgent {
		return messages.Errorf(opAdmit, messages.Denied, "this process was started by an agent, and agents may only view").
			WithHint("What agents do is decided by people: run the command in a terminal that no agent started.")
	}
	return messages.Errorf(opAdmit, messages.Denied, "it cannot be told whether an agent started this process, so it may only view").
		WithHint("Run the command on the daemon's machine, outside containers; the daemon's log says why it could not be told.")
}
