package config

import "testing"

// The path of a URL may be a secret.
func TestPublicURL(t *testing.T) {
	s := Setting{Name: "notify.webhook", Private: true}
	if got := (Value{Setting: &s, Value: "https://example.org/hook/s3cret?x=y"}).Public(); got != "https://example.org/…" {
		t.Error(got)
	}
}

func TestNotify(t *testing.T) {
	for text, want := range map[string][2]int{"": {}, "22:00-07:00": {1320, 420}, "0:30 - 1:00": {30, 60}} {
		if from, to, err := QuietHours(text); from != want[0] || to != want[1] || err != nil {
			t.Errorf("%q: %d, %d, %v", text, from, to, err)
		}
	}
	for _, text := range []string{"22:00", "25:00-07:00", "07:00-07:00", "22-7", "22:00-07:00-08:00"} {
		if _, _, err := QuietHours(text); err == nil {
			t.Errorf("%q is quiet hours", text)
		}
	}
	for _, c := range []struct {
		n    Notify
		want string
	}{
		{Notify{}, ""},
		{Notify{Webhook: "https://example.org/x?y=1", Ntfy: "https://ntfy.example/agents", Quiet: "22:00-07:00"}, ""},
		{Notify{Webhook: "http://127.0.0.1:8080/x", Ntfy: "http://[::1]/t"}, ""},
		{Notify{Webhook: "http://example.org/x"}, "notify.webhook"},
		{Notify{Webhook: "http://127.0.0.1.example.org/x"}, "notify.webhook"},
		{Notify{Webhook: "https://user:secret@example.org/x"}, "notify.webhook"},
		{Notify{Webhook: "file:///etc/passwd"}, "notify.webhook"},
		{Notify{Webhook: "example.org"}, "notify.webhook"},
		{Notify{Ntfy: "https://ntfy.example/"}, "notify.ntfy"},
		{Notify{Ntfy: "ftp://ntfy.example/t"}, "notify.ntfy"},
		{Notify{Quiet: "at night"}, "notify.quiet_hours"},
	} {
		if name, err := c.n.check(); name != c.want || (err == nil) != (name == "") {
			t.Errorf("%+v: %s, %v", c.n, name, err)
		}
	}
}
