package session

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/client"
	"betcode/actors/internal/notify"
	"betcode/messages"
)

// The effects of a session.
type (
	persist struct{ messages.Append }
	// publish hands events to every attached stream.
	publish struct {
		events   []messages.Event
		head     messages.Seq
		progress messages.Progress
	}
	// sendToStream hands events that are not journaled to one stream.
	sendToStream struct {
		stream   string
		events   []messages.Event
		progress messages.Progress
	}
	sendToRun struct {
		run     messages.RunNumber
		message any
	}
	sendToPermission struct { // to the actor of a permission, as if from the asker
		request messages.RequestID
		from    *actor.PID
		message any
	}
	spawnRun struct {
		record messages.RunRecord
		cursor messages.Cursor
		fresh  bool // never tried: spawn; else look for the process first
		resume bool // a cut-off turn is to be continued
	}
	spawnClient struct {
		attach messages.Attach
		state  client.State
	}
	dropClient      struct{ stream string }
	spawnPermission struct{ record messages.PermissionRecord }
	dropPermission  struct{ request messages.RequestID }
	update          struct{ record messages.PermissionRecord } // gives the actor of a request its newest record
	notifyPerson    struct{ event Notice }                     // for a person who does not watch the session
	noteVersion     struct{ version string }                   // that it does not continue a turn by itself
	requestRefused  struct{ request, why string }              // a malformed request of the agent; for the log alone
	dropRun         struct{ run messages.RunNumber }
	loadAgain       struct{} // ask the journal once more
	openProxy       struct { // tells a proxy from now on what the session sends to its connection
		connection string
		sink       messages.ProxySink
	}
	sendToProxy struct {
		connection string
		event      messages.ProxyEvent
	}
	closeProxy struct { // ends a connection behind what was sent; a nil reason is a clean end
		connection string
		last       messages.ProxyEvent // nil = none
		reason     *messages.Error
	}
	retire struct{} // nothing is left to do here: the actor may go
	forget struct{ directory string }
)

func (persist) Effect()          {}
func (publish) Effect()          {}
func (sendToStream) Effect()     {}
func (sendToRun) Effect()        {}
func (sendToPermission) Effect() {}
func (spawnRun) Effect()         {}
func (spawnClient) Effect()      {}
func (dropClient) Effect()       {}
func (spawnPermission) Effect()  {}
func (dropPermission) Effect()   {}
func (update) Effect()           {}
func (notifyPerson) Effect()     {}
func (noteVersion) Effect()      {}
func (requestRefused) Effect()   {}
func (dropRun) Effect()          {}
func (loadAgain) Effect()        {}
func (openProxy) Effect()        {}
func (sendToProxy) Effect()      {}
func (closeProxy) Effect()       {}
func (retire) Effect()           {}
func (forget) Effect()           {}

// archiveRuns is an effect: archive the spools of a session's runs that have ended.
type archiveRuns struct {
	directory string
	upTo      messages.RunNumber
}

func (archiveRuns) Effect() {}

// Notice is something a person should know who does not watch.
type Notice = notify.Notice
