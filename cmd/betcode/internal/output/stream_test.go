package output

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// streamed parses arguments as a command does, and prints entries. It returns the messages for a
// person as well.
func streamed(s Stream, terminal console.Terminal, each func(show func(proto.Message) error) error, args ...string) (out, said string, err error) {
	var printed, spoken bytes.Buffer
	app := &cli.App{Commands: []*cli.Command{{Name: "entries", Flags: StreamFlags(), Action: func(c *cli.Context) error {
		o, err := ParseStream(c)
		if err != nil {
			return err
		}
		c2 := console.New(strings.NewReader(""), &printed, &spoken, nil)
		c2.Terminal = terminal
		return Printer{Console: c2, Options: o}.Stream(s, each)
	}}}, Writer: &spoken, ErrWriter: &spoken, ExitErrHandler: func(*cli.Context, error) {}}
	err = app.Run(append([]string{"test", "entries"}, args...))
	return printed.String(), spoken.String(), err
}

var entries = Stream{
	Entry: &pb.AuditEntry{}, Name: "event_id", Columns: []console.Column{{Title: "ID"}, {Title: "WIDE", Wide: true}, {Title: "TYPE"}},
	Row: func(m proto.Message, l Look) []string {
		e := m.(*pb.AuditEntry)
		return []string{text(e.GetId()), "w", l.ID(e.GetEventType())}
	},
}

func each(list ...*pb.AuditEntry) func(show func(proto.Message) error) error {
	return func(show func(proto.Message) error) error {
		for _, e := range list {
			if err := show(e); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestStreamForms(t *testing.T) {
	all := each(&pb.AuditEntry{Id: 1 << 60, EventId: "a", EventType: "one"}, &pb.AuditEntry{Id: 2, EventId: "b", EventType: "x\x1b[2J"})
	for name, test := range map[string]struct {
		args     string
		terminal console.Terminal
		want     string
	}{
		"a pipe":              {"", console.Terminal{}, "1152921504606846976\tw\tone\n2\tw\tx\\x1b[2J\n"},
		"a terminal":          {"", console.Terminal{Out: true}, "ID                   TYPE\n1152921504606846976  one\n2                    x\\x1b[2J\n"},
		"a table in a pipe":   {"-o table --no-headers", console.Terminal{}, "1152921504606846976  one\n2                    x\\x1b[2J\n"},
		"wide":                {"-o wide", console.Terminal{}, "ID                   WIDE  TYPE\n1152921504606846976  w     one\n2                    w     x\\x1b[2J\n"},
		"json":                {"--json", console.Terminal{}, `{"event_id":"a","event_type":"one","id":1152921504606846976}` + "\n" + `{"event_id":"b","event_type":"x\u001b[2J","id":2}` + "\n"},
		"fields":              {"--json=id,tool_name", console.Terminal{}, "{\"id\":1152921504606846976,\"tool_name\":\"\"}\n{\"id\":2,\"tool_name\":\"\"}\n"},
		"jq":                  {"--jq .id", console.Terminal{}, "1152921504606846976\n2\n"},
		"jq of fields":        {"--json=id --jq length", console.Terminal{}, "1\n1\n"},
		"yaml":                {"-o yaml --json=event_id", console.Terminal{}, "---\nevent_id: a\n---\nevent_id: b\n"},
		"names":               {"-o name", console.Terminal{}, "a\nb\n"},
		"an escape in a pipe": {"-o template={{.event_type}}", console.Terminal{}, "one\nx\x1b[2J\n"},
		"an escape on screen": {"-o template={{.event_type}}", console.Terminal{Out: true}, "one\nx\\x1b[2J\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := streamed(entries, test.terminal, all, strings.Fields(test.args)...)
			if err != nil || got != test.want {
				t.Errorf("%v\ngot  %q\nwant %q", err, got, test.want)
			}
		})
	}
}

// A wrong form is found before an entry is asked for.
func TestStreamMistakes(t *testing.T) {
	never := func(func(proto.Message) error) error {
		t.Error("asked for entries")
		return nil
	}
	for args, want := range map[string]string{
		"--sort id":          "--sort contradicts 'output.test entries', which prints entries as they come",
		"--watch":            "--watch contradicts 'output.test entries'",
		"--jq .[":            "--jq .[",
		"--json=nothing":     "the fields are id, event_id",
		"-o template={{":     "--output template",
		"-o png":             "wide, json, jsonl",
		"-o table --json=id": "contradict",
	} {
		if _, _, err := streamed(entries, console.Terminal{}, never, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if got, _, err := streamed(entries, console.Terminal{}, never, "--json="); err != nil || !strings.HasPrefix(got, "id\nevent_id\n") {
		t.Errorf("%v: %s", err, got)
	}
}

// Rows are aligned a screenful at a time, under one header; what came before an error is printed.
func TestStreamIsPrintedAsItComes(t *testing.T) {
	failed := errors.New("the daemon has gone")
	var shown []string
	out, _, err := streamed(entries, console.Terminal{Out: true}, func(show func(proto.Message) error) error {
		for i := range uint64(screenful + 1) {
			if err := show(&pb.AuditEntry{Id: i, EventType: "t"}); err != nil {
				return err
			}
		}
		return failed
	})
	if shown = strings.Split(out, "\n"); !errors.Is(err, failed) || len(shown) != screenful+3 || shown[0] != "ID   TYPE" || shown[screenful+1] != "200  t" {
		t.Errorf("%v: %q", err, shown)
	}
}

func TestEmptyStreams(t *testing.T) {
	for args, want := range map[string][2]string{"": {"", "There is nothing to list.\n"}, "-o table": {"ID  TYPE\n", ""}, "--json": {"", ""}} {
		if out, said, err := streamed(entries, console.Terminal{Out: true}, each(), strings.Fields(args)...); err != nil || out != want[0] || said != want[1] {
			t.Errorf("%q: %v %q %q", args, err, out, said)
		}
	}
}
