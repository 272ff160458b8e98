package tests

// actorsNever is what no actor may import.
var actorsNever = map[string]string{
	grpc:  "kinds of errors become status codes in the gateway, and nowhere else",
	bbolt: "the journal is reached through persistence's interface",
}

// actorsRules are the rules of the actors, and of what they use.
var actorsRules = []rule{
	{
		pkg: "actors", may: []string{"messages", "supervision", "persistence", "actors", "proto"},
		because: "behaviour knows neither the callers (grpcapi) nor the source of settings (config)", never: actorsNever,
	},
	{
		pkg: "actors/settings", may: []string{"messages"},
		because: "settings are values; where they come from is the command's business, what they do is that of their users", never: actorsNever,
	},
	{
		pkg: "actors/internal", may: []string{"messages", "actors/internal", "proto"},
		because: "what actors use does not use actors",
		never: map[string]string{
			protoactor: "agent protocol, processes and rules are tested without an actor system",
			grpc:       "kinds of errors become status codes in the gateway, and nowhere else",
			bbolt:      "the journal is reached through persistence's interface",
		},
	},
	{
		pkg: "actors/internal/claude/transcript", because: "a transcript is read without the protocol of the agent that wrote it",
	},
	{
		pkg: "actors/orphans", may: []string{"messages", "actors/internal/act", "actors/internal/process"},
		because: "agents that no session follows are found by processes and directories, before any actor runs", never: actorsNever,
	},
	{
		pkg: "actors/internal/fork", may: []string{"messages", "actors/internal/claude", "messages/regular"},
		because: "a fork is made from views and transcripts; who is asked for them is the system's business", never: actorsNever,
	},
	{
		pkg: "actors/health", may: []string{"messages", "actors/internal/act", "actors/internal/disk"},
		because: "components report to health; it owns both sides of that protocol and knows none of them", never: actorsNever,
	},
	{
		pkg: "actors/pool", may: []string{"messages", "actors/internal/act", "actors/health", "actors/settings"},
		because: "the pool knows sessions by their ids", never: actorsNever,
	},
	{
		pkg: "actors/daybudget", may: []string{"messages", "actors/internal/act", "actors/settings"},
		because: "it counts, and chooses the session that asks; the session asks, journals and begins no turn", never: actorsNever,
	},
	{
		pkg: "actors/disk", may: []string{"messages", "actors/internal/act", "actors/internal/disk", "actors/health"},
		because: "who is told that the disk is full is not its business", never: actorsNever,
	},
	{
		pkg: "actors/notices", may: []string{"messages", "actors/settings", "actors/internal/act", "actors/internal/notes", "actors/internal/notify"},
		because: "it queues what sessions raise, and asks whether a request still waits through a function in its Deps", never: actorsNever,
	},
	{
		pkg: "actors/retention", may: []string{
			"messages", "proto", "actors/internal/act", "actors/internal/process", "actors/internal/spool", "actors/settings",
		},
		because: "it reads the journal through the part of the store that it declares", never: actorsNever,
	},
	{
		pkg: "actors/search", may: []string{"messages", "persistence/search", "actors/internal/act", "actors/settings"},
		because: "it keeps the index, and reads the journal through the part of the store that it declares", never: actorsNever,
	},
	{
		pkg: "actors/worktree", may: []string{"messages", "messages/gitname", "actors/internal/act", "actors/internal/git", "actors/internal/notes", "actors/internal/paths", "actors/internal/process", "messages/regular", "actors/session/requests"},
		because: "it runs git and setups for repositories, and stores answers as sessions do; which sessions work in a worktree, and how they are stopped, is asked through its Deps", never: actorsNever,
	},
	{
		pkg: "actors/orchestration", may: []string{"messages", "actors/internal/act", "actors/session/budget", "persistence/planlog"},
		because: "it plays plans; how subagents are spawned, awaited and cancelled is handed in through its Deps; it raises its budget by the arithmetic of sessions", never: actorsNever,
	},
	{
		pkg: "actors/journal", may: []string{"messages", "actors/internal/act", "actors/health"},
		because: "it writes what it is given, through the store that it declares", never: actorsNever,
	},
	{
		pkg: "actors/permission", may: []string{"messages", "actors/internal/act", "actors/session/prompts", "actors/settings"},
		because: "a request knows its record, its deadline and the first answer; the session journals and delivers", never: actorsNever,
	},
	{
		pkg: "actors/client", may: []string{"messages", "proto", "actors/internal/act", "actors/internal/encode"},
		because: "a stream knows its session by the messages that are published to it", never: actorsNever,
	},
	{
		pkg: "actors/run", may: []string{
			"messages", "actors/health", "actors/internal/act", "actors/internal/claude", "actors/internal/control", "actors/internal/process", "actors/internal/spool", "actors/internal/texts",
		},
		because: "it runs the agent it is given; what to start, and why, is decided above it", never: actorsNever,
	},
	{
		pkg: "actors/internal/act", may: []string{"supervision"}, because: "what every actor uses knows no actor", never: actorsNever,
	},
	{
		pkg: "actors/internal/cgroup", may: nil,
		because: "which limits a tree of control groups allows is decided from files alone, and tried on a tree in a directory", never: actorsNever,
	},
	{
		pkg: "actors/internal/launchplan", may: []string{"messages", "actors/settings", "actors/run", "actors/internal"},
		because: "a start is planned without sessions and the tree; package run owns the formats of what a plan leaves in its directory",
		never:   actorsNever,
	},
	{
		pkg: "actors/internal/checks", may: []string{"messages", "actors/internal", "actors/session/prompts"},
		because: "a request is checked by the disk and its session's record, before any actor has it", never: actorsNever,
	},
	{
		pkg: "actors/internal/notify", may: []string{"messages", "actors/settings", "actors/internal/hook", "actors/internal/texts"},
		because: "it owns the notice, so that it needs to know nothing of sessions", never: actorsNever,
	},
	{
		pkg: "actors/internal/queries", may: []string{
			"messages", "proto", "actors/internal", "actors/settings", "actors/session/requests",
		},
		because: "a question is answered from the journal and the disk; what sessions store is known by their pure parts", never: actorsNever,
	},
	{
		pkg: "actors/internal/digest", may: []string{"messages", "proto"},
		because: "what happened in a session is summed up from its events alone", never: actorsNever,
	},
	{
		pkg: "actors/internal/ruleset", may: []string{"actors/internal/rules", "actors/settings"},
		because: "it joins settings with rules, and knows neither sessions nor where settings come from", never: actorsNever,
	},
	{
		pkg: "actors/internal/workdir", may: []string{
			"messages", "actors/settings", "actors/internal/claude", "actors/internal/rules", "actors/internal/ruleset", "actors/internal/texts",
		},
		because: "directories are judged without sessions; how trust is stored is the command's business", never: actorsNever,
	},
	{
		pkg: "actors/internal/sidecar", may: []string{"messages", "actors/internal/notes"},
		because: "a small file is read and written without knowing who needs it", never: actorsNever,
	},
	{
		pkg: "actors/internal/ticket", may: []string{"messages", "actors/internal/notes"},
		because: "the caller passes in what it knows of processes, and the registry decides which one holds a ticket", never: actorsNever,
	},
	{
		pkg: "actors/internal/mcpconfig", may: []string{"messages", "actors/internal/claude", "messages/regular"},
		because: "files of users and repositories are read here alone, so that one bound holds for all of them", never: actorsNever,
	},
}
