package tokens

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t *testing.T, path string, c *clock) *Store {
	t.Helper()
	s, err := Open(path, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func create(t *testing.T, s *Store, name string, r messages.Rights, expires time.Time) string {
	t.Helper()
	secret, made, err := s.Create(messages.Token{Name: name, Rights: r, ExpiresAt: expires})
	if err != nil || made.Name != name || made.Rights != r {
		t.Fatalf("%+v, %v", made, err)
	}
	return secret
}

func refused(t *testing.T, s *Store, secret string) {
	t.Helper()
	if got, _, err := s.Check(secret); messages.KindOf(err) != messages.Unauthenticated || err == nil {
		t.Errorf("%q is %+v, %v", secret, got, err)
	}
}

func revoked(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func TestTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	c := &clock{time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	s := open(t, path, c)
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file without a token")
	}
	phone := create(t, s, "phone", messages.MayView|messages.MayApprove, time.Time{})
	guest := create(t, s, "guest", messages.MayView, c.at.Add(time.Hour))
	if phone == guest || len(phone) < 43 || !strings.HasPrefix(phone, Prefix) {
		t.Errorf("%q, %q", phone, guest)
	}
	content, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(content), phone) || strings.Contains(string(content), phone[len(Prefix):]) {
		t.Errorf("the file has the secret: %s, %v", content, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, wrong := range []string{"", Prefix, phone[1:], phone + "A", strings.ToUpper(phone), guest[:len(guest)-1]} {
		refused(t, s, wrong)
	}
	got, done, err := s.Check(phone)
	if err != nil || got.Name != "phone" || !got.Rights.Has(messages.MayApprove) || got.Rights.Has(messages.MayControl) || revoked(done) {
		t.Errorf("%+v, %v", got, err)
	}
	c.at = c.at.Add(time.Hour)
	refused(t, s, guest)
	if err := s.Close(); err != nil {
		t.Error(err)
	}

	s = open(t, path, c)
	list, err := s.List()
	if err != nil || len(list) != 2 || list[0].Name != "guest" || list[1].LastUsed.IsZero() || !list[0].LastUsed.IsZero() {
		t.Errorf("%+v, %v", list, err)
	}
	_, done, _ = s.Check(phone)
	if err := s.Revoke("phone"); err != nil || !revoked(done) {
		t.Errorf("revoked: %v, %v", revoked(done), err)
	}
	refused(t, s, phone)
	refused(t, open(t, path, c), phone)
	if err := s.Revoke("phone"); messages.KindOf(err) != messages.NotFound {
		t.Error(err)
	}
}

func TestWhatIsNoToken(t *testing.T) {
	c := &clock{time.Now()}
	s := open(t, filepath.Join(t.TempDir(), "tokens.json"), c)
	create(t, s, "a", messages.MayView, time.Time{})
	for _, wrong := range []struct {
		name    string
		rights  messages.Rights
		expires time.Time
		want    messages.Kind
	}{
		{"a", messages.MayView, time.Time{}, messages.AlreadyExists},
		{"", messages.MayView, time.Time{}, messages.Invalid},
		{"a b", messages.MayView, time.Time{}, messages.Invalid},
		{"../a", messages.MayView, time.Time{}, messages.Invalid},
		{strings.Repeat("a", 65), messages.MayView, time.Time{}, messages.Invalid},
		{"b", 0, time.Time{}, messages.Invalid},
		{"b", messages.MayApprove, time.Time{}, messages.Invalid},
		{"b", 1 << 7, time.Time{}, messages.Invalid},
		{"b", messages.MayView, c.at.Add(-time.Hour), messages.Invalid},
	} {
		if secret, _, err := s.Create(messages.Token{Name: wrong.name, Rights: wrong.rights, ExpiresAt: wrong.expires}); messages.KindOf(err) != wrong.want || secret != "" || err == nil {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// A file that other users may touch, or that cannot be parsed, lets no caller in; one that was
// removed or repaired is effective at once.
func TestFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	c := &clock{time.Now()}
	s := open(t, path, c)
	secret := create(t, s, "phone", messages.MayEverything, time.Time{})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, done, err := s.Check(secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o640, 0o602, 0o604} {
		os.Chmod(path, mode)
		refused(t, s, secret)
		if _, err := Open(path, c.now); err == nil {
			t.Errorf("opened with %v", mode)
		}
	}
	if !revoked(done) {
		t.Error("streams go on")
	}
	os.Chmod(path, 0o600)
	if _, _, err := s.Check(secret); err != nil {
		t.Error(err)
	}
	for _, damage := range []string{"", "{", `{"format":3}`, `{"format":1,"tokens":[{"name":"x","sha256":"00","scopes":["view"]}]}`, string(whole[:len(whole)/2])} {
		os.WriteFile(path, []byte(damage), 0o600)
		refused(t, s, secret)
		if _, _, err := s.Create(messages.Token{Name: "other", Rights: messages.MayView}); err == nil {
			t.Errorf("%q was written over", damage)
		}
	}
	os.WriteFile(path, whole, 0o600)
	if _, done, err = s.Check(secret); err != nil {
		t.Error(err)
	}
	os.Remove(path)
	refused(t, s, secret)
	if !revoked(done) {
		t.Error("streams go on without the file")
	}
}
