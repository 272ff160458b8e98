package run

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// runStep is one message to a run and the effects that it causes, as [showRun] writes
// them.
type runStep struct {
	in   any
	want string
}

func showRun(effects []act.Effect) string {
	var words []string
	for _, e := range effects {
		switch e := e.(type) {
		case readSpool:
			words = append(words, "read")
		case readTail:
			words = append(words, "tail")
		case writeLine:
			words = append(words, "write "+showWriting(e.what))
		case signalIt:
			words = append(words, e.signal.String())
		case measureSpool:
			words = append(words, "measure")
		case freeze:
			words = append(words, "freeze")
		case thaw:
			words = append(words, "thaw")
		case killTree:
			words = append(words, "kill")
		case closeAgent:
			words = append(words, "close")
		case act.After:
			words = append(words, fmt.Sprintf("in %s %+v", e.Delay, e.Message))
		case toSession:
			words = append(words, showTold(e.message))
		}
	}
	return strings.Join(words, ", ")
}

func showWriting(w writing) string {
	word := w.key + string(w.request)
	if word == "" {
		_, rest, _ := strings.Cut(string(w.line), `"subtype":"`)
		word, _, _ = strings.Cut(rest, `"`)
	}
	if w.long {
		word += " in pieces"
	}
	return word
}

func showTold(message any) string {
	switch m := message.(type) {
	case messages.ProcessStarted:
		return fmt.Sprintf("started(adopted %v)", m.Adopted)
	case Output:
		return fmt.Sprintf("output %d-%d%s", m.From, m.To, showItems(m.Items))
	case messages.RunEnded:
		return fmt.Sprintf("ended(%s)", showExit(m.Exit))
	case messages.InputWrittenTo:
		return "written " + m.Key
	case messages.AnswerWritten:
		return "answered " + string(m.Request)
	case StdinClosed:
		return "stdin closed"
	case OutputUnreadable:
		return fmt.Sprintf("unreadable(%v)", m.Err)
	case Outruns:
		return "outruns(" + m.Step + ")"
	case Frozen:
		return fmt.Sprintf("frozen(%s)", m.Why)
	case InputTooLong:
		return "too long " + m.Key
	}
	return fmt.Sprintf("%T", message)
}

func showExit(e messages.Exit) string {
	if !e.Known {
		return "unknown: " + e.Reason
	}
	return fmt.Sprint(e.Code)
}

// showItems writes the items that the tests of the run check.
func showItems(items []claude.Item) string {
	var words string
	for _, item := range items {
		switch m := item.(type) {
		case claude.InputState:
			words += fmt.Sprintf(" %s %s", m.Key, m.State)
		case claude.Draft:
			if raw := m.Event.GetRaw(); raw != nil {
				words += fmt.Sprintf(" raw(%s)", raw.Line)
			}
			if call := m.Event.GetToolCallResult(); call != nil {
				words += " cut-off call"
			}
		}
	}
	return words
}

// says is a line in which the agent reports the state of a message.
func says(key, state string) string {
	return fmt.Sprintf(`{"type":"command_lifecycle","command_uuid":%q,"state":%q}`, key, state)
}

// lines is the result of a read: these lines, from an offset on.
func lines(from int64, texts ...string) linesRead {
	b := spool.Batch{From: from, To: from}
	for _, text := range texts {
		b.To += int64(len(text)) + 1
		b.Lines = append(b.Lines, spool.Line{Bytes: []byte(text), Size: int64(len(text)), End: b.To})
	}
	return linesRead{batch: b}
}

// more is a read that did not reach the end of the spool.
func more(r linesRead) linesRead {
	r.batch.More = true
	return r
}

// torn is the rest behind the last newline.
func torn(from int64, text string) tailRead {
	if text == "" {
		return tailRead{batch: spool.Batch{From: from, To: from}}
	}
	read := tailRead{batch: lines(from, text).batch}
	read.batch.To--
	return read
}

func exited(code int) agentExited { return agentExited{messages.Exit{Known: true, Code: code}} }

func runWith(credits int) state {
	return state{record: messages.RunRecord{Run: 3}, credits: credits}
}

func walkRun(t *testing.T, s state, steps []runStep) state {
	t.Helper()
	for i, step := range steps {
		var effects []act.Effect
		s, effects = s.step(dawn.Add(time.Duration(i)*time.Second), step.in)
		if got := showRun(effects); got != step.want {
			t.Fatalf("step %d, %T:\ngot  %q\nwant %q", i+1, step.in, got, step.want)
		}
	}
	return s
}

var credit = messages.Credit{Run: 3, Batches: 1}
