package actors

// An agent that writes faster than the journal takes it fills the disk with what
// nobody has read. When it is a quota ahead it is held, until half of that is
// journaled. What is counted is the distance from the committed offset, so an
// agent is held as well when the journal takes nothing at all.

// spoolQuota is how far an agent may be ahead, unless the operator says otherwise.
const spoolQuota = 1 << 30

// quota is what a run knows about it.
type quota struct {
	limit     int64 // 0 = none
	size      int64 // of the spool, as of the newest look
	journaled int64 // of it
	frozen    int64 // its size when the agent had been stopped last; 0 = it was not
	measuring bool
}

// spoolMeasured is how large the spool is; measureSpool asks for it.
type (
	spoolMeasured struct{ size int64 }
	measureSpool  struct{}
)

func (measureSpool) effect() {}

// measure looks at the size of a spool that cannot be read at the moment.
func (s runState) measure() (runState, []effect) {
	if s.credits > 0 || s.quota.measuring || s.quota.limit == 0 || s.phase != runLive {
		return s, nil
	}
	s.quota.measuring = true
	return s, []effect{measureSpool{}}
}

// weigh holds the agent or lets it go, by how far it is ahead. One whose spool
// grows by another quota although it is held is ended: what writes there could not
// be stopped.
func (s runState) weigh(effects []effect) (runState, []effect) {
	q := &s.quota
	switch ahead := q.size - q.journaled; {
	case q.limit == 0:
	case s.holds&holdQuota == 0 && ahead > q.limit:
		s.holds |= holdQuota
		q.frozen = 0
	case s.holds&holdQuota != 0 && ahead <= q.limit/2:
		s.holds &^= holdQuota
	case s.holds&holdQuota != 0 && q.frozen > 0 && q.size > q.frozen+q.limit && s.phase == runLive && !s.stopping:
		s.stopping, s.how = true, stopResumable
		return s.stop(effects)
	}
	return s, effects
}
