package tests

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "betcode"

// rule says what a package, and every package below it that has no rule of its own, may import of ours, and what of
// others it must not import. Names stand for everything below them.
type rule struct {
	pkg     string
	may     []string
	because string            // why nothing else of ours
	never   map[string]string // package of others, to the reason
}

const (
	protoactor = "github.com/asynkron/protoactor-go"
	grpc       = "google.golang.org/grpc"
	bbolt      = "go.etcd.io/bbolt"
)

// actorsNever is what no actor may import.
var actorsNever = map[string]string{
	grpc:  "kinds of errors become status codes in the gateway, and nowhere else",
	bbolt: "the journal is reached through persistence's interface",
}

// rules is the picture "who imports whom". Change it freely when the design changes, and say why.
var rules = []rule{
	{
		pkg: "proto", because: "the wire contract is a leaf: others generate their own code from it",
	},
	{
		pkg: "messages", may: []string{"messages/visible", "messages/plan"}, because: "the vocabulary is a leaf: everybody speaks it, so it may know nobody",
		never: map[string]string{
			protoactor: "a message must be readable without an actor system",
			grpc:       "kinds of errors become status codes in the gateway, and nowhere else",
			bbolt:      "how a message is stored is persistence's business",
		},
	},
	{
		pkg: "config", may: []string{"config/trust"}, because: "each package takes its own small Options; the command fills them from here",
		never: map[string]string{protoactor: "settings are data", grpc: "settings are data", bbolt: "settings are files"},
	},
	{
		pkg: "supervision", may: []string{"messages"}, because: "a policy judges failures of any actor",
		never: map[string]string{
			grpc:  "restarting has nothing to do with clients",
			bbolt: "restarting has nothing to do with the journal",
		},
	},
	{
		pkg: "persistence", may: []string{"messages", "proto", "persistence"},
		because: "events to bytes and back; it is told what to write and never asks why",
		never: map[string]string{
			protoactor: "a store is tested without actors; the journal actor stands in front of it",
			grpc:       "kinds of errors become status codes in the gateway, and nowhere else",
			bbolt:      "persistence/internal/boltfile turns bbolt's panics into errors; every use goes through it",
		},
	},
	{
		pkg: "persistence/audit", may: []string{"messages"}, because: "the audit log is files of its own: the journal may be damaged when it is needed",
		never: map[string]string{bbolt: "the audit log is JSON lines"},
	},
	{
		pkg: "persistence/planlog", may: []string{"messages", "persistence/internal/disk"}, because: "journals of orchestrations are files of their own; what their events mean is known to the actor",
		never: map[string]string{bbolt: "such a journal is JSON lines"},
	},
	{
		pkg: "persistence/tokens", may: []string{"messages"}, because: "tokens are one file: callers are checked before the journal is open",
		never: map[string]string{bbolt: "tokens are one JSON file"},
	},
	{
		pkg: "persistence/search", may: []string{
			"messages", "proto", "persistence/internal/boltfile", "persistence/internal/fault", "persistence/internal/record", "persistence/internal/memtable",
			"persistence/search/internal",
		},
		because: "the index is made from the journal through an interface that it declares, so that it cannot change the journal",
		never:   map[string]string{protoactor: "an index is tested without actors", bbolt: "files are opened through boltfile"},
	},
	{
		pkg: "persistence/search/internal", may: []string{"messages", "proto", "persistence/search/internal"},
		because: "words, lists, blocks, documents and queries are pure: no file, no clock",
		never:   map[string]string{bbolt: "a form outlives the engine that stores it", "os": "a form opens no files"},
	},
	{
		pkg: "persistence/internal/fault", may: []string{"messages"}, because: "errors of the journal know no formats",
		never: map[string]string{bbolt: "boltfile says what an error of bbolt means"},
	},
	{
		pkg: "persistence/internal/disk", because: "file operations know no journal: others can be tested over them",
		never: map[string]string{bbolt: "it is below the journal file"},
	},
	{
		pkg: "persistence/internal/record", may: []string{"messages", "proto", "persistence/internal/fault"},
		because: "the form of what is stored is pure: no file, no clock",
		never:   map[string]string{bbolt: "a form outlives the engine that stores it", "os": "a form opens no files"},
	},
	{
		pkg: "persistence/internal/wal", may: []string{"messages/failpoint", "persistence/internal/disk"},
		because: "the log knows no records: rows are bytes to it, so a change of a record cannot damage it",
		never:   map[string]string{bbolt: "the log must be readable when the journal file is not"},
	},
	{
		pkg: "persistence/internal/memtable", may: []string{"persistence/internal/record"},
		because: "rows in memory are tested without a file: the file under a view is an interface",
		never:   map[string]string{bbolt: "the file under a view is an interface", "os": "it opens no files"},
	},
	{
		pkg:     "persistence/internal/boltfile",
		may:     []string{"messages", "proto", "persistence/internal/fault", "persistence/internal/disk", "persistence/internal/record", "persistence/internal/memtable"},
		because: "one journal file knows neither the log nor the other files of the journal",
	},
	{
		pkg: "persistence/internal/blob",
		may: []string{
			"messages", "persistence/internal/fault", "persistence/internal/disk", "persistence/internal/record", "persistence/internal/memtable",
			"persistence/internal/boltfile",
		},
		because: "payloads know the files that list them, and not the log",
		never:   map[string]string{bbolt: "a file lists its payloads through boltfile"},
	},
	{
		pkg: "persistence/internal/manifest",
		may: []string{
			"messages", "persistence/internal/fault", "persistence/internal/disk", "persistence/internal/record", "persistence/internal/wal",
			"persistence/internal/boltfile",
		},
		because: "the manifest names files and opens none but its own copies",
		never:   map[string]string{bbolt: "the manifest is JSON"},
	},
	{
		pkg: "persistence/internal/recovery",
		may: []string{
			"messages", "proto", "persistence/internal/fault", "persistence/internal/disk", "persistence/internal/record", "persistence/internal/wal",
			"persistence/internal/memtable",
		},
		because: "what the logs hold is found without the journal file; a view of the file is handed in",
		never:   map[string]string{bbolt: "the logs must be readable when the journal file is not"},
	},
	{
		pkg: "persistence/internal/upkeep", may: []string{"messages", "proto", "persistence/internal"},
		because: "it works on files that stand still; the Store, which knows when they do, calls it",
		never:   map[string]string{bbolt: "files are opened through boltfile"},
	},
	{
		pkg: "actors", may: []string{"messages", "supervision", "persistence", "actors", "proto"},
		because: "behaviour knows neither the callers (grpcapi) nor the source of settings (config)", never: actorsNever,
	},
	{
		pkg: "actors/session", may: []string{
			"messages", "supervision", "proto", "actors/session", "actors/internal", "actors/health", "actors/pool", "actors/disk", "actors/daybudget", "actors/journal",
			"actors/run", "actors/client", "actors/permission", "actors/retention", "actors/settings",
		},
		because: "a session gets what it needs of the system in its Deps; it knows the protocols of other actors and not the tree",
		never:   actorsNever,
	},
	{
		pkg: "actors/settings", may: []string{"messages"},
		because: "settings are values; where they come from is the command's business, what they do is that of their users", never: actorsNever,
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
		pkg: "actors/strays", may: []string{"messages", "actors/internal/act", "actors/internal/process"},
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
		because: "who holds a ticket is decided by what it is told of processes", never: actorsNever,
	},
	{
		pkg: "actors/internal/mcpconfig", may: []string{"messages", "actors/internal/claude", "messages/regular"},
		because: "files of users and repositories are read here alone, so that one bound holds for all of them", never: actorsNever,
	},
	{
		pkg: "grpcapi", may: []string{"messages", "proto", "grpcapi"}, because: "the gateway asks through an interface it declares, so that its tests need no actors",
		never: map[string]string{
			protoactor: "a gateway test needs no actor system",
			bbolt:      "a gateway asks; it does not read the journal",
		},
	},
	{
		pkg: "grpcapi/handler", may: []string{"messages", "grpcapi/door"}, because: "what all handlers share knows no service",
		never: map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal"},
	},
	{
		pkg: "grpcapi/translate", may: []string{"messages", "proto", "grpcapi/wire"}, because: "a translation is pure: it knows its argument and neither caller nor actors",
		never: map[string]string{
			protoactor: "messages are values", bbolt: "messages are values", "context": "a translation does not wait", "google.golang.org/grpc/metadata": "a translation knows no call",
		},
	},
	{
		pkg: "grpcapi/listing", may: []string{"messages", "proto", "grpcapi/translate"}, because: "a list is made of records and of what was encoded before",
		never: map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal", "context": "encoding does not wait"},
	},
	{
		pkg: "grpcapi/fleet", may: []string{"messages", "proto", "grpcapi/door", "grpcapi/handler", "grpcapi/translate", "grpcapi/wire"},
		because: "services of subagents know no other service",
		never:   map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal"},
	},
	{
		pkg: "grpcapi/proxy", may: []string{"messages", "proto", "grpcapi/door", "grpcapi/handler", "grpcapi/translate", "grpcapi/wire"},
		because: "the service of proxies knows no other service",
		never:   map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal"},
	},
	{
		pkg: "grpcapi/repository", may: []string{"messages", "proto", "grpcapi/door", "grpcapi/handler", "grpcapi/translate", "grpcapi/wire"},
		because: "services of repositories know no other service",
		never:   map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal"},
	},
	{
		pkg: "grpcapi/door", may: []string{"messages", "proto", "grpcapi/wire"}, because: "calls are admitted before any handler, by what the transport and the request say",
		never: map[string]string{protoactor: "admission needs no actor system", bbolt: "admission needs no journal"},
	},
	{
		pkg: "grpcapi/version", may: []string{"messages", "proto", "grpcapi/door", "grpcapi/wire"},
		because: "versions and features are compared without sessions; reports of agents come through a function",
		never:   map[string]string{protoactor: "a negotiation needs no actor system", bbolt: "a negotiation needs no journal"},
	},
	{
		pkg: "grpcapi/wire", may: []string{"messages", "proto"}, because: "bytes become messages and errors become statuses without callers or sessions",
		never: map[string]string{protoactor: "decoding needs no actor system", bbolt: "decoding needs no journal"},
	},
	{
		pkg: "gateway/portal", may: []string{"proto", "gateway/portal"},
		because: "a front translates for clients of another protocol and asks the daemon as any client does: it can pass none of its checks",
		never: map[string]string{
			protoactor: "a front needs no actor system",
			grpc:       "conversations come through an interface that the front declares, so that its tests need no connection",
			bbolt:      "a front asks; it does not read the journal",
		},
	},
	{
		pkg: "gateway/portal/proxies", may: []string{"proto", "gateway/portal/wire"},
		because: "proxies and pages share the frames and nothing else: what one sees of the other went through the daemon",
		never: map[string]string{
			protoactor: "a front needs no actor system",
			grpc:       "calls come through an interface that the front declares, so that its tests need no connection",
		},
	},
	{
		pkg: "gateway/portal/wire", because: "the frames of the portal are known without sessions and without this daemon",
		never: map[string]string{"context": "a codec does not wait", "net/http": "a frame knows no connection"},
	},
	{
		pkg: "gateway/portal/places", because: "how much one caller takes is counted without knowing what it takes",
		never: map[string]string{protoactor: "a front needs no actor system", grpc: "the daemon has bounds of its own"},
	},
	{
		pkg: "gateway/portal/voice", may: []string{"gateway/portal/wire", "gateway/portal/places"},
		because: "what people say becomes text without the daemon: the page sends it as a prompt, or does not",
		never:   map[string]string{protoactor: "a front needs no actor system", grpc: "speech is no business of the daemon"},
	},
	{
		pkg: "gateway/portal/lines", may: []string{"proto"}, because: "lines are made from events alone, so that every front for readers of lines can use them",
		never: map[string]string{grpc: "events come from the caller", "context": "a translation does not wait"},
	},
	{
		pkg: "gateway/portal/proxy", may: []string{"proto", "messages", "gateway/portal/wire", "gateway/portal/lines", "gateway/portal/requests", "gateway/portal/upload"},
		because: "a proxy is a client of two others: the daemon comes through an interface that it declares, and the portal's pages are none of its business",
		never: map[string]string{
			protoactor: "a front needs no actor system",
			grpc:       "conversations come through an interface, so that its tests need no connection",
			bbolt:      "a front asks; it does not read the journal",
		},
	},
	{
		pkg: "gateway/portal/proxy/proxytest", because: "the backend of others is written from its document alone: it shares no mistake with the proxy",
		never: map[string]string{"context": "a model of a backend does not wait"},
	},
	{
		pkg: "gateway/portal/upload", may: []string{"gateway/portal/wire"},
		because: "files of pages and of portals of others are put together by one rule, which is tested without either",
		never:   map[string]string{"os": "the caller stores what is complete", "context": "a file in memory does not wait"},
	},
	{
		pkg: "gateway/portal/device", because: "codes of devices are a table that is tested without a portal",
		never: map[string]string{grpc: "the daemon is asked by the portal", "net/http": "requests are read by the portal", "context": "a table does not wait"},
	},
	{
		pkg: "gateway/portal/requests", may: []string{"proto", "messages", "gateway/portal/wire"},
		because: "what waits for an answer is known from events alone, for pages and for portals of others alike",
		never:   map[string]string{grpc: "events come from the caller", "context": "a ledger does not wait"},
	},
	{
		pkg: "gateway/socket", may: []string{"proto"},
		because: "a front translates for clients of another protocol and asks the daemon as any client does: it can pass none of its checks",
		never: map[string]string{
			protoactor: "a front needs no actor system",
			grpc:       "conversations come through an interface that the front declares, so that its tests need no connection",
			bbolt:      "a front asks; it does not read the journal",
		},
	},
	{
		pkg: "cmd/betcode", may: []string{"cmd/betcode/internal/cli", "cmd/betcode/internal/delay"},
		because: "main delays the first collection and hands the streams to the command line; everything else can be tested there",
	},
	{
		pkg: "cmd/betcode/internal/delay", because: "it is initialized before all others that import anything of ours",
	},
	{
		pkg: "cmd/betcode/internal/console", may: []string{"messages"},
		because: "streams, text and tables are the same for every command, so they know none and no daemon",
		never:   map[string]string{grpc: "what is printed does not depend on where it came from"},
	},
	{
		pkg: "cmd/betcode/internal/sessionstate", may: []string{"proto", "messages", "cmd/betcode/internal/console"},
		because: "the state of a session is made of what the daemon reports, wherever it is shown",
		never:   map[string]string{grpc: "a state has no connection"},
	},
	{
		pkg: "cmd/betcode/internal/output", may: []string{"proto", "messages", "cmd/betcode/internal/console", "cmd/betcode/internal/exit"},
		because: "a value is printed in the form that the caller names, whichever command fetched it",
		never:   map[string]string{grpc: "what is printed does not depend on where it came from"},
	},
	{
		pkg: "cmd/betcode/internal/host", may: []string{"messages", "config", "supervision", "persistence", "actors", "grpcapi", "cmd/betcode/internal"},
		because: "the daemon in this process is the one that joins actors, journal and gateway",
	},
	{
		pkg: "cmd/betcode/internal/gateways", may: []string{"proto", "messages", "config", "actors", "gateway", "grpcapi/door", "cmd/betcode/internal"},
		because: "a gateway as a process joins a front, a connection to the daemon, and the admission of callers, which asks for their ancestry",
	},
	{
		pkg: "cmd/betcode/internal/offline", may: []string{"proto", "messages", "config", "persistence", "actors", "grpcapi/translate", "cmd/betcode/internal"},
		because: "what works on files without a daemon reads them as a daemon does, and answers as its gateway does",
		never:   map[string]string{grpc: "nothing here talks to a daemon"},
	},
	{
		pkg: "cmd/betcode/internal/launch", may: []string{"proto", "messages", "config", "cmd/betcode/internal"},
		because: "a daemon is started and replaced as a process; its parts are not linked for that",
	},
	{
		pkg: "cmd/betcode/internal/doctor", may: []string{"proto", "messages", "config", "actors/strays", "cmd/betcode/internal"},
		because: "it looks at all of an installation: settings, files, agents without a daemon, and the daemon as a client sees it",
		never: map[string]string{
			module + "/cmd/betcode/internal/host": "an examination starts nothing",
			grpc:                                  "it asks through the client that every command uses",
		},
	},
	{
		pkg: "cmd/betcode/internal/service", may: []string{"messages", "packaging"},
		because: "a service is a file and a few commands of its manager",
	},
	{
		pkg:     "packaging",
		because: "files for systems, embedded into the program: a leaf",
	},
	{
		pkg: "cmd/betcode/internal/statedir", may: []string{"messages"},
		because: "daemons and commands that must not meet share these names and this lock, and nothing else",
	},
	{
		pkg: "cmd/betcode/internal/features", may: []string{"messages", "config"},
		because: "which features there are is known to messages, what settings say to config, and warnings need both",
	},
	{
		pkg: "cmd/betcode/internal/secret", because: "reading a token needs a file and nothing else",
	},
	{
		pkg: "cmd/betcode/internal/cli", may: []string{"proto", "messages", "config", "cmd/betcode/internal"},
		because: "commands know the wire contract; actors and persistence are for host and offline, which do the work",
	},
	{
		pkg: "cmd/betcode/internal/cli/manual", because: "it reads a table of commands and writes text",
	},
	{
		pkg: "cmd/betcode/internal/cli/completion", because: "a script of a shell is text and a place for it",
	},
	{
		pkg: "cmd/betcode/internal/cli/base", may: []string{"proto", "messages", "config", "cmd/betcode/internal"},
		because: "what every command works with knows no command",
		never: map[string]string{
			module + "/cmd/betcode/internal/cli":  "what every command works with knows no command",
			module + "/cmd/betcode/internal/host": "a daemon is started as a process",
		},
	},
	{
		pkg: "cmd/betcode/internal/talk", may: []string{
			"proto", "messages", "cmd/betcode/internal/client", "cmd/betcode/internal/console", "cmd/betcode/internal/exit", "cmd/betcode/internal/inbox",
			"cmd/betcode/internal/render",
		},
		because: "a chat knows a conversation and a terminal; flags and settings are for the command",
	},
	{
		pkg: "cmd/betcode/internal/chat", may: []string{
			"proto", "messages", "cmd/betcode/internal/chat", "cmd/betcode/internal/client", "cmd/betcode/internal/console",
			"cmd/betcode/internal/exit", "cmd/betcode/internal/inbox", "cmd/betcode/internal/render", "cmd/betcode/internal/talk",
		},
		because: "a chat with an editor is a conversation on a terminal, as talk is; flags and settings are for the command",
	},
	{
		pkg: "cmd/betcode/internal/ui", may: []string{
			"proto", "messages", "cmd/betcode/internal/chat", "cmd/betcode/internal/client", "cmd/betcode/internal/console",
			"cmd/betcode/internal/lookback", "cmd/betcode/internal/plangraph", "cmd/betcode/internal/sessionstate", "cmd/betcode/internal/talk",
		},
		because: "the screen is a list of sessions and the chats that are opened from it",
	},
	{
		pkg: "cmd/betcode/internal/lookback", may: []string{"proto", "messages", "cmd/betcode/internal/console", "cmd/betcode/internal/statedir"},
		because: "what is said about the past does not depend on who shows it",
		never:   map[string]string{grpc: "an answer of the daemon is handed in"},
	},
	{
		pkg: "cmd/betcode/internal/chat/drafts", may: []string{"messages/regular"}, because: "files of typed text need neither a terminal nor a daemon",
		never: map[string]string{grpc: "what is typed is kept without a connection"},
	},
	{
		pkg: "cmd/betcode/internal/chat/editor", may: []string{"messages"}, because: "an editor is text and keys",
		never: map[string]string{grpc: "an editor knows no daemon"},
	},
	{
		pkg: "cmd/betcode/internal/chat/dialog", may: []string{
			"proto", "messages", "cmd/betcode/internal/chat/editor", "cmd/betcode/internal/chat/markdown", "cmd/betcode/internal/chat/transcript",
			"cmd/betcode/internal/console", "cmd/betcode/internal/inbox", "cmd/betcode/internal/render",
		},
		because: "requests become rows and keys become answers; who sends them is for the chat",
		never:   map[string]string{grpc: "an answer is a message, wherever it goes"},
	},
	{
		pkg: "cmd/betcode/internal/chat/transcript", may: []string{
			"proto", "messages", "cmd/betcode/internal/chat/markdown", "cmd/betcode/internal/console", "cmd/betcode/internal/render",
		},
		because: "events become rows, wherever they come from",
		never:   map[string]string{grpc: "what is shown does not depend on a connection"},
	},
	{
		pkg: "cmd/betcode/internal/inbox", may: []string{"proto", "messages", "cmd/betcode/internal/console", "cmd/betcode/internal/render"},
		because: "requests wait and are answered, however a person sees them",
		never:   map[string]string{grpc: "an answer is a message, wherever it goes"},
	},
	{
		pkg: "cmd/betcode/internal/chat/markdown", may: []string{"messages", "cmd/betcode/internal/chat/highlight", "cmd/betcode/internal/console"},
		because: "Markdown becomes rows of a terminal; its author does not matter",
		never: map[string]string{
			grpc: "a text is rendered without a connection", "github.com/alecthomas/chroma/v2": "its lexers cost 4 MB; decision 0285",
		},
	},
	{
		pkg: "cmd/betcode/internal/chat/highlight", because: "source code is divided without knowing a terminal",
		never: map[string]string{grpc: "a text is divided without a connection"},
	},
	{
		pkg: "cmd/betcode/internal/render", may: []string{"proto", "messages", "cmd/betcode/internal/console"},
		because: "events become text, wherever they come from",
		never:   map[string]string{grpc: "an export of a file shows events without a connection"},
	},
	{
		pkg: "cmd/betcode/internal/plangraph", may: []string{"cmd/betcode/internal/console"},
		because: "a graph is drawn from steps, wherever they come from",
		never:   map[string]string{grpc: "a plan that was never sent has a graph"},
	},
	{
		pkg: "cmd/betcode/internal/planfile", may: []string{"messages/plan", "messages/gitname"},
		because: "a file becomes a plan without a daemon", never: map[string]string{grpc: "a plan is checked without a connection"},
	},
	{
		pkg: "messages/masking", because: "secrets look the same in every log, and it knows none of those who write one",
	},
	{
		pkg: "messages/regular", because: "the daemon and the command line read files that an agent may have replaced, each for itself",
	},
	{
		pkg: "messages/gitname", because: "a name is checked before there is a repository, also by the command line, which has no actors",
	},
	{
		pkg: "messages/plan", may: []string{"messages/gitname"}, because: "a plan is checked by the command line, the gateway and the actors alike, so it knows none of them",
	},
	{
		pkg: "cmd/betcode/internal/client", may: []string{
			"proto", "config", "cmd/betcode/internal/exit", "cmd/betcode/internal/local", "cmd/betcode/internal/secret",
		},
		because: "a connection knows how to reach a daemon, and no command",
	},
	{
		pkg: "cmd/betcode/internal", may: []string{"proto", "messages"},
		because: "logs, places for connections, sockets and test helpers are leaves",
	},
	{
		pkg: "cmd/betcode/internal/exit", may: []string{"messages", "config", "cmd/betcode/internal/console"},
		because: "errors become exit codes and sentences here, whichever command returned them",
	},
	{
		pkg: "docs/examples", may: []string{"proto"}, because: "an example has what a client of another house has: the wire contract",
	},
	{
		pkg: "tests", may: []string{""}, because: "tests may look anywhere",
	},
}

// nowhere lists packages of others that no package of ours may import.
var nowhere = map[string]string{
	"github.com/rs/zerolog/log":   "loggers are handed in, so that a test can read its own",
	"github.com/stretchr/testify": "go-cmp and plain ifs say enough",
	protoactor + "/remote":        "it silences the log of all gRPC in the process",
	protoactor + "/cluster":       "one machine; several are joined by relays",
	protoactor + "/persistence":   "it knows no errors; the journal is ours",
}

func TestImports(t *testing.T) {
	used := map[string]bool{}
	for _, p := range packages(t) {
		r, ok := ruleFor(p.name)
		if !ok {
			t.Errorf("%s has no rule: say in this file what it may import, and why", p.name)
			continue
		}
		used[r.pkg] = true
		for imported := range p.imports {
			r.check(t, p.name, imported)
		}
		// Tests may use what their package must not, but for the stories; the command's packages are the command's own.
		for imported := range p.tests {
			forbid(t, "a test of "+p.name, imported, nowhere)
			own, ours := strings.CutPrefix(imported, module+"/")
			if ours && own != p.name && !below(p.name, "tests") && (below(own, "cmd") && !below(p.name, "cmd") || below(own, "tests")) {
				t.Errorf("a test of %s imports %s: what both need belongs elsewhere", p.name, imported)
			}
		}
	}
	for _, r := range rules {
		if !used[r.pkg] {
			t.Errorf("there is a rule for %s, and no such package", r.pkg)
		}
	}
}

func (r rule) check(t *testing.T, importer, imported string) {
	t.Helper()
	forbid(t, importer, imported, nowhere)
	forbid(t, importer, imported, r.never)
	own, ours := strings.CutPrefix(imported, module+"/")
	if !ours {
		return
	}
	for _, allowed := range r.may {
		if allowed == "" || below(own, allowed) {
			return
		}
	}
	t.Errorf("%s imports %s: %s", importer, imported, r.because)
}

func forbid(t *testing.T, importer, imported string, reasons map[string]string) {
	t.Helper()
	for forbidden, reason := range reasons {
		if below(imported, forbidden) {
			t.Errorf("%s imports %s: %s", importer, imported, reason)
		}
	}
}

// ruleFor finds the rule with the longest name that fits.
func ruleFor(pkg string) (rule, bool) {
	var found rule
	for _, r := range rules {
		if below(pkg, r.pkg) && len(r.pkg) > len(found.pkg) {
			found = r
		}
	}
	return found, found.pkg != ""
}

// below reports whether a package is another, or lies in a directory below it.
func below(pkg, top string) bool {
	return pkg == top || strings.HasPrefix(pkg, top+"/")
}

// parsed is what the files of a package import, on every platform.
type parsed struct {
	name    string // within the module
	imports map[string]bool
	tests   map[string]bool // by its test files
}

// packages reads the imports of all packages of the module. It reads files instead of asking `go list`, which looks at
// one platform only, and whose answers `go test` does not know to be stale when it shows a remembered result.
func packages(t *testing.T) []parsed {
	t.Helper()
	found := map[string]parsed{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skip(path, entry.Name())
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
		p, ok := found[name]
		if !ok {
			p = parsed{name: name, imports: map[string]bool{}, tests: map[string]bool{}}
			found[name] = p
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if strings.HasSuffix(path, "_test.go") {
				p.tests[imported] = true
			} else {
				p.imports[imported] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.SortedFunc(maps.Values(found), func(a, b parsed) int { return strings.Compare(a.name, b.name) })
}

// skip leaves out what the go command leaves out: hidden directories, testdata, and modules within this one.
func skip(path, name string) error {
	if path == ".." {
		return nil
	}
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
		return filepath.SkipDir
	}
	return nil
}
