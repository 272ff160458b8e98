package record

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// The translations between records and their stored form, in pairs, in the order
// of store.proto. An empty slice or map comes back as nil, a time in UTC.

// StoreTime returns nil for the zero time.
func StoreTime(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// LoadTime returns the zero time for nil.
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
		Title:             r.Title,
		Stopped:           storeStopped(r.Stopped),
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
		Remembered:        r.InTranscript,
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
		Restored:          r.Restored,
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
		Repetition:        storeRepetition(r.Repetition),
		Proxy:             storeProxy(r.Proxy),
	}
}

// LoadSession is the inverse of StoreSession.
func LoadSession(id messages.SessionID, head messages.Seq, s *storev1.Session) messages.SessionRecord {
	return messages.SessionRecord{
		ID:               id,
		Name:             s.GetName(),
		Title:            s.GetTitle(),
		Stopped:          loadStopped(s.GetStopped()),
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
		InTranscript:     s.GetRemembered(),
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
		Restored:         s.GetRestored(),
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
		Repetition:       loadRepetition(s.GetRepetition()),
		Proxy:            loadProxy(s.GetProxy()),
	}
}

// storeStopped returns nil for a session that was not stopped.
func storeStopped(s messages.Stopped) *storev1.Stopped {
	if s.IsZero() {
		return nil
	}
	return &storev1.Stopped{By: string(s.By), At: StoreTime(s.At)}
}

func loadStopped(s *storev1.Stopped) messages.Stopped {
	return messages.Stopped{By: messages.ClientID(s.GetBy()), At: LoadTime(s.GetAt())}
}

// storeRateLimit returns nil for a session that is not limited.
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
