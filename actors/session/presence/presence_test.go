package presence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"betcode/actors/session/presence"
	"betcode/messages"
)

var began = time.Unix(1000, 0)

func stream(client messages.ClientID, observer bool) presence.Stream {
	return presence.Stream{Client: client, Type: "cli", Observer: observer, Approves: !observer, Since: began}
}

// Others hear of a client when it comes, when it becomes a writer or an observer, and when its last stream is gone.
func TestChanges(t *testing.T) {
	var p presence.Presence
	show := func(c *presence.Change) string {
		switch {
		case c == nil:
			return "nothing"
		case c.Attached != nil:
			return fmt.Sprintf("+%s observer=%v of %d", c.Attached.Client, c.Attached.Observer, c.Total)
		}
		return fmt.Sprintf("-%s of %d", c.Detached, c.Total)
	}
	detach := func(id string) string {
		_, c, _ := p.Detach(id)
		return show(c)
	}
	for _, step := range []struct{ got, want string }{
		{show(p.Attach("1", stream("ann", true))), "+ann observer=true of 1"},
		{show(p.Attach("2", stream("ann", true))), "nothing"},
		{show(p.Attach("3", stream("ann", false))), "+ann observer=false of 1"},
		{show(p.Attach("4", stream("bob", false))), "+bob observer=false of 2"},
		{detach("3"), "+ann observer=true of 2"},
		{detach("3"), "nothing"},
		{detach("1"), "nothing"},
		{detach("2"), "-ann of 1"},
		{detach("4"), "-bob of 0"},
	} {
		if diff := cmp.Diff(step.want, step.got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// Clients that apply every change to what they were told first know everybody who is attached. A copy stays as it was.
func TestFollowing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p presence.Presence
		known := map[messages.ClientID]messages.ClientPresence{}
		for n := range rapid.IntRange(1, 50).Draw(t, "steps") {
			copied, was := p, p.Everyone()
			var change *presence.Change
			id := fmt.Sprint(rapid.IntRange(0, 7).Draw(t, "stream"))
			if rapid.Bool().Draw(t, "attach") && !p.Has(id) {
				s := stream(messages.ClientID(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "client")), rapid.Bool().Draw(t, "observer"))
				s.Since = began.Add(time.Duration(n) * time.Second)
				change = p.Attach(id, s)
			} else {
				_, change, _ = p.Detach(id)
			}
			if change != nil && change.Attached != nil {
				known[change.Attached.Client] = *change.Attached
			} else if change != nil {
				delete(known, change.Detached)
			}
			now := map[messages.ClientID]messages.ClientPresence{}
			for _, c := range p.Everyone() {
				now[c.Client] = c
				if c.Observer == p.Writes(c.Client) || c.Observer != p.Observes(c.Client) {
					t.Fatalf("%+v writes: %v, observes: %v", c, p.Writes(c.Client), p.Observes(c.Client))
				}
			}
			if diff := cmp.Diff(now, known); diff != "" {
				t.Fatalf("(-attached +known)\n%s", diff)
			}
			if int(p.Clients()) != len(now) {
				t.Fatalf("%d clients, counted %d", len(now), p.Clients())
			}
			if diff := cmp.Diff(was, copied.Everyone()); diff != "" {
				t.Fatalf("a copy changed (-before +after)\n%s", diff)
			}
		}
	})
}
