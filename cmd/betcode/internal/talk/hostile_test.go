package talk

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/eventtest"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// Nothing that others write touches the terminal in a conversation line by line: events of every kind, requests, and failures.
func TestHostileTexts(t *testing.T) {
	for name, text := range eventtest.Hostile() {
		var screen strings.Builder
		c := newChat(&screen, console.Terminal{In: true, Out: true}, 0, true, false)
		see := func(place string) {
			t.Helper()
			if i := strings.IndexFunc(screen.String(), func(r rune) bool { return visible.Hidden(r) && r != '\n' && r != '\t' }); i >= 0 {
				t.Errorf("%s, %s: %q", name, place, screen.String())
			}
			screen.Reset()
		}
		for i, e := range eventtest.HostileEvents(text) {
			id := fmt.Sprint(i, text)
			if r := e.GetPermissionRequest(); r != nil {
				r.RequestId = id
			}
			if q := e.GetUserQuestion(); q != nil {
				q.QuestionId = id
			}
			c.event(e)
			see(fmt.Sprintf("%T", e.GetEvent()))
			for _, line := range []string{text, "r" + text, "e " + text, "/deny"} {
				c.typed(line)
			}
			see(fmt.Sprintf("answers to %T", e.GetEvent()))
		}
		c.lockAnswered(nil, errors.New(text))
		c.lockAnswered(&pb.InputLockResponse{PreviousHolder: text}, nil)
		see("the lock")
	}
}
