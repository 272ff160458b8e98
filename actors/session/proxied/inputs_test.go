package proxied

import (
	"fmt"
	"slices"
	"testing"

	"betcode/messages"
)

// sent are messages in every state, under the numbers 1 to 5.
var sent = []messages.InputRecord{
	{Key: "started", Number: 1, Run: 1, State: messages.InputStarted},
	{Key: "queued", Number: 2, Run: 1, State: messages.InputQueued},
	{Key: "late", Number: 3, Run: 1, State: messages.InputQueued},
	{Key: "sent", Number: 4, Run: 1, State: messages.InputAccepted},
	{Key: "unsent", Number: 5, State: messages.InputAccepted},
}

func keys(inputs []messages.InputRecord) []string {
	var all []string
	for _, in := range inputs {
		all = append(all, in.Key)
	}
	return all
}

func TestInputs(t *testing.T) {
	var unrepeated []string
	for _, p := range Unrepeated(append(slices.Clone(sent), messages.InputRecord{Key: "folded", Run: 1, State: messages.InputFolded})) {
		unrepeated = append(unrepeated, p.Key)
	}
	if want := []string{"started", "queued", "late", "sent"}; !slices.Equal(unrepeated, want) {
		t.Errorf("unrepeated: %v", unrepeated)
	}
	if got := keys(Acknowledged(sent, 2)); !slices.Equal(got, []string{"queued"}) {
		t.Errorf("acknowledged up to 2: %v", got)
	}
	if got := NewestSent(sent); got != 4 {
		t.Errorf("newest: %d", got)
	}
	for i, want := range []bool{false, false, false, true, false} {
		if got := Doubtful(sent[i], 4); got != want {
			t.Errorf("%s: doubtful %v", sent[i].Key, got)
		}
	}
	if Doubtful(sent[3], 3) {
		t.Error("a message of this connection is doubtful")
	}
}

func TestAnswered(t *testing.T) {
	for name, test := range map[string]struct {
		inputs  []messages.InputRecord
		command bool
		want    []string
	}{
		"those that the agent has":  {sent, true, []string{"started"}},
		"a turn of its own":         {sent[1:], false, nil},
		"a command":                 {sent[1:], true, []string{"queued"}},
		"a command without message": {sent[3:], true, nil},
	} {
		if got := Answered(test.inputs, test.command); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTakenBy(t *testing.T) {
	for name, test := range map[string]struct {
		f             messages.ProxyInputTaken
		byAgent       bool
		lost, changed []string
		state         messages.InputState
	}{
		"by the proxy":        {messages.ProxyInputTaken{Number: 5}, false, nil, []string{"sent"}, messages.InputQueued},
		"by the agent":        {messages.ProxyInputTaken{Number: 3, ByAgent: true}, false, nil, []string{"queued", "late"}, messages.InputStarted},
		"by such a proxy":     {messages.ProxyInputTaken{Number: 2}, true, nil, []string{"queued"}, messages.InputStarted},
		"the agent cannot":    {messages.ProxyInputTaken{Number: 4, Failed: true}, false, []string{"sent"}, nil, 0},
		"nothing of that age": {messages.ProxyInputTaken{}, true, nil, nil, 0},
	} {
		lost, changed := TakenBy(sent, test.f, test.byAgent)
		if !slices.Equal(keys(lost), test.lost) || !slices.Equal(keys(changed), test.changed) {
			t.Errorf("%s: lost %v, changed %v", name, keys(lost), keys(changed))
		}
		for _, in := range changed {
			if in.State != test.state {
				t.Errorf("%s: %s is %v", name, in.Key, in.State)
			}
		}
	}
	if sent[1].State != messages.InputQueued {
		t.Error("the messages themselves were changed")
	}
}

func TestDue(t *testing.T) {
	if got := keys(Due(sent, 0)); !slices.Equal(got, []string{"unsent"}) {
		t.Errorf("due: %v", got)
	}
	if got := keys(Due(sent, 4)); len(got) != 0 {
		t.Errorf("a doubtful message is overtaken by %v", got)
	}
}

func TestAskedOnce(t *testing.T) {
	var p messages.ProxyRecord
	ask := func(id messages.RequestID) (fresh bool) {
		p, fresh = Asked(p, messages.ProxyAsked{Request: id, Tool: "Bash"})
		return fresh
	}
	if !ask("r1") || ask("r1") || !ask("r2") || ask("r1") {
		t.Errorf("%q", p.Asked)
	}
	before := p
	for n := range 2 * maxAsked {
		ask(messages.RequestID(fmt.Sprint("more", n)))
	}
	if len(p.Asked) != maxAsked || len(before.Asked) != 2 || !ask("r1") {
		t.Errorf("%d are known, a copy has %q", len(p.Asked), before.Asked)
	}
}
