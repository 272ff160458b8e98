package recall

import (
	"slices"
	"testing"

	"betcode/actors/internal/claude/transcript"
	"betcode/messages"
)

func TestJudge(t *testing.T) {
	input := func(key string, s messages.InputState) messages.InputRecord {
		return messages.InputRecord{Key: key, Run: 1, State: s}
	}
	started, written := input("k1", messages.InputStarted), input("k2", messages.InputWritten)
	queued, folded := input("k3", messages.InputQueued), input("k4", messages.InputFolded)
	over := transcript.End{Reason: "end_turn"}
	for name, test := range map[string]struct {
		w     Work
		known []string
		end   transcript.End
		later int
		want  Verdict
		again []string
	}{
		"nothing": {},
		"not saved": {
			w: Work{Inputs: []messages.InputRecord{started}, Turn: true}, end: over, // of an older turn
			want: Verdict{Begun: []string{"k1"}, Interrupted: true}, again: []string{"k1"},
		},
		"saved": {
			w: Work{Inputs: []messages.InputRecord{started, written}, Turn: true}, known: []string{"k1"},
			want: Verdict{Done: []string{"k1"}, Turn: true, Interrupted: true}, again: []string{"k2"},
		},
		"over": {
			w: Work{Inputs: []messages.InputRecord{started}, Turn: true}, known: []string{"k1"}, end: over,
			want: Verdict{Done: []string{"k1"}, Turn: true, Interrupted: true, Over: true},
		},
		"begun unseen": {
			w: Work{Inputs: []messages.InputRecord{written}}, known: []string{"k2"},
			want: Verdict{Done: []string{"k2"}, Turn: true, Interrupted: true},
		},
		"begun and ended unseen": {
			w: Work{Inputs: []messages.InputRecord{written}}, known: []string{"k2"}, end: over,
			want: Verdict{Done: []string{"k2"}, Turn: true, Interrupted: true, Over: true},
		},
		"merged": {
			w: Work{Inputs: []messages.InputRecord{input("k0", messages.InputStarted), started}, Turn: true}, known: []string{"k1"},
			want: Verdict{Done: []string{"k0", "k1"}, Turn: true, Interrupted: true},
		},
		"folded, and lost": {
			w: Work{Inputs: []messages.InputRecord{started, folded}, Turn: true}, known: []string{"k1"},
			want: Verdict{Done: []string{"k1"}, Begun: []string{"k4"}, Turn: true, Interrupted: true}, again: []string{"k4"},
		},
		"continued, and over":       {w: Work{Turn: true, InTranscript: true}, end: over, want: Verdict{Turn: true, Interrupted: true, Over: true}},
		"a turn of the agent's own": {w: Work{Turn: true}, end: over, want: Verdict{Turn: true, Interrupted: true}},
		"the conversation went on":  {w: Work{Turn: true}, end: over, later: 1, want: Verdict{Turn: true, Interrupted: true, Over: true}},
		"no turn": {
			w: Work{Inputs: []messages.InputRecord{queued}}, end: over, later: 1, again: []string{"k3"},
		},
		"a compaction": {
			w: Work{Inputs: []messages.InputRecord{started}, Turn: true, Compacting: true}, known: []string{"k1"}, end: over,
			want: Verdict{Done: []string{"k1"}},
		},
	} {
		a := Answer{Known: map[string]bool{}, End: test.end, Lacking: make([]transcript.Prompt, test.later)}
		for _, key := range test.known {
			a.Known[key] = true
		}
		got := Judge(test.w, a)
		var again []string
		for _, in := range got.Undelivered {
			again = append(again, in.Key)
			if in.State != messages.InputAccepted || in.Run != 0 {
				t.Errorf("%s: %+v", name, in)
			}
		}
		if !slices.Equal(got.Done, test.want.Done) || !slices.Equal(got.Begun, test.want.Begun) || !slices.Equal(again, test.again) ||
			got.Turn != test.want.Turn || got.Interrupted != test.want.Interrupted || got.Over != test.want.Over {
			t.Errorf("%s: %+v, again %v", name, got, again)
		}
	}
}

func TestAsk(t *testing.T) {
	accepted, handed := messages.InputRecord{Key: "k1"}, messages.InputRecord{Key: "k2", Run: 1}
	for name, test := range map[string]struct {
		r      messages.SessionRecord
		inputs []messages.InputRecord
		keys   []string
		reads  bool
	}{
		"no conversation":   {messages.SessionRecord{}, []messages.InputRecord{handed}, []string{"k2"}, false},
		"nothing given":     {messages.SessionRecord{AgentSession: "c"}, []messages.InputRecord{accepted}, nil, false},
		"given":             {messages.SessionRecord{AgentSession: "c"}, []messages.InputRecord{accepted, handed}, []string{"k2"}, true},
		"interrupted again": {messages.SessionRecord{AgentSession: "c", InterruptedKeys: []string{"k"}}, nil, nil, true},
		"restored":          {messages.SessionRecord{AgentSession: "c", Restored: true}, nil, nil, true},
	} {
		q, reads := Ask(&test.r, test.inputs)
		if reads != test.reads || !slices.Equal(q.Keys, test.keys) || q.Compare != test.r.Restored {
			t.Errorf("%s: %+v, %v", name, q, reads)
		}
	}
}
