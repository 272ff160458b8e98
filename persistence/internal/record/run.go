package record

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// StoreRun encodes a run, without its session and number.
func StoreRun(r *messages.RunRecord) *storev1.Run {
	return &storev1.Run{
		Version:      RecordVersion,
		Format:       r.Format,
		State:        uint32(r.State),
		Token:        r.Token,
		Directory:    r.Directory,
		Argv:         r.Argv,
		Environment:  r.Environment,
		Options:      storeOptions(r.Options),
		AgentSession: r.AgentSession,
		Resumed:      r.Resumed,
		Process:      storeProcess(r.Process),
		Launcher:     storeProcess(r.Launcher),
		StartedAt:    StoreTime(r.StartedAt),
		Exit:         storeExit(r.Exit),

		ControlKey: r.ControlKey, ControlsAnswered: r.ControlsAnswered, UnansweredCalls: r.UnansweredCalls,
		Alarm: string(r.Alarm), Frozen: r.Frozen, Fence: r.Fence,
		CallsDecided: storeCallsDecided(r.CallsDecided),
	}
}

// LoadRun is the inverse of StoreRun.
func LoadRun(id messages.SessionID, run messages.RunNumber, r *storev1.Run) *messages.RunRecord {
	return &messages.RunRecord{
		Format:       r.GetFormat(),
		Session:      id,
		Run:          run,
		State:        messages.RunState(r.GetState()),
		Token:        r.GetToken(),
		Directory:    r.GetDirectory(),
		Argv:         r.GetArgv(),
		Environment:  r.GetEnvironment(),
		Options:      loadOptions(r.GetOptions()),
		AgentSession: r.GetAgentSession(),
		Resumed:      r.GetResumed(),
		Process:      loadProcess(r.GetProcess()),
		Launcher:     loadProcess(r.GetLauncher()),
		StartedAt:    LoadTime(r.GetStartedAt()),
		Exit:         loadExit(r.GetExit()),

		ControlKey: r.GetControlKey(), ControlsAnswered: r.GetControlsAnswered(), UnansweredCalls: r.GetUnansweredCalls(),
		Alarm: messages.Code(r.GetAlarm()), Frozen: r.GetFrozen(), Fence: r.GetFence(),
		CallsDecided: loadCallsDecided(r.GetCallsDecided()),
	}
}

func storeCallsDecided(calls []messages.CallDecided) (stored []*storev1.CallDecided) {
	for _, c := range calls {
		stored = append(stored, &storev1.CallDecided{ToolUse: c.ToolUse, At: StoreTime(c.At)})
	}
	return stored
}

func loadCallsDecided(stored []*storev1.CallDecided) (calls []messages.CallDecided) {
	for _, c := range stored {
		calls = append(calls, messages.CallDecided{ToolUse: c.GetToolUse(), At: LoadTime(c.GetAt())})
	}
	return calls
}

func storeProcess(p messages.ProcessIdentity) *storev1.Process {
	if p == (messages.ProcessIdentity{}) {
		return nil
	}
	return &storev1.Process{Pid: int64(p.PID), StartTime: p.StartTime, BootId: p.BootID}
}

func loadProcess(p *storev1.Process) messages.ProcessIdentity {
	return messages.ProcessIdentity{PID: int(p.GetPid()), StartTime: p.GetStartTime(), BootID: p.GetBootId()}
}

func storeExit(e messages.Exit) *storev1.Exit {
	if e == (messages.Exit{}) {
		return nil
	}
	return &storev1.Exit{Known: e.Known, Code: int64(e.Code), Signal: e.Signal, Reason: e.Reason, At: StoreTime(e.At), Stage: e.Stage}
}

func loadExit(e *storev1.Exit) messages.Exit {
	return messages.Exit{
		Known: e.GetKnown(), Code: int(e.GetCode()), Signal: e.GetSignal(), Reason: e.GetReason(), At: LoadTime(e.GetAt()),
		Stage: e.GetStage(),
	}
}

// HasOpenTurn reports whether a turn of a session is to be continued, according to a row: it was interrupted, and the session does
// not wait for a person, or the session is a subagent that has not ended. It decodes only these fields, because at boot there are
// thousands of rows. It returns true for a row that cannot be read.
func HasOpenTurn(key, value []byte) bool {
	const turnField, waitingField, conditionField, subagentField = 16, 42, 43, 80
	if len(key) != 9 || key[8] != RowSession {
		return false
	}
	body, err := Unstamp(key, value)
	if err != nil {
		return true
	}
	open, blocked, subagent := false, false, false
	for len(body) > 0 {
		number, kind, n := protowire.ConsumeTag(body)
		if n < 0 {
			return true
		}
		switch {
		case number == turnField && kind == protowire.VarintType:
			turn, _ := protowire.ConsumeVarint(body[n:])
			open = turn != 0
		case (number == waitingField || number == conditionField) && kind == protowire.BytesType:
			text, _ := protowire.ConsumeBytes(body[n:])
			blocked = blocked || len(text) > 0
		case number == subagentField && kind == protowire.BytesType:
			body, _ := protowire.ConsumeBytes(body[n:])
			var s storev1.Subagent
			subagent = proto.Unmarshal(body, &s) != nil || SubagentRuns(&s)
		}
		m := protowire.ConsumeFieldValue(number, kind, body[n:])
		if m < 0 {
			return true
		}
		body = body[n+m:]
	}
	return open && !blocked || subagent
}

// HasEnded reports whether a stored run has ended. It decodes only that, because at boot
// there are thousands of runs.
func HasEnded(key, value []byte) bool {
	const stateField = 3
	body, err := Unstamp(key, value)
	for err == nil && len(body) > 0 {
		number, kind, n := protowire.ConsumeTag(body)
		if n < 0 || number > stateField {
			return false
		}
		if number == stateField && kind == protowire.VarintType {
			state, _ := protowire.ConsumeVarint(body[n:])
			return state == uint64(messages.RunFinished)
		}
		m := protowire.ConsumeFieldValue(number, kind, body[n:])
		if m < 0 {
			return false
		}
		body = body[n+m:]
	}
	return false
}
