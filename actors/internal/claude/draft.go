package claude

import (
	"bytes"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	betcodev1 "betcode/proto/betcode/v1"
)

func (t *translation) add(i Item) { t.items = append(t.items, i) }

// draft adds an event of the thread that the line belongs to.
func (t *translation) draft(e *betcodev1.AgentEvent) { t.draftFor(t.l.Parent, e) }

func (t *translation) draftFor(parent string, e *betcodev1.AgentEvent) {
	if e.Timestamp == nil {
		e.Timestamp = new(timestamppb.Timestamp)
	}
	e.Timestamp.Seconds, e.Timestamp.Nanos = t.at.Unix(), int32(t.at.Nanosecond())
	e.ParentToolUseId = short(parent)
	t.items = append(t.items, Draft{Event: e})
}

func (t *translation) hint(status betcodev1.AgentStatus) {
	if t.main() {
		t.add(StatusHint{Status: status})
	}
}

// main reports whether the line belongs to the main thread.
func (t *translation) main() bool { return t.l.Parent == "" }

// notice drafts a Notice; details are pairs of key and value, empty ones are
// left out.
func (t *translation) notice(code, message string, details ...string) {
	n := &betcodev1.Notice{Code: code, Message: cut(message, maxNotice)}
	for i := 0; i+1 < len(details); i += 2 {
		if details[i+1] == "" {
			continue
		}
		if n.Details == nil {
			n.Details = map[string]string{}
		}
		n.Details[details[i]] = short(details[i+1])
	}
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_Notice{Notice: n}})
}

// keepRaw drafts the line as it is, once.
func (t *translation) keepRaw(reason string) {
	if t.kept {
		return
	}
	t.kept = true
	t.s.d.Counters.Raw++
	if len(t.raw) > maxRaw {
		t.s.d.Counters.Truncated++
	}
	t.draft(&betcodev1.AgentEvent{Event: &betcodev1.AgentEvent_Raw{Raw: &betcodev1.RawLine{
		Type:    short(t.l.Type),
		Subtype: short(t.l.Subtype),
		Line:    bytes.Clone(t.raw[:min(len(t.raw), maxRaw)]),
		Reason:  reason,
	}}})
}

// timestamp returns the time in the line, or the time at which the line was read.
func (t *translation) timestamp() time.Time {
	if t.l.Timestamp != "" {
		if given, err := time.Parse(time.RFC3339, strings.TrimSpace(t.l.Timestamp)); err == nil {
			return given
		}
	}
	return t.at
}
