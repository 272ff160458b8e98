package chat

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/chat/dialog"
	"betcode/cmd/betcode/internal/chat/drafts"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// item takes an event, or what happened to the connection.
func (m *Model) item(i client.Item) {
	switch {
	case i.Outage != nil:
		m.connection(i.Outage)
	case i.Lost != nil:
		m.tell("The daemon did not answer: your last request did not reach it.")
	case i.Event != nil:
		m.event(i.Event)
	}
}

func (m *Model) connection(o *client.Outage) {
	switch {
	case o.Restored:
		m.state.outage, m.state.queued, m.state.noSlot = "", nil, false
		m.queue.Forget()
		m.backlog = inbox.Backlog{}
		m.dialog = nil
		m.tell("The daemon has another journal now; the history starts again.")
	case o.Err == nil:
		m.state.outage = ""
	default:
		m.state.outage = "the daemon does not answer; trying again"
		if o.Wait > 4*time.Second {
			m.state.outage += " in " + o.Wait.Round(time.Second).String() + " (betcode daemon start)"
		}
	}
}

// event takes one event.
func (m *Model) event(e *pb.AgentEvent) {
	if m.queue.Event(e) {
		m.requests(e)
	}
	if due := m.queue.Due(e); due != nil {
		m.do(Send{due})
	}
	m.transcript.Event(e)
	for _, line := range m.backlog.Event(e) {
		if m.state.caughtUp {
			m.tell("%s", line)
		}
	}
	s := &m.state
	switch event := e.GetEvent().(type) {
	case *pb.AgentEvent_StatusChange:
		m.status(event.StatusChange)
	case *pb.AgentEvent_ToolCallStart:
		s.doing, s.since = console.Line(event.ToolCallStart.GetToolName()), m.now
	case *pb.AgentEvent_ToolCallResult:
		s.doing = ""
	case *pb.AgentEvent_TurnComplete:
		m.turnOver()
		s.queued = slices.DeleteFunc(s.queued, func(key string) bool { return slices.Contains(event.TurnComplete.GetInputKeys(), key) })
	case *pb.AgentEvent_UserInput:
		if !e.GetVolatile() {
			m.confirm(event.UserInput.GetIdempotencyKey())
			s.queued = append(s.queued, event.UserInput.GetIdempotencyKey())
		}
	case *pb.AgentEvent_Notice:
		s.noSlot = s.noSlot || event.Notice.GetCode() == "WAITING_FOR_SLOT"
	case *pb.AgentEvent_Error:
		s.condition = cmp.Or(event.Error.GetDetails()["condition"], s.condition)
		m.refused(event.Error)
	case *pb.AgentEvent_SessionInfo:
		i := event.SessionInfo
		s.model, s.directory, s.context = i.GetModel(), i.GetWorkingDirectory(), i.GetContextUsagePercent()
		s.condition, s.blocked = i.GetCondition(), i.GetWaiting()
	case *pb.AgentEvent_Usage:
		s.cost = max(float64(event.Usage.GetTotal().GetCostMicros())/1e6, s.cost+turnCost(event.Usage))
		if used := event.Usage.GetContextUsagePercent(); used > 0 {
			s.context = used
		}
	case *pb.AgentEvent_Lock:
		s.holder, s.requestedBy, s.offeredTo = event.Lock.GetHolder(), event.Lock.GetRequestedBy(), event.Lock.GetOfferedTo()
		if m.options.TakeLock { // the first such event means that the stream is attached
			m.options.TakeLock = false
			m.do(RequestLock{})
		}
	case *pb.AgentEvent_Presence:
		m.presence(event.Presence)
	}
	replay := e.GetSequence() == 0 && (e.GetPermissionRequest() != nil || e.GetUserQuestion() != nil)
	if !s.caughtUp && (e.GetSequence() >= m.options.Head || replay) {
		s.caughtUp = true
		if line := m.backlog.Behind(); line != "" {
			m.tell("%s", line)
		}
		m.restore()
		m.showGoal()
	}
}

// turnCost is the cost of a turn, for daemons that do not send the total.
func turnCost(u *pb.UsageReport) float64 {
	if u.GetTotal() != nil {
		return 0
	}
	return u.GetCostUsd()
}

func (m *Model) status(c *pb.StatusChange) {
	s := &m.state
	was := s.running
	s.running = c.GetStatus() != pb.AgentStatus_IDLE && c.GetStatus() != pb.AgentStatus_ERROR
	s.noSlot, s.waits = false, ""
	if c.GetStatus() == pb.AgentStatus_IDLE { // the daemon publishes that only when no message is left
		s.queued = nil
	}
	if c.GetStatus() == pb.AgentStatus_WAITING_FOR_USER {
		s.waits = console.Line(c.GetMessage())
	}
	if was != s.running {
		s.pressed = false
	}
	if s.running {
		s.condition = ""
	}
	if s.running && !was {
		s.since, s.doing = m.now, ""
		m.do(After{time.Second, Tick{}})
	}
	if c.GetStatus() == pb.AgentStatus_COMPACTING {
		s.doing = "summarising its context"
	}
	if was && !s.running {
		m.turnOver()
	}
}

func (m *Model) turnOver() {
	s := &m.state
	if s.running && s.caughtUp {
		m.notify("The agent is done.")
	}
	s.running, s.pressed, s.doing = false, false, ""
}

// notify alerts a person when the terminal has no focus. A terminal that does not report its focus counts as unfocused
// after a while without a key.
func (m *Model) notify(text string) {
	if m.focusing && !m.focused || !m.focusing && m.now.Sub(m.lastKey) > 10*time.Second {
		m.do(Notify{text})
	}
}

// confirm removes a message that the daemon has accepted.
func (m *Model) confirm(key string) {
	of := func(u drafts.Message) bool { return u.Key == key }
	n := len(m.unconfirmed) + len(m.restored.Unconfirmed)
	m.unconfirmed = slices.DeleteFunc(m.unconfirmed, of)
	m.restored.Unconfirmed = slices.DeleteFunc(m.restored.Unconfirmed, of)
	if n != len(m.unconfirmed)+len(m.restored.Unconfirmed) {
		m.saved = false
	}
}

// refused puts a message that the daemon did not accept back into the editor.
func (m *Model) refused(e *pb.ErrorEvent) {
	key := e.GetDetails()["idempotency_key"]
	i := slices.IndexFunc(m.unconfirmed, func(u drafts.Message) bool { return u.Key == key })
	if i < 0 || key == "" {
		return
	}
	text := m.unconfirmed[i].Text
	m.unconfirmed = slices.Delete(m.unconfirmed, i, i+1)
	if !m.editor.Empty() {
		text += "\n" + m.editor.Text()
	}
	m.editor.SetText(text)
	m.tell("Your message is back in the editor.")
	m.saved = false
}

// requests notes that what waits has changed.
func (m *Model) requests(e *pb.AgentEvent) {
	if id := e.GetPermissionResolved().GetRequestId(); m.dialog != nil && id == m.dialog.Request().ID {
		if m.dialog.Typing() {
			m.tell("The request was answered elsewhere.")
		}
		m.dialog, m.held = nil, nil
	}
}

// offerNext shows the request that waits longest.
func (m *Model) offerNext() {
	head := m.queue.Head()
	if head == nil || !m.state.caughtUp || m.dialog != nil && m.dialog.Request() == head {
		return
	}
	if m.dialog != nil && (m.dialog.Typing() || m.queued(m.dialog.Request())) {
		return
	}
	m.dialog = dialog.New(head)
	m.showDialog()
	if head.Permission != nil && !m.dialog.Plan() {
		m.do(Explain{head.Permission})
	}
	m.notify("The agent waits for you.")
}

// showDialog notes that the request comes to the screen: a key answers it after a moment.
func (m *Model) showDialog() {
	m.give(automatic)
	m.held = nil
	m.gate.Show(m.now)
	m.do(After{dialog.Quiet, Tick{}})
}

// queued reports whether a request still waits.
func (m *Model) queued(r *inbox.Request) bool { return m.queue.Head() == r }

// send sends an answer and shows the next request.
func (m *Model) send(r *pb.AgentRequest) {
	if r == nil {
		return
	}
	m.do(Send{r})
	m.queue.Done(m.dialog.Request().ID)
	m.dialog = nil
	m.give(automatic)
	m.offerNext()
}

// interrupt handles Ctrl-C: it clears the editor, interrupts the turn, and leaves when it is pressed again.
func (m *Model) interrupt() {
	s := &m.state
	switch {
	case !m.editor.Empty() && !s.pressed:
		text := m.editor.Text()
		m.editor.Clear()
		m.history.Add(text)
		m.saved = false
		m.tell("Removed; Ctrl-Y or Up brings it back.")
		if s.running {
			return
		}
		s.pressed = true
	case s.pressed || m.options.ReadOnly:
		m.leave()
	case s.running:
		s.pressed = true
		m.tell("interrupting; Ctrl-C again to leave")
		m.do(Send{&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{}}}})
	default:
		s.pressed = true
		m.tell("Ctrl-C again to leave; the session goes on.")
	}
}

func (m *Model) leave() {
	m.leaving = true
	m.saved = false
	m.save()
	m.do(Leave{})
}

// lockAnswered shows the answer to a request for the input lock.
func (m *Model) lockAnswered(r *pb.InputLockResponse, err error) {
	holder := console.OrNobody(console.ClientTo(m.options.Client, r.GetPreviousHolder()))
	switch {
	case err != nil:
		m.tell("The input lock could not be asked for: %s", status.Convert(err).Message())
	case r.GetGranted():
		m.tell("You have the input lock.")
	case r.GetRefused():
		m.tell("%s keeps the input lock. You get it when it is released.", holder)
	default:
		m.tell("%s has the input lock. You get it when it is released.", holder)
	}
}
