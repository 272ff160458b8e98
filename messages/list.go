package messages

// ListSessions asks for the known sessions, newest change first. Answered with [SessionList].
// Served from the journal, without starting session actors.
type ListSessions struct {
	ask
	WorkingDirectory, WorktreeID string // empty = any
	Limit, Offset                int    // Limit 0 = 100
	Resting                      *int   // nil = a page; otherwise all sessions with work, and at most this many others

	// Known reports whether the caller has the record of a session at a revision; the page then omits it. nil = the
	// caller has none. It is called for the sessions of the page in order.
	Known func(SessionID, Revision) bool
}

// Revision numbers the versions of all session records within one process. A record with an unchanged revision is
// unchanged. No record has the zero value.
type Revision uint64

// SessionList answers [ListSessions]. Total counts all that match.
type SessionList struct {
	answer
	Sessions  []SessionRecord
	Revisions []Revision // of the first Sessions; each record is at least as new as its revision. The remaining Sessions have none
	Known     []int      // positions in the page of the omitted records, in order
	Total     int
	Omitted   Omitted
	Slots     SlotQueue
}

// Omitted counts the sessions without work that a list omits.
type Omitted struct{ Idle, Stopped int }

// ResolveSession finds the session that a person refers to by an id, a unique prefix of one, a
// name, or "@last". If several sessions have the name, the one of Directory matches. Answered with
// [SessionResolved], [NotFound], or, for an ambiguous reference, [Invalid] with the candidates.
type ResolveSession struct {
	ask
	Reference string
	Directory string // may be empty
}

// ResolveKey finds the session in which an idempotency key was used, for a caller that names no
// session. It searches all sessions. Answered with [SessionResolved] or [NotFound].
type ResolveKey struct {
	ask
	Key string
}

// SessionResolved answers [ResolveSession] and [ResolveKey].
type SessionResolved struct {
	answer
	Session SessionID
}
