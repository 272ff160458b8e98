package proxy

import (
	"encoding/base64"
	"strings"
	"testing"

	"betcode/messages"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"wss://Portal.example":         "wss://portal.example",
		"wss://portal.example/":        "wss://portal.example",
		"https://portal.example/base/": "wss://portal.example/base",
		"ws://127.0.0.1:3000":          "ws://127.0.0.1:3000",
		"http://localhost:3000/":       "ws://localhost:3000",
		"ws://[::1]:3000":              "ws://[::1]:3000",
	} {
		if a, err := ParseAddress(text, false); err != nil || a.String() != want || a.socket() != want+"/ws/session" {
			t.Errorf("%s is %s %s %v", text, a, a.socket(), err)
		}
	}
	for text, kind := range map[string]messages.Kind{
		"": messages.Invalid, "portal.example": messages.Invalid, "ftp://x": messages.Invalid, "wss://": messages.Invalid, "wss:///x": messages.Invalid,
		"wss://user:secret@x": messages.Invalid, "wss://x?token=1": messages.Invalid, "wss://x#y": messages.Invalid, "wss://\x00": messages.Invalid,
		"ws://portal.example": messages.Denied, "http://10.0.0.1": messages.Denied, "ws://127.0.0.1.evil.example": messages.Denied, "ws://localhost.evil.example": messages.Denied,
	} {
		if a, err := ParseAddress(text, false); messages.KindOf(err) != kind || err == nil {
			t.Errorf("%q is %s %v", text, a, err)
		}
	}
	a, err := ParseAddress("ws://10.0.0.1:80/x", true)
	if err != nil || a.page("api/auth/device/code") != "http://10.0.0.1:80/x/api/auth/device/code" {
		t.Error(a.page("api"), err)
	}
}

func TestInit(t *testing.T) {
	t.Parallel()
	value := base64.RawURLEncoding.EncodeToString([]byte(`{"t":"jwt","n":"box"}`))
	for text, backend := range map[string]string{
		"https://portal.example/p/" + value:           "https://portal.example",
		"http://127.0.0.1:3000/base/p/" + value + "=": "http://127.0.0.1:3000/base",
	} {
		if i, err := ParseInit(text); err != nil || i != (Init{backend, "jwt", "box"}) {
			t.Errorf("%s is %+v %v", text, i, err)
		}
	}
	for _, text := range []string{"", "https://x", "https://x/p/", "https://x/p/!", "https://x/p/" + value[:8], "https://x/p/e30", "\x7f://"} {
		if i, err := ParseInit(text); err == nil || strings.Contains(err.Error(), value[:8]) {
			t.Errorf("%q is %+v %v", text, i, err)
		}
	}
}
