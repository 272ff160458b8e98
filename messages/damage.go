package messages

// JournalDamaged is the condition of a session whose records cannot be read: see
// [DamagedSession].
const JournalDamaged Condition = "journal_damaged"

// StateNotWritable is the condition of a session for whose agent no run directory can
// be made.
const StateNotWritable Condition = "state_not_writable"

// DamagedSession is a session that the journal cannot load. Its record is what can
// be read of it: [PhaseDamaged], and at least the id. Its history can be read as far
// as it is sound, and the session can be deleted; nothing else.
type DamagedSession struct {
	Record SessionRecord
	Err    *Error // names what is damaged; of [DataLoss]
}

// HistoryGap is a part of a history that cannot be read: the events From to To,
// both included. To is 0 when nothing behind it can be read either.
type HistoryGap struct {
	From, To Seq
	Reason   string
}
