package actors

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/hook"
	"betcode/actors/internal/texts"
	"betcode/actors/session"
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

// notifier starts the user's program for each notice, a few at a time. What goes
// wrong is a line in the log: the notice itself is in the journal.
type notifier struct {
	deps  *System
	life  context.Context
	end   context.CancelFunc
	hands [notifyAtOnce]*act.Worker

	mu      sync.Mutex
	waiting [notifyAtOnce]int
}

func newNotifier(s *System) *notifier {
	n := &notifier{deps: s}
	n.life, n.end = context.WithCancel(context.Background())
	for i := range n.hands {
		n.hands[i] = act.NewBackground(&s.workers, func(result any) {
			s.logOf("notify").Error().Any("result", result).Msg("notification panicked")
		})
	}
	return n
}

// send hands a notice to the worker that has the least to do. It does not wait.
func (n *notifier) send(e session.Notice) {
	if len(n.deps.settings.Load().NotifyExec) == 0 {
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
		n.deps.logOf("notify").Warn().Str(act.LogSession, string(e.Session)).Str("code", e.Code).Msg("notification dropped: too many wait")
		return
	}
	n.waiting[least]++
	e.At = n.deps.now().UTC()
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

func (n *notifier) run(e session.Notice) {
	o, program := n.deps.options, n.deps.settings.Load().NotifyExec
	if len(program) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(n.life, notifyPatience)
	defer cancel()
	input, err := json.Marshal(e)
	if err == nil {
		err = hook.Run(ctx, program, append(slices.Clone(o.NotifyEnv), noticeEnviron(e)...), append(input, '\n'))
	}
	if err != nil {
		n.deps.logOf("notify").Warn().Err(err).Str(act.LogSession, string(e.Session)).Str("code", e.Code).Msg("notification failed")
	}
}

// noticeEnviron is a notice for programs that do not read JSON. A tool's input is not
// in it, since that may hold anything.
func noticeEnviron(e session.Notice) []string {
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

// close ends what runs and drops what waits.
func (n *notifier) close() {
	n.end()
	for _, w := range n.hands {
		w.Close(nil)
	}
}
