package process

import (
	"testing"

	"betcode/messages"
)

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		exit messages.Exit
		want int
	}{
		{messages.Exit{Known: true}, 0},
		{messages.Exit{Known: true, Code: 7}, 7},
		{messages.Exit{Known: true, Signal: "SIGKILL"}, 137},
		{messages.Exit{Known: true, Signal: "SIGTERM"}, 143},
		{messages.Exit{Known: true, Signal: "signal 64"}, 192},
		{messages.Exit{Known: true, Signal: "unheard of"}, 128},
		{messages.Exit{Code: 3}, 0},
	} {
		if got := Status(c.exit); got != c.want {
			t.Errorf("%+v: %d, want %d", c.exit, got, c.want)
		}
	}
}
