package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
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
		{"help|run", "run|--help"},
		{"h|session|list", "session|list|--help"},
		{"help|session|nonsense", "session|nonsense"},
		{"help|run|a|prompt", "run|--help"},
		{"help|nonsense", "nonsense"},
		{"nonsense|--help", "nonsense"},
		{"session|nonsense|-h", "session|nonsense"},
		{"session|list|--help", "session|list|--help"},
		{"help", "help"},
	} {
		args := []string{"betcode"}
		if test.given != "" {
			args = append(args, strings.Split(test.given, "|")...)
		}
		if got := strings.Join(arrange(app, args)[1:], "|"); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.given, got, test.want)
		}
	}
}

func TestWriteStatus(t *testing.T) {
	want := `Daemon: SERVING (degraded)
  subprocess_pool: SERVING (3/5 slots used)
  sqlite: SERVING
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

func TestWriteSessions(t *testing.T) {
	list := &pb.ListSessionsResponse{Sessions: exampleSessions("/w")}
	list.Sessions[1].Asks, list.Sessions[1].Undecided = "touch \u202ex", 2
	now := time.Date(2026, 1, 2, 5, 4, 5, 0, time.UTC)
	view := sessionsView(list)
	write := func(look output.Look) string {
		var out bytes.Buffer
		look.Now, look.Layout.Aligned, look.Layout.Header = now, look.Person, look.Person
		table := console.NewTable(look.Layout, view.Columns)
		for i := range list.GetSessions() {
			table.Add(view.Row(i, look)...)
		}
		if err := table.Write(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	program, person := write(output.Look{}), write(output.Look{Person: true})
	if want := sessionA + "\tdemo\tidle\topus\t4\t$0.50\t2026-01-02T03:04:05Z\t/w\tdone and done\t\n" +
		sessionB + "\t\tactive\t\t0\t$0.00\t2026-01-02T03:04:05Z\t/elsewhere\t\ttouch \\u202ex (1 of 2)\n"; program != want {
		t.Errorf("got\n%q\nwant\n%q", program, want)
	}
	if want := `ID        NAME  STATUS  COST   UPDATED  DIRECTORY   LAST           ASKS
3f2a0000  demo  idle    $0.50  2h ago   /w          done and done
7c810000        active  $0.00  2h ago   /elsewhere                 touch \u202ex (1 of 2)
`; person != want {
		t.Errorf("got\n%s\nwant\n%s", person, want)
	}
}

func TestTools(t *testing.T) {
	got := tools([]string{"Read, Bash(git log, x),", "Edit(a)b)", "mcp__x"})
	if want := []string{"Read", "Bash(git log, x)", "Edit(a)b)", "mcp__x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
