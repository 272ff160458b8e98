// Package compaction keeps the record of a session's compactions: the boundary up to which history is no longer replayed, and the
// newest attempt to move it.
//
//	          /compact is done, and the agent reported a summary
//	UNDER WAY ────────────────────────────────────────────────────────► DONE: the boundary moves
//	    └── done without a summary, too late, or blocked ─────────────► UNDONE: nothing has changed
//
// The functions change a [messages.Past], which the session journals. They know no agent, no client and no clock. [Ask] is for the
// caller of a session: it waits on the caller's goroutine.
package compaction

import (
	"time"

	"betcode/messages"
)

// UnderWay reports whether a compaction has begun and not ended.
func UnderWay(p *messages.Past) bool { return p.Compaction.Phase == messages.CompactionUnderWay }

// Possible reports whether there is a complete exchange since the last compaction.
func Possible(p *messages.Past) bool { return p.Exchange.Seq > p.Boundary.Seq }

// Due reports whether the model's context has grown beyond a threshold in tokens; 0 is no threshold. What a compaction has left
// counts too: if that is much, the next one is due when it has doubled.
func Due(p *messages.Past, threshold uint64) bool {
	return threshold > 0 && p.ContextTokens > max(threshold, 2*p.Compaction.TokensAfter)
}

// Begin notes a compaction up to the last complete exchange. total is how many messages the session has.
func Begin(p *messages.Past, key, trigger string, total uint32, at time.Time) {
	p.Compaction = messages.Compaction{
		Key: key, Phase: messages.CompactionUnderWay, Trigger: trigger, To: p.Exchange, At: at,
		MessagesBefore: total - p.Boundary.Messages, TokensBefore: p.ContextTokens,
	}
}

// Summarized notes that the agent has summarised its context, and its size in tokens: before, 0 if not reported, and after.
func Summarized(p *messages.Past, before, after uint64) {
	p.ContextTokens = after
	if !UnderWay(p) {
		return
	}
	p.Compaction.Summarized, p.Compaction.TokensAfter = true, after
	if before > 0 {
		p.Compaction.TokensBefore = before
	}
}

// Failure returns why the compaction under way is to be undone when the agent has finished with its message; empty if it is done.
func Failure(c *messages.Compaction) string {
	switch {
	case c.Failure != "":
		return c.Failure
	case !c.Summarized:
		return "the agent did not get to it"
	}
	return ""
}

// End ends the compaction under way: with an empty failure the boundary moves, else nothing changes.
func End(p *messages.Past, failure string, total uint32) {
	c := &p.Compaction
	if failure != "" {
		c.Phase, c.Failure, c.TokensAfter = messages.CompactionUndone, failure, c.TokensBefore
		return
	}
	c.Phase, c.Failure = messages.CompactionDone, ""
	p.Boundary = c.To
	c.MessagesAfter = total - p.Boundary.Messages
}

// Outcome returns the reply to a caller that asked for a compaction: a [messages.SessionCompacted], or an error if it was undone.
func Outcome(c *messages.Compaction) any {
	if c.Phase == messages.CompactionUndone {
		return messages.Errorf("compact session", messages.Internal, "session compaction failed: %s", c.Failure).
			WithCode(messages.CompactionFailed).WithHint("nothing has changed; try again under another key")
	}
	return messages.SessionCompacted{
		Done: c.Phase == messages.CompactionDone, Boundary: c.To.Seq, MessagesBefore: c.MessagesBefore, MessagesAfter: c.MessagesAfter,
		TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter,
	}
}

// SoFar is the outcome that a caller gets which has waited long enough.
func SoFar(c messages.Compaction, total uint32) any {
	c.MessagesAfter = total - c.To.Messages
	return Outcome(&c)
}

// Nothing is the outcome where there is no exchange since the last compaction.
func Nothing(p *messages.Past, total uint32) messages.SessionCompacted {
	kept := total - p.Boundary.Messages
	return messages.SessionCompacted{
		Done: true, Boundary: p.Boundary.Seq, MessagesBefore: kept, MessagesAfter: kept,
		TokensBefore: p.ContextTokens, TokensAfter: p.ContextTokens,
	}
}
