package tests

// sessionRules are the rules of a session and of the machines that it is composed of.
var sessionRules = []rule{
	{
		pkg: "actors/session", may: []string{
			"messages", "supervision", "proto", "actors/session", "actors/internal", "actors/health", "actors/pool", "actors/disk", "actors/daybudget", "actors/journal",
			"actors/run", "actors/client", "actors/permission", "actors/retention", "actors/settings",
		},
		because: "a session gets what it needs of the system in its Deps; it knows the protocols of other actors and not the tree",
		never:   actorsNever,
	},
	{
		pkg: "actors/session/lock", may: []string{"messages"},
		because: "the input lock is a pure machine: no session, no actors, no events",
		never:   map[string]string{protoactor: "requests are named by tickets", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/budget", may: []string{"messages", "actors/internal/texts"},
		because: "what may be consumed is arithmetic: no session, no actors, no clock",
		never:   map[string]string{protoactor: "the session counts and asks", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/audit", may: []string{"messages", "actors/internal/claude", "actors/internal/texts"},
		because: "an entry is made from records; the session decides when it is written",
		never:   map[string]string{protoactor: "entries are values", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/evidence", may: []string{"messages", "actors/internal/control"},
		because: "what proves the origin of an order is in the record of a run: no session, no actors, no clock",
		never:   map[string]string{protoactor: "the session sends and commits", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/trust", may: []string{"messages", "actors/internal/rules"},
		because: "what is not obeyed is described from the guard of an agent alone",
	},
	{
		pkg: "actors/session/watchdog", because: "judging silence needs a clock and nothing else",
	},
	{
		pkg: "actors/session/durable", may: []string{"messages"},
		because: "the order of appends and effects is a pure machine: it knows neither effects nor the journal",
		never:   map[string]string{protoactor: "effects are the session's", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/prompts", may: []string{"messages"},
		because: "requests for permission and questions are a pure ledger: the session shows, journals and delivers",
		never:   map[string]string{protoactor: "requests are named by their ids", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/requests", may: []string{"messages"},
		because: "results of repeated requests are a pure ledger: it knows callers by name and nothing of what they ask",
		never:   map[string]string{protoactor: "callers are named by strings", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/presence", may: []string{"messages"},
		because: "who is attached is a pure machine: no session, no actors, no events",
		never:   map[string]string{protoactor: "streams are named by their ids", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/repeat", may: []string{"messages"},
		because: "how often a message is sent again is a pure machine: no session, no actors, no clock",
		never:   map[string]string{protoactor: "the session accepts and announces", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/compaction", may: []string{"messages"},
		because: "the record of a compaction is changed without the agent that summarises",
		never:   map[string]string{protoactor: "the session answers the callers", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/condition", may: []string{"messages", "actors/run", "actors/internal/claude"},
		because: "what stops an agent is recognised by how its run or turn ended, without a session",
		never:   map[string]string{grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/events", may: []string{"messages", "proto", "actors/session/budget", "actors/session/lock", "actors/session/repeat", "actors/internal/claude", "actors/internal/process", "actors/internal/texts"},
		because: "an event is made from records; the session decides when it is published",
		never:   map[string]string{protoactor: "events are values", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/proxied", may: []string{"messages", "proto", "actors/internal/claude", "actors/internal/texts"},
		because: "which lines of a proxy are known, and what they mean, is a value: the session appends and decides",
		never:   map[string]string{protoactor: "the session's actor is one level up", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/family", may: []string{"messages"},
		because: "what sessions above and below have told is a value: the session sends and journals",
		never:   map[string]string{protoactor: "sessions are named by their ids", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/forward", may: []string{"messages", "actors/session/prompts"},
		because: "requests that go up a family need lists and nothing of a session",
	},
	{
		pkg: "actors/session/recall", may: []string{"messages", "messages/regular", "actors/internal/claude"},
		because: "a transcript is compared with records; the session ends turns and starts agents",
		never:   map[string]string{protoactor: "the session's actor is one level up", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/screening", may: []string{"messages", "actors/internal/rules"},
		because: "what rules and grants say of a call is a function; the session journals and delivers the answer",
	},
	{
		pkg: "actors/session/inquiry", may: []string{"messages"},
		because: "the state of a question and the callers that wait for its answer are a value",
		never:   map[string]string{protoactor: "callers are of any type", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/oldagent", may: []string{"messages"},
		because: "which messages a turn is about follows from their records",
	},
	{
		pkg: "actors/session/answers", may: []string{"messages", "messages/claudecode", "actors/internal/claude", "actors/internal/texts", "actors/session/prompts"},
		because: "the line for a decided request follows from its record",
	},
	{
		pkg: "actors/session/slot", may: []string{"messages", "actors/pool", "actors/health", "actors/internal/texts"},
		because: "what a session has of the pool is a value: the session sends the messages",
	},
	{
		pkg: "actors/session/handover", may: []string{"messages", "actors/internal/claude", "actors/internal/rules"},
		because: "which rules an agent has and lacks is a value: the session sends lines and replaces the agent",
	},
	{
		pkg: "actors/session/ending", may: []string{"messages", "actors/run", "actors/internal/process"},
		because: "why an agent ends and what follows is decided from facts: the session ends processes, journals and answers",
		never:   map[string]string{protoactor: "requests that wait are of any type", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/damage", may: []string{"messages", "actors/session/ending"},
		because: "a session that cannot be loaded has a small machine of its own: the session ends agents and answers",
		never:   map[string]string{protoactor: "requests that wait are of any type", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/alarm", may: []string{"messages", "actors/settings", "actors/internal/claude"},
		because: "what an alarm does is decided from the record of a run: the session journals, tells people and freezes or ends the agent",
		never:   map[string]string{protoactor: "the session's actor is one level up", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/day", may: []string{"messages", "actors/daybudget", "actors/session/budget"},
		because: "what a session knows of the budget of the day is a value: the session sends reports and asks people",
		never:   map[string]string{protoactor: "the session's actor is one level up", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/inputs", may: []string{"messages", "actors/internal/claude"},
		because: "the life of a message is a machine of its record: the session journals, writes to the run and tells people",
		never:   map[string]string{protoactor: "the session's actor is one level up", grpc: "kinds of errors become status codes in the gateway"},
	},
	{
		pkg: "actors/session/modes", may: []string{"actors/internal/claude"},
		because: "which modes a person confirms is a table: the session asks and records",
	},
}
