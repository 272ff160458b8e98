package inputs

import (
	"slices"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

var list = List{
	{Key: "started", Run: 2, State: messages.InputStarted, Client: "ann"},
	{Key: "written", Run: 2, State: messages.InputWritten, Client: "eve"},
	{Key: "given", Run: 2, Client: "eve"},
	{Key: "former", Run: 1},
	{Key: "new"},
}

func keys(inputs []messages.InputRecord) (all []string) {
	for _, in := range inputs {
		all = append(all, in.Key)
	}
	return all
}

func TestList(t *testing.T) {
	if in, ok := list.Find("given"); !ok || in.Run != 2 || !list.Has("given") {
		t.Errorf("found %+v", in)
	}
	if _, ok := list.Find("gone"); ok || list.Has("gone") {
		t.Error("found a message that is done")
	}
	next := list.Put(messages.InputRecord{Key: "new", Run: 2}).Put(messages.InputRecord{Key: "newer"})
	if in, _ := next.Find("new"); in.Run != 2 || len(next) != len(list)+1 || list[4].Run != 0 {
		t.Errorf("put: %v, before %v", keys(next), list)
	}
	next, ok := next.Remove("written")
	if _, again := next.Remove("written"); !ok || again || len(next) != len(list) || list[1].Key != "written" {
		t.Errorf("removed: %v, before %v", keys(next), keys(list))
	}
}

func TestWhatWaits(t *testing.T) {
	if got := keys(list.Due(2)); !slices.Equal(got, []string{"former", "new"}) {
		t.Errorf("due: %v", got)
	}
	unread := list.Unread()
	if got := keys(unread); !slices.Equal(got, []string{"written", "given", "former", "new"}) || unread[0].State != messages.InputAccepted || unread[0].Run != 0 {
		t.Errorf("unread: %+v", unread)
	}
	if list[1].State != messages.InputWritten {
		t.Error("the list was changed")
	}
	torn := List{{Key: "long", Run: 2, State: messages.InputWriting}}
	for name, test := range map[string]struct {
		list                     List
		given, begun, torn, from bool
		author                   messages.ClientID
	}{
		"a turn runs":            {list, true, true, false, true, "ann"},
		"a message is given":     {list[2:3], true, false, false, true, "eve"},
		"a message waits":        {list[3:], false, false, false, false, ""},
		"a long line is written": {torn, true, false, true, false, ""},
		"the turn of an earlier": {List{{Run: 1, State: messages.InputStarted, Client: "bob"}}, true, false, false, false, "bob"},
		"nothing waits":          {},
	} {
		l := test.list
		if l.Given(2) != test.given || l.Begun(2) != test.begun || l.Torn() != test.torn || l.From("eve") != test.from || l.Author() != test.author {
			t.Errorf("%s: given %v, begun %v, torn %v, from eve %v, author %q", name, l.Given(2), l.Begun(2), l.Torn(), l.From("eve"), l.Author())
		}
	}
}

func TestReported(t *testing.T) {
	for name, test := range map[string]struct {
		before      messages.InputState
		report      claude.Lifecycle
		turn, began bool
		after       messages.InputState
		verdict     Verdict
	}{
		"queued":                            {messages.InputWritten, claude.Queued, false, false, messages.InputQueued, Moves},
		"queued, after it has begun":        {messages.InputStarted, claude.Queued, true, true, messages.InputStarted, Moves},
		"a turn begins with it":             {messages.InputQueued, claude.Started, false, false, messages.InputStarted, Moves},
		"a turn takes it up":                {messages.InputQueued, claude.Started, true, true, messages.InputFolded, Moves},
		"a turn of an earlier agent":        {messages.InputQueued, claude.Started, true, false, messages.InputStarted, Moves},
		"cancelled":                         {messages.InputQueued, claude.Canceled, true, true, messages.InputQueued, Done},
		"completed without having begun":    {messages.InputQueued, claude.Completed, true, true, messages.InputQueued, Known},
		"completed after its turn":          {messages.InputStarted, claude.Completed, false, true, messages.InputStarted, Done},
		"completed while its turn goes on":  {messages.InputFolded, claude.Completed, true, true, messages.InputFolded, Stays},
		"completed at once, without a turn": {messages.InputWritten, claude.Completed, false, false, messages.InputWritten, Known},
	} {
		got, verdict := Reported(messages.InputRecord{Key: "k", State: test.before}, test.report, test.turn, test.began)
		if got.State != test.after || verdict != test.verdict {
			t.Errorf("%s: %v, %d", name, got.State, verdict)
		}
	}
}
