package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
)

func TestArrange(t *testing.T) {
	app := (&program{&base.Program{Console: &console.Console{}}}).app()
	for _, test := range []struct{ given, want string }{
		{"", ""},
		{"tree", "tree"},
		{"run|fix it|--model|opus", "run|--model|opus|fix it"},
		{"run|fix it|--model=opus|now", "run|--model=opus|fix it|now"},
		{"session|list|--socket|/s|--json", "--socket|/s|session|list|--json"},
		{"session|ls|-q|--start", "--start|session|ls|-q"},
		{"run|-|--file|x", "run|--file|x|-"},
		{"run|--|--model|is a word", "run|--|--model|is a word"},
		{"run|-v|--|-x", "run|-v|--|-x"},
		{"run|session|list", "run|session|list"},
		{"run|-c|more", "run|-c|more"},
		{"permission|deny|req|-m|no|please", "permission|deny|-m|no|req|please"},
		{"daemon|run|--nonsense|x", "daemon|run|--nonsense|x"},
		{"run|--model", "run|--model"},
		{"config|set|resume.times|-3", "config|set|--|resume.times|-3"},
		{"config|set|--project|x|-1.5h", "config|set|--project|--|x|-1.5h"},
		{"session|list|--limit|-3", "session|list|--limit|-3"},
		{"help|exit-codes", "exit-codes"},
		{"--socket|/s|help|environment", "--socket|/s|environment"},
		{"help|run", "help of run"},
		{"h|session|list", "help of session|list"},
		{"help|session|nonsense", "session|nonsense"},
		{"help|run|a|prompt", "help of run"},
		{"help|nonsense", "nonsense"},
		{"nonsense|--help", "nonsense"},
		{"session|nonsense|-h", "session|nonsense"},
		{"session|list|--help", "help of session|list"},
		{"help", "help of "},
		{"--help", "help of "},
		{"-h", "help of "},
		{"session|help", "help of session"},
		{"session|help|list", "help of session|list"},
		{"session|h|nonsense", "session|nonsense"},
		{"run|help", "run|help"},
		{"run|--nonsense|--help", "help of run"},
		{"run|--model|--help", "run|--model|--help"},
		{"run|--|--help", "run|--|--help"},
	} {
		args := []string{"betcode"}
		if test.given != "" {
			args = append(args, strings.Split(test.given, "|")...)
		}
		line := arrange(app, args)
		got := "help of " + strings.Join(line.path, "|")
		if !line.help {
			got = strings.Join(line.args[1:], "|")
		}
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.given, got, test.want)
		}
	}
}

func TestWriteStatus(t *testing.T) {
	want := `Daemon: SERVING (degraded)
  subprocess_pool: SERVING (3/5 slots used)
  journal: SERVING
  local_server: SERVING
  tunnel: NOT_SERVING (relay connection failed, retrying)

Degraded: Relay tunnel not connected. Remote access unavailable.
Degraded states: relay_down, agents_frozen
Uptime: 2h 34m
Version: 0.1.0-alpha.1
`
	var got bytes.Buffer
	writeStatus(&got, exampleHealth(), false)
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

func TestWriteTree(t *testing.T) {
	want := `daemon  running
├── journal  running  mailbox=2
└── sessions  running
    └── session/3f2a  backing off  restarts=2  backoff=1.5s  head=7  phase=idle  error: boom\x1b[2J
`
	var got bytes.Buffer
	writeTree(&got, exampleTree(), false, time.Now())
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}
