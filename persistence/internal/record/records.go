package record

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// The translations between records and what is stored, in pairs, in the order
// of store.proto. An empty slice or map comes back as nil, a time in UTC.

// StoreTime is nil for the zero time.
func StoreTime(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// LoadTime is the zero time for nil.
func LoadTime(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}

// StoreSession encodes a session's record, without its id and head.
func StoreSession(r *messages.SessionRecord) *storev1.Session {
	return &storev1.Session{
		Version:           RecordVersion,
		Name:              r.Name,
		WorkingDirectory:  r.WorkingDirectory,
		WorktreeId:        r.WorktreeID,
		Model:             r.Model,
		PermissionMode:    r.PermissionMode,
		AllowedTools:      r.AllowedTools,
		DeniedTools:       r.DeniedTools,
		Metadata:          r.Metadata,
		Phase:             uint32(r.Phase),
		Status:            r.Status,
		AgentSession:      r.AgentSession,
		Remembered:        r.Remembered,
		Run:               uint64(r.Run),
		Turn:              r.Turn,
		TurnCanceled:      r.TurnCanceled,
		Background:        r.Background,
		Messages:          r.Messages,
		Usage:             storeUsage(r.Usage),
		Preview:           r.Preview,
		Grants:            r.Grants,
		CreatedAt:         StoreTime(r.CreatedAt),
		UpdatedAt:         StoreTime(r.UpdatedAt),
		StopWanted:        r.StopWanted,
		AgentModel:        r.AgentModel,
		Past:              storePast(&r.Past),
		Lock:              string(r.Lock),
		ResumePolicy:      string(r.Resume),
		CutOff:            r.Interruptions,
		Waiting:           r.Waiting,
		Condition:         string(r.Condition),
		AgentVersion:      r.AgentVersion,
		Environment:       r.Environment,
		RateLimit:         storeRateLimit(r.RateLimit),
		Budget:            storeBudget(r.Budget),
		ConfirmedModes:    r.Confirmed,
		CutKeys:           r.InterruptedKeys,
		Options:           storeOptions(r.Options),
		Fork:              storeFork(r.Fork),
		ResolvedDirectory: r.Resolved,
		Subagent:          storeSubagent(r.Subagent),
	}
}

// LoadSession decodes what StoreSession encoded.
func LoadSession(id messages.SessionID, head messages.Seq, s *storev1.Session) messages.SessionRecord {
	return messages.SessionRecord{
		ID:               id,
		Name:             s.GetName(),
		WorkingDirectory: s.GetWorkingDirectory(),
		WorktreeID:       s.GetWorktreeId(),
		Model:            s.GetModel(),
		PermissionMode:   s.GetPermissionMode(),
		AllowedTools:     s.GetAllowedTools(),
		DeniedTools:      s.GetDeniedTools(),
		Metadata:         s.GetMetadata(),
		Phase:            messages.Phase(s.GetPhase()),
		Status:           s.GetStatus(),
		Head:             head,
		AgentSession:     s.GetAgentSession(),
		Remembered:       s.GetRemembered(),
		Run:              messages.RunNumber(s.GetRun()),
		Turn:             s.GetTurn(),
		TurnCanceled:     s.GetTurnCanceled(),
		Background:       s.GetBackground(),
		Messages:         s.GetMessages(),
		Usage:            loadUsage(s.GetUsage()),
		Preview:          s.GetPreview(),
		Grants:           s.GetGrants(),
		CreatedAt:        LoadTime(s.GetCreatedAt()),
		UpdatedAt:        LoadTime(s.GetUpdatedAt()),
		StopWanted:       s.GetStopWanted(),
		AgentModel:       s.GetAgentModel(),
		Past:             loadPast(s.GetPast()),
		Lock:             messages.ClientID(s.GetLock()),
		Resume:           messages.ResumePolicy(s.GetResumePolicy()),
		Interruptions:    s.GetCutOff(),
		Waiting:          s.GetWaiting(),
		Condition:        messages.Condition(s.GetCondition()),
		AgentVersion:     s.GetAgentVersion(),
		Environment:      s.GetEnvironment(),
		RateLimit:        loadRateLimit(s.GetRateLimit()),
		Budget:           loadBudget(s.GetBudget()),
		Confirmed:        s.GetConfirmedModes(),
		InterruptedKeys:  s.GetCutKeys(),
		Options:          loadOptions(s.GetOptions()),
		Fork:             loadFork(s.GetFork()),
		Resolved:         s.GetResolvedDirectory(),
		Subagent:         loadSubagent(s.GetSubagent()),
	}
}

// storeRateLimit is nil for a session that is not limited.
func storeRateLimit(l messages.RateLimit) *storev1.RateLimit {
	if l == (messages.RateLimit{}) {
		return nil
	}
	return &storev1.RateLimit{Since: StoreTime(l.Since), Until: StoreTime(l.Until), Kind: l.Kind}
}

func loadRateLimit(l *storev1.RateLimit) messages.RateLimit {
	return messages.RateLimit{Since: LoadTime(l.GetSince()), Until: LoadTime(l.GetUntil()), Kind: l.GetKind()}
}

func storeUsage(u messages.Usage) *storev1.Usage {
	if u == (messages.Usage{}) {
		return nil
	}
	return &storev1.Usage{
		InputTokens:         u.InputTokens,
		OutputTokens:        u.OutputTokens,
		CacheReadTokens:     u.CacheReadTokens,
		CacheCreationTokens: u.CacheCreationTokens,
		CostUsd:             u.CostUSD,
	}
}

func loadUsage(u *storev1.Usage) messages.Usage {
	return messages.Usage{
		InputTokens:         u.GetInputTokens(),
		OutputTokens:        u.GetOutputTokens(),
		CacheReadTokens:     u.GetCacheReadTokens(),
		CacheCreationTokens: u.GetCacheCreationTokens(),
		CostUSD:             u.GetCostUsd(),
	}
}

// Position is where a session's history is in a journal file.
type Position struct {
	Head      messages.Seq // number of the newest event
	Base      messages.Seq // number of the last event before the file
	Chain     Link         // of the history up to head
	BaseChain Link         // of the history up to base
	Bytes     uint64       // of the events up to head, as far as they were counted
	BaseBytes uint64       // of those up to base
}

// StoreCursor encodes how far a session's history and its spool are stored.
func StoreCursor(e Position, c *messages.Cursor) *storev1.Cursor {
	return &storev1.Cursor{
		Version:    RecordVersion,
		Head:       uint64(e.Head),
		Base:       uint64(e.Base),
		Run:        uint64(c.Run),
		Offset:     c.Offset,
		Translator: c.Translator,
		Chain:      e.Chain.Bytes(),
		BaseChain:  e.BaseChain.Bytes(),
		Bytes:      e.Bytes,
		BaseBytes:  e.BaseBytes,
	}
}

// LoadCursor decodes the spool's part of a cursor.
func LoadCursor(c *storev1.Cursor) messages.Cursor {
	return messages.Cursor{Run: messages.RunNumber(c.GetRun()), Offset: c.GetOffset(), Translator: c.GetTranslator()}
}

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

// LoadRun decodes what StoreRun encoded.
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

// Begins is the event after which a file has the history of a session.
func Begins(c *storev1.Cursor) uint64 { return max(c.GetBase(), c.GetDropped()) }

// BeginsWith is its chain.
func BeginsWith(c *storev1.Cursor) Link {
	if c.GetDropped() > c.GetBase() {
		return LoadLink(c.GetDroppedChain())
	}
	return LoadLink(c.GetBaseChain())
}

// HasOpenTurn reports whether a row of a session says that a turn is to be continued: it was interrupted, and the session does
// not wait for a person, or the session is a subagent that has not ended. It decodes no more than that: at boot there are
// thousands. A row that cannot be read has one.
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

// HasEnded reports whether a stored run has ended. It decodes no more than that: at boot
// there are thousands.
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
