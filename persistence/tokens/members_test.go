package tokens

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

func TestMembers(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "tokens.json"), &clock{time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	s := open(t, path, c)
	share := func(session, person string, role messages.Role, want messages.Kind) {
		t.Helper()
		err := s.Share(messages.Member{Session: messages.SessionID(session), Person: person, Role: role})
		if err != nil && messages.KindOf(err) != want || err == nil && want != 0 {
			t.Errorf("%s %s %s: %v", session, person, role, err)
		}
	}
	share("a", "ann", messages.RoleViewer, 0)
	share("a", "bob", messages.RoleEditor, 0)
	share("b", "ann", messages.RoleEditor, 0)
	share("b", "a b", messages.RoleEditor, messages.Invalid)
	share("b", "bob", "owner", messages.Invalid)
	m, ended, ok := s.Membership("a", "ann")
	if !ok || m.Role != messages.RoleViewer || !m.Since.Equal(c.at) {
		t.Errorf("%+v %v", m, ok)
	}
	for _, other := range [][2]string{{"a", ""}, {"", "ann"}, {"", ""}, {"b", "bob"}, {"a", "Ann"}} {
		if _, _, ok := s.Membership(messages.SessionID(other[0]), other[1]); ok {
			t.Errorf("%q is a member", other)
		}
	}
	share("a", "ann", messages.RoleViewer, 0)
	if revoked(ended) {
		t.Error("the same role again ends streams")
	}
	share("a", "ann", messages.RoleEditor, 0)
	if !revoked(ended) {
		t.Error("another role leaves streams as they are")
	}
	s = open(t, path, c) // as after a restart
	_, ended, _ = s.Membership("b", "ann")
	if all, err := s.Members("", "ann"); err != nil || len(all) != 2 || all[0].Role != messages.RoleEditor {
		t.Errorf("%+v %v", all, err)
	}
	create(t, s, "phone", messages.MayView, time.Time{})
	if err := s.Unshare("b", "ann"); err != nil || !revoked(ended) {
		t.Error(err)
	}
	if err := s.Unshare("b", "ann"); messages.KindOf(err) != messages.NotFound {
		t.Error(err)
	}
	if err := s.Unshare("a", ""); err != nil {
		t.Error(err)
	}
	if all, err := s.Members("", ""); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
}

// A daemon that knows no limits must not read tokens that have one, nor members.
func TestFormatOfLimits(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "tokens.json"), &clock{time.Now()}
	s := open(t, path, c)
	format := func(want string) {
		t.Helper()
		if content, err := os.ReadFile(path); err != nil || !strings.Contains(string(content), `"format": `+want+",") {
			t.Errorf("%s %v", content, err)
		}
	}
	create(t, s, "phone", messages.MayView, time.Time{})
	format("1")
	secret, _, err := s.Create(messages.Token{Name: "guest", Person: "guest", Shared: true, Rights: messages.MayView | messages.MayControl})
	if err != nil {
		t.Fatal(err)
	}
	format("2")
	if got, _, err := open(t, path, c).Check(secret); err != nil || !got.Shared {
		t.Errorf("%+v %v", got, err)
	}
	for _, r := range []messages.Rights{messages.MayEverything, messages.MayProxy} {
		if _, _, err := s.Create(messages.Token{Name: "x", Shared: true, Rights: r}); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%s: %v", r, err)
		}
	}
}
