package repeat

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"betcode/messages"
)

// Verdict is what follows a turn.
type Verdict uint8

// The verdicts.
const (
	Again     Verdict = iota // the next prompt
	Complete                 // the agent answered with the marker
	Exhausted                // all prompts were sent
	Failed                   // the turn failed, or was interrupted
	Canceled                 // a client ended it
)

// Answer is how a turn has ended.
type Answer struct {
	Text     string // the agent's last text in it
	Failed   bool
	Canceled bool
}

// Check returns the error of a message that cannot be repeated.
func Check(op string, m messages.SendInput) *messages.Error {
	refuse := func(hint, format string, args ...any) *messages.Error {
		return messages.Errorf(op, messages.Invalid, format, args...).WithHint(hint)
	}
	switch r := m.Repeat; {
	case r == nil:
		return nil
	case r.Max > messages.MaxRepeats:
		return refuse("ask for fewer prompts", "a message is repeated at most %d times, not %d", messages.MaxRepeats, r.Max)
	case utf8.RuneCountInString(r.Marker) > messages.MaxMarker || strings.ContainsFunc(r.Marker, func(c rune) bool { return !unicode.IsPrint(c) || unicode.IsSpace(c) }):
		return refuse("use a word such as "+messages.RepeatMarker, "the marker is no word of at most %d characters", messages.MaxMarker)
	case len(m.Attachments) > 0:
		return refuse("send the files in a message of their own first", "a repeated message has no attachments")
	case len(m.Content) > messages.MaxRepeatedText:
		return refuse("put the rest into a file and let the agent read it", "a repeated message has %d bytes, at most %d are taken",
			len(m.Content), messages.MaxRepeatedText)
	}
	return nil
}

// BusyError refuses to repeat a message while another one is repeated.
func BusyError(op string, id messages.SessionID, r messages.Repetition) *messages.Error {
	return messages.Errorf(op, messages.WrongState, "the session repeats a message already: prompt %d of %d", r.Sent, r.Max).
		With("session_id", string(id)).WithHint("end that first: betcode session cancel " + messages.ShortID(id))
}

// Begin is the repetition of a message when its first prompt is accepted.
func Begin(m messages.SendInput, at time.Time) messages.Repetition {
	r := messages.Repetition{Key: m.Key, Client: m.Client, Max: m.Repeat.Max, Marker: m.Repeat.Marker, Sent: 1, Since: at}
	if r.Max == 0 {
		r.Max = messages.MaxRepeats
	}
	if r.Marker == "" {
		r.Marker = messages.RepeatMarker
	}
	r.Content = m.Content + "\n\nTake action on the directions above until fully complete. If complete, respond only with " + r.Marker + "."
	return r
}

// namespace of the keys of prompts.
var namespace = uuid.MustParse("6f2d9b0a-8c0e-5a54-9d1b-3f5e0c7a1e42")

// Key is the idempotency key of the newest prompt. Agents take UUIDs only, so those after the first are UUIDs of the key of the message
// and "/" and the number of the prompt.
func Key(r messages.Repetition) string {
	if r.Sent <= 1 {
		return r.Key
	}
	return uuid.NewSHA1(namespace, []byte(r.Key+"/"+strconv.FormatUint(uint64(r.Sent), 10))).String()
}

// Step is the repetition after a turn that has answered its newest prompt, and what follows.
func Step(r messages.Repetition, a Answer) (messages.Repetition, Verdict) {
	switch {
	case a.Canceled:
		return messages.Repetition{}, Canceled
	case a.Failed:
		return messages.Repetition{}, Failed
	case marks(r.Marker, a.Text):
		return messages.Repetition{}, Complete
	case r.Sent >= min(r.Max, messages.MaxRepeats):
		return messages.Repetition{}, Exhausted
	}
	r.Sent++
	return r, Again
}

// Iteration returns the number of a prompt of a repetition by its key; 0 if it is none.
func Iteration(r messages.Repetition, key string) uint32 {
	if r.Active() && Key(r) == key {
		return r.Sent
	}
	return 0
}

// Why says why the turn that answered the newest prompt has ended the repetition, for people. failure is the error of the turn.
func Why(r messages.Repetition, v Verdict, failure string) string {
	switch v {
	case Exhausted:
		return fmt.Sprintf("the agent has not answered %s after %d prompts", r.Marker, r.Sent)
	case Failed:
		return cmp.Or(failure, "the turn failed")
	case Canceled:
		return "the turn was cancelled"
	case Again, Complete:
	}
	return ""
}

// marks reports whether a text is the marker and nothing else: a text that contains it may say that something is not done.
func marks(marker, text string) bool {
	text = strings.ToUpper(strings.TrimSpace(text))
	marker = strings.ToUpper(marker)
	return text == marker || text == marker+"." || text == marker+"!"
}
