package session

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/client"
	"betcode/actors/daybudget"
	"betcode/actors/internal/act"
	"betcode/actors/internal/rules"
	"betcode/actors/permission"
	"betcode/actors/run"
	"betcode/actors/session/prompts"
	"betcode/actors/settings"
	"betcode/messages"
)

// Messages between a session and the actor that started it, besides the requests of clients.

// Started is sent to the parent by the actor of a session that was started, or restarted after a crash. A restarted actor has
// forgotten which callers wait for the end of its agent.
type Started struct{ Session messages.SessionID }

// An actor that has nothing to do ends without losing a request, in three messages.
type (
	// Idle reports to the parent that the session has nothing to do. From then on the parent keeps back requests for it.
	Idle struct{ Session messages.SessionID }

	// MayLeave is the parent's answer to Idle. The session handles everything that was sent to it before.
	MayLeave struct{}

	// LeaveAnswer is the answer to MayLeave. It is final: the parent ends the actor, or sends what it has kept back.
	LeaveAnswer struct {
		Session messages.SessionID
		Leaves  bool
	}
)

// An actor whose state cannot be relied on is replaced.
type (
	// Rebuild asks the parent to replace the actor by one that is rebuilt from the journal.
	Rebuild struct{ Session messages.SessionID }

	// Rebuilt is the first message to the new actor.
	Rebuilt struct{}
)

// Messages between a subagent and the session above it. They go through the parent of both actors.
type (
	// Toward asks the parent to forward a message to another session.
	Toward struct {
		Session messages.SessionID
		Message any
		Start   bool // its actor, if it does not run; otherwise the message is dropped then
	}

	// Forwarded brings a session the requests of subagents below it that wait for people, when they have changed. It replaces the
	// one before from the same session.
	Forwarded struct {
		From    messages.SessionID // the session directly below
		Waiting []prompts.Forwarded
		Decided []messages.PermissionRecord // of those that no longer wait, as far as it is known
	}

	// ForwardAgain asks the sessions directly below one for a [Forwarded]: its actor was restarted and does not have theirs.
	ForwardAgain struct{ To messages.SessionID }

	// NothingAbove answers a [Forwarded] or a [family.SpentBelow] to a session that does not exist.
	NothingAbove struct{}

	// ClientActive reports to a session that a client is active on the session above, which shows its requests.
	ClientActive struct{}
)

// FleetIntruder reports to a session that a process other than the fleet server of a run has presented the run's ticket.
type FleetIntruder struct {
	Run messages.RunNumber
	PID int
	Why string
}

// The agents end when the daemon does.
type (
	// EndAgent asks a session to end its agent because the daemon ends.
	EndAgent struct{}

	// AgentEnded is the answer to EndAgent. The parent of sessions answers with one that names no session, when the
	// agents of all sessions have ended.
	AgentEnded struct{ Session messages.SessionID }
)

// Deps is what sessions need of the system. All of them share one.
type Deps struct {
	act.Common

	Options  Options                   // without settings
	Settings func() *settings.Settings // the present ones, for an actor that starts
	Started  time.Time                 // of the daemon: the input lock is kept for a while after that

	Journal, Pool, Day, Health *actor.PID

	// What the actors of its children get.
	Run        run.Deps
	Client     client.Deps
	Permission permission.Deps

	// What is known at the time of a step.
	DiskFull      func() bool
	DayBudget     func(id messages.SessionID, now time.Time) daybudget.Standing
	Rules         func() *rules.Set // the user's
	NotContinuing func() []string   // versions of the agent that do not continue a turn by themselves, sorted; never changed later
	Stops         SavedStops

	// Queries that read the disk. They run on the session's worker.

	Environment    func(kept map[string]string) []string // of an agent of a session that keeps these variables
	DirectoryRules func(directory string) *rules.Set     // never nil
	// EditRefused returns why a call must not run with another input: a clause for people, empty if it may.
	EditRefused func(asked rules.Call, input []byte, directory *rules.Set) string
	// Guard returns how an agent in a directory would be restricted. With search, it looks below the directory as well.
	Guard func(directory string, added, environment []string, search bool) (messages.Guard, error)
	// SpentBelow returns what the subagents directly below a session have consumed, each with those below it.
	SpentBelow func(id messages.SessionID) (map[messages.SessionID]messages.Spent, error)
	// Seen reports whether the journal has had a message of a session with this key.
	Seen func(id messages.SessionID, key string) (bool, error)
	// EndStrays ends every agent that lives below a directory of runs, and returns how many there were.
	EndStrays func(directory string) (int, error)

	// Actions for a session. Those that return an error do I/O and run on Background; the others do not wait.

	Background    *act.Worker
	NoteVersion   func(version string) error // of an agent that does not continue a turn by itself
	SaveReport    func(r messages.AgentReport, directory string, environment map[string]string) error
	SaveAbilities func(directory string, a messages.Abilities) error // beside the runs in the directory
	Temporary     func(id messages.SessionID) string                 // the directory of the session's temporary files
	Archive       func(directory string, upTo messages.RunNumber)    // spools of runs that have ended
	Audit         func(messages.AuditEntry)
	Notify        func(Notice)
	SubagentEnded func(messages.SessionRecord) // is called after the commit of its end; nil = not called

	PlanBudgetDecided func(messages.RequestID) // is called after the commit of a decision; nil = not called

	Shows func(zerolog.Level) bool // whether the log shows anything of a level
	Mask  func(text string) string // hides secrets in what the log shows of an agent's output
}

// SavedStops are the stops that could not be written to the journal. It is safe for concurrent use.
type SavedStops interface {
	// Of returns the run at which a session was to be stopped, if it was.
	Of(id messages.SessionID) (messages.RunNumber, bool)
	// Want records in memory that a session is to be stopped. Drop removes the record: the stop is in the journal, or obsolete.
	Want(id messages.SessionID, run messages.RunNumber)
	Drop(id messages.SessionID)
	// Save makes the record of a session durable. It does I/O.
	Save(id messages.SessionID) error
}
