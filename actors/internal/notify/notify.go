package notify

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/actors/internal/hook"
	"betcode/actors/internal/texts"
	"betcode/actors/settings"
	"betcode/messages"
)

// How much a program for notifications may take.
const (
	notifyPatience = 10 * time.Second
	notifyAtOnce   = 2  // programs that run at the same time
	notifyWaiting  = 64 // notifications that wait for one; more are dropped

	// maxNotifyVariable bounds a variable, in characters. With a longer one, or with a zero in
	// one, the system starts no program, and an agent chooses some of what is in them.
	maxNotifyVariable = 16 << 10
)

// Notice is something a person should know who does not watch.
type Notice struct {
	Code    string             `json:"code"`
	Message string             `json:"message"`
	Session messages.SessionID `json:"session_id"`
	Name    string             `json:"session_name,omitempty"`
	At      time.Time          `json:"at"`
	Details map[string]string  `json:"details,omitempty"`
}

// Deps is what a [Notifier] needs.
type Deps struct {
	Settings    func() *settings.Settings // the present ones: which program
	Environment []string                  // what the program inherits, as "NAME=value": no secrets
	Workers     *act.Workers
	Now         func() time.Time
	Log         *zerolog.Logger // never nil
}

// Notifier starts the user's program for each notice, a few at a time. A failure is a line in the log: the notice itself is in
// the journal.
type Notifier struct {
	deps  Deps
	life  context.Context
	end   context.CancelFunc
	hands [notifyAtOnce]*act.Worker

	mu      sync.Mutex
	waiting [notifyAtOnce]int
}

// New returns a notifier. [Notifier.Close] ends it.
func New(d Deps) *Notifier {
	n := &Notifier{deps: d}
	n.life, n.end = context.WithCancel(context.Background())
	for i := range n.hands {
		n.hands[i] = act.NewBackground(d.Workers, func(result any) {
			d.Log.Error().Any("result", result).Msg("notification panicked")
		})
	}
	return n
}

// Send hands a notice to the worker that has the least to do. It does not wait.
func (n *Notifier) Send(e Notice) {
	if len(n.deps.Settings().NotifyExec) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	least := 0
	for i, waiting := range n.waiting {
		if waiting < n.waiting[least] {
			least = i
		}
	}
	if n.waiting[least] >= notifyWaiting/notifyAtOnce {
		n.deps.Log.Warn().Str(act.LogSession, string(e.Session)).Str("code", e.Code).Msg("notification dropped: too many wait")
		return
	}
	n.waiting[least]++
	e.At = n.deps.Now().UTC()
	n.hands[least].Do(func() any {
		defer func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.waiting[least]--
		}()
		n.run(e)
		return nil
	})
}

func (n *Notifier) run(e Notice) {
	program := n.deps.Settings().NotifyExec
	if len(program) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(n.life, notifyPatience)
	defer cancel()
	input, err := json.Marshal(e)
	if err == nil {
		err = hook.Run(ctx, program, append(slices.Clone(n.deps.Environment), noticeEnviron(e)...), append(input, '\n'))
	}
	if err != nil {
		n.deps.Log.Warn().Err(err).Str(act.LogSession, string(e.Session)).Str("code", e.Code).Msg("notification failed")
	}
}

// noticeEnviron is a notice for programs that do not read JSON. A tool's input is not
// in it, since that may hold anything.
func noticeEnviron(e Notice) []string {
	environ := []string{
		"BETCODE_EVENT=" + e.Code, "BETCODE_MESSAGE=" + e.Message, "BETCODE_SESSION_ID=" + string(e.Session),
		"BETCODE_SESSION_NAME=" + e.Name, "BETCODE_REQUEST_ID=" + e.Details["request_id"],
		"BETCODE_TOOL=" + e.Details["tool"], "BETCODE_AGE=" + e.Details["age"],
	}
	for i, entry := range environ {
		environ[i] = texts.Shorten(strings.ReplaceAll(entry, "\x00", `\x00`), maxNotifyVariable)
	}
	return environ
}

// Close ends what runs and drops what waits.
func (n *Notifier) Close() {
	n.end()
	for _, w := range n.hands {
		w.Close(nil)
	}
}
