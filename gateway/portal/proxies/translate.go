package proxies

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

const (
	// maxLine bounds a line of the agent, in bytes.
	maxLine = 20 << 20
	// maxName bounds request ids and names of tools, like the tables of other servers.
	maxName = 255
	// maxKnown bounds the tracked inputs of a connection.
	maxKnown = 1024
)

// translator translates the messages of one connection of a proxy to requests of the daemon, and
// events of the daemon to messages. It is pure.
type translator struct {
	session wire.UUID
	dialect wire.Dialect
	given   map[uint64]given     // inputs that were sent on this connection
	seqs    map[wire.UUID]uint64 // numbers of inputs, by the ids that proxies of G3 return
	oldest  []uint64             // of given, in order
	decided string               // the last request whose decision was sent
}

// given is an input that was sent to the proxy.
type given struct {
	id     wire.UUID
	digest [sha256.Size]byte // of its text
}

func newTranslator(session wire.UUID, d wire.Dialect) translator {
	return translator{session: session, dialect: d, given: map[uint64]given{}, seqs: map[wire.UUID]uint64{}}
}

// request translates a message of the proxy to a request to the daemon. If it is not for the
// daemon, r is nil and why the reason.
func (t *translator) request(m wire.Message) (r *pb.ProxyRequest, why string) {
	switch m := m.(type) {
	case wire.SequencedOutput:
		return output(&m.Seq, m.Content)
	case wire.ClaudeOutput:
		return output(nil, m.Content)
	case wire.PermissionRequest:
		return asked(m)
	case wire.InputAck:
		if m.SessionID != t.session || m.AckSeq < 1 {
			return nil, "it is of another session or has no number"
		}
		return taken(&pb.ProxyInputTaken{Seq: uint64(m.AckSeq)}), ""
	case wire.InputProgressAck:
		return t.progress(m)
	case wire.SessionUpdate:
		if m.SessionID != t.session {
			return nil, "it is of another session"
		}
		return &pb.ProxyRequest{Request: &pb.ProxyRequest_Update{Update: &pb.ProxyUpdate{
			GitBranch: value(m.GitBranch), RepoUrl: value(m.RepoURL), PrUrl: value(m.PRURL),
		}}}, ""
	case wire.Register:
		return nil, "a connection has one session"
	case wire.SessionStatus, wire.TurnMetricsReport, wire.ToolProgress, wire.Ephemeral:
		return nil, "it is not kept"
	case wire.SessionLimitReached:
		return nil, "the agent reports it too"
	case wire.FileUploadResult, wire.FileDownloadResponse, wire.ForwardStatus,
		wire.TunnelOpened, wire.TunnelRefused, wire.TunnelData, wire.TunnelWindow, wire.TunnelClose:
		return nil, "nothing was asked for"
	}
	return nil, "the type is not known"
}

func output(seq *uint64, line wire.Raw) (*pb.ProxyRequest, string) {
	if len(line) > maxLine {
		return nil, fmt.Sprintf("the line has more than %d MiB", maxLine>>20)
	}
	return &pb.ProxyRequest{Request: &pb.ProxyRequest_Output{Output: &pb.ProxyOutput{Seq: seq, Line: line}}}, ""
}

func asked(m wire.PermissionRequest) (*pb.ProxyRequest, string) {
	switch {
	case m.RequestID == "" || len(m.RequestID) > maxName || m.ToolName == "" || len(m.ToolName) > maxName:
		return nil, "its id or tool is empty or too long"
	case !bytes.HasPrefix(bytes.TrimSpace(m.Input), []byte("{")):
		return nil, "its input is not an object"
	}
	a := &pb.ProxyAsked{RequestId: m.RequestID, ToolName: m.ToolName, Input: m.Input}
	if len(m.Suggestions) > 0 {
		a.Suggestions = wire.EncodeSuggestions(m.Suggestions)
	}
	return &pb.ProxyRequest{Request: &pb.ProxyRequest_Asked{Asked: a}}, ""
}

func taken(t *pb.ProxyInputTaken) *pb.ProxyRequest {
	return &pb.ProxyRequest{Request: &pb.ProxyRequest_InputTaken{InputTaken: t}}
}

// progress translates the stage of an input at a proxy of G3. Stages before the agent has the input need no request.
func (t *translator) progress(m wire.InputProgressAck) (*pb.ProxyRequest, string) {
	seq, known := t.seqs[m.ClientMsgID]
	if m.SessionID != t.session || !known {
		return nil, "it is of another session or input"
	}
	switch m.Stage {
	case wire.StageAgentAccepted:
		return taken(&pb.ProxyInputTaken{Seq: seq, ByAgent: true}), ""
	case wire.StageFailed:
		return taken(&pb.ProxyInputTaken{Seq: seq, Failed: true}), ""
	}
	return nil, "the agent has not got it yet"
}

// decisionTaken returns the request that reports that the proxy has read a decision.
func decisionTaken(id string) *pb.ProxyRequest {
	return &pb.ProxyRequest{Request: &pb.ProxyRequest_DecisionTaken{DecisionTaken: &pb.ProxyDecisionTaken{RequestId: id}}}
}

// message translates an event of the daemon to a message to the proxy; nil if the proxy has it
// already, or its generation does not know it.
func (t *translator) message(e *pb.ProxyEvent) wire.Message {
	var m wire.Message
	switch e := e.GetEvent().(type) {
	case *pb.ProxyEvent_OutputTaken:
		m = wire.OutputAck{SessionID: t.session, AckSeq: e.OutputTaken.GetSeq()}
	case *pb.ProxyEvent_Input:
		m = t.input(e.Input)
	case *pb.ProxyEvent_Decision:
		m = t.decision(e.Decision)
	case *pb.ProxyEvent_Interrupt:
		m = wire.Interrupt{}
	case *pb.ProxyEvent_Terminate:
		m = wire.SessionTerminated{Reason: e.Terminate.GetReason()}
	}
	if m == nil || !wire.Knows(t.dialect, wire.ToProxy, m) {
		return nil
	}
	return m
}

// input returns a prompt; nil if the proxy has it. A newly started daemon resends unacknowledged
// inputs, which the proxy would run twice.
func (t *translator) input(i *pb.ProxyInput) wire.Message {
	g := given{messageID(i), sha256.Sum256([]byte(i.GetContent()))}
	if had, ok := t.given[i.GetSeq()]; ok && had == g {
		return nil
	}
	t.forget(i.GetSeq())
	t.given[i.GetSeq()], t.seqs[g.id] = g, i.GetSeq()
	if t.oldest = append(t.oldest, i.GetSeq()); len(t.oldest) > maxKnown {
		t.forget(t.oldest[0])
	}
	return wire.SequencedInput{SessionID: t.session, Seq: int64(i.GetSeq()), Content: quoted(i.GetContent()), ClientMsgID: &g.id} //nolint:gosec // smaller than the number of events in a journal
}

// quoted returns a text as a JSON string, without escaping characters of HTML.
func quoted(text string) wire.Raw {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic("proxies: " + err.Error()) // impossible: strings can be encoded
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func (t *translator) forget(seq uint64) {
	if g, ok := t.given[seq]; ok {
		delete(t.given, seq)
		delete(t.seqs, g.id)
		t.oldest = slices.DeleteFunc(t.oldest, func(n uint64) bool { return n == seq })
	}
}

// inputs is the namespace of ids for keys that are not UUIDs.
var inputs = uuid.MustParse("6b0a4c1e-53c1-5f0e-8b39-0d7c1a5f2e44")

// messageID returns the id of an input for G3: the key of the client, if it is a UUID.
func messageID(i *pb.ProxyInput) wire.UUID {
	if id, err := uuid.Parse(i.GetIdempotencyKey()); err == nil {
		return wire.UUID(id.String())
	}
	return wire.UUID(uuid.NewSHA1(inputs, fmt.Appendf(nil, "%d %s", i.GetSeq(), i.GetIdempotencyKey())).String())
}

// decision returns an answer; nil if it was sent. Proxies accept an answer only once, and treat a
// missing input as an empty one.
func (t *translator) decision(d *pb.ProxyDecision) wire.Message {
	if t.decided == d.GetRequestId() {
		return nil
	}
	t.decided = d.GetRequestId()
	m := wire.PermissionResponse{RequestID: d.GetRequestId(), Allow: d.GetAllow()}
	if !m.Allow {
		if why := d.GetReason(); why != "" {
			m.Reason = &why
		}
		return m
	}
	if m.Input = d.GetInput(); len(m.Input) == 0 {
		m.Input = wire.Raw("{}")
	}
	m.Permissions, _ = wire.DecodeSuggestions(d.GetPermissions()) // they came from the proxy
	return m
}
