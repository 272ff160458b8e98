package output

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

func example() View {
	list := &pb.ListSessionsResponse{Total: 2, Sessions: []*pb.SessionSummary{
		{Id: "aaaaaaaa-1", Name: "web", MessageCount: 12, CreatedAt: timestamppb.New(time.Unix(0, 0)), Budget: &pb.SessionBudget{Spent: &pb.Spending{CostMicros: 1 << 40}}},
		{Id: "bbbbbbbb-2", MessageCount: 7, LastMessagePreview: "x\x1b[2J"},
	}}
	return View{
		Schema: "betcode.session.list/v2", Value: list, List: "sessions",
		Columns: []console.Column{{Title: "ID"}, {Title: "NAME", Wide: true}, {Title: "N"}},
		Row: func(i int, l Look) []string {
			s := list.GetSessions()[i]
			return []string{l.ID(s.GetId()), s.GetName(), text(s.GetMessageCount())}
		},
	}
}

// printed parses arguments as a command does, and prints a view.
func printed(t *testing.T, v View, terminal console.Terminal, args ...string) (string, error) {
	t.Helper()
	var out, said bytes.Buffer
	var failed error
	app := &cli.App{Flags: ListFlags(), Writer: &said, ErrWriter: &said, ExitErrHandler: func(*cli.Context, error) {}, Action: func(c *cli.Context) error {
		o, err := Parse(c)
		if err == nil {
			c := console.New(strings.NewReader(""), &out, &said, nil)
			c.Terminal = terminal
			err = Printer{Console: c, Options: o}.Print(v)
		}
		failed = err
		return nil
	}}
	if err := app.Run(append([]string{"test"}, args...)); err != nil {
		return out.String(), err
	}
	return out.String(), failed
}

func TestForms(t *testing.T) {
	for name, test := range map[string]struct {
		args     string
		terminal console.Terminal
		want     string
	}{
		"a pipe":              {"", console.Terminal{}, "aaaaaaaa-1\tweb\t12\nbbbbbbbb-2\t\t7\n"},
		"a terminal":          {"", console.Terminal{Out: true}, "ID        N\naaaaaaaa  12\nbbbbbbbb  7\n"},
		"no headers":          {"--no-headers", console.Terminal{Out: true}, "aaaaaaaa  12\nbbbbbbbb  7\n"},
		"a table in a pipe":   {"-o table", console.Terminal{}, "ID        N\naaaaaaaa  12\nbbbbbbbb  7\n"},
		"wide":                {"-o wide", console.Terminal{}, "ID          NAME  N\naaaaaaaa-1  web   12\nbbbbbbbb-2        7\n"},
		"names":               {"-o name", console.Terminal{}, "aaaaaaaa-1\nbbbbbbbb-2\n"},
		"sorted":              {"-o name --sort message_count", console.Terminal{}, "bbbbbbbb-2\naaaaaaaa-1\n"},
		"sorted down":         {"-o name --sort -message_count", console.Terminal{}, "aaaaaaaa-1\nbbbbbbbb-2\n"},
		"unset sorts first":   {"-o name --sort=-created_at", console.Terminal{}, "aaaaaaaa-1\nbbbbbbbb-2\n"},
		"rows sorted":         {"--sort message_count", console.Terminal{}, "bbbbbbbb-2\t\t7\naaaaaaaa-1\tweb\t12\n"},
		"fields":              {"--json=id,name -o jsonl", console.Terminal{}, "{\"id\":\"aaaaaaaa-1\",\"name\":\"web\"}\n{\"id\":\"bbbbbbbb-2\",\"name\":\"\"}\n"},
		"jq":                  {"--jq .sessions[].message_count", console.Terminal{}, "12\n7\n"},
		"jq of texts":         {"--jq .sessions[0].name", console.Terminal{}, "web\n"},
		"jq of fields":        {"--json=name --jq length", console.Terminal{}, "2\n"},
		"integers":            {"--jq .sessions[0].budget.spent.cost_micros", console.Terminal{}, "1099511627776\n"},
		"a template":          {"-o template={{.id}}={{.name}}", console.Terminal{}, "aaaaaaaa-1=web\nbbbbbbbb-2=\n"},
		"an escape in a pipe": {"-o template={{.last_message_preview}}", console.Terminal{}, "\nx\x1b[2J\n"},
		"an escape on screen": {"-o template={{.last_message_preview}}", console.Terminal{Out: true}, "\nx\\x1b[2J\n"},
		"text is a table":     {"-o text", console.Terminal{}, "aaaaaaaa-1\tweb\t12\nbbbbbbbb-2\t\t7\n"},
		"yaml":                {"--json=name -o yaml", console.Terminal{}, "- name: web\n- name: \"\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := printed(t, example(), test.terminal, strings.Fields(test.args)...)
			if err != nil || got != test.want {
				t.Errorf("%v\ngot  %q\nwant %q", err, got, test.want)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	got, err := printed(t, example(), console.Terminal{}, "--json")
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Schema   string
		Total    int
		Sessions []struct {
			Budget struct {
				Spent struct {
					CostMicros json.Number `json:"cost_micros"`
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(got), &object); err != nil || object.Schema != "betcode.session.list/v2" || object.Total != 2 || object.Sessions[0].Budget.Spent.CostMicros != "1099511627776" {
		t.Errorf("%v: %s", err, got)
	}
	fields, err := printed(t, example(), console.Terminal{}, "--json=")
	if err != nil || !strings.HasPrefix(fields, "id\nmodel\n") {
		t.Errorf("%v: %s", err, fields)
	}
}

// A list without items is a list, in each form.
func TestEmptyLists(t *testing.T) {
	empty := View{Schema: "x/v1", Value: &pb.ListSessionsResponse{}, List: "sessions", Row: func(int, Look) []string { return nil }}
	for args, want := range map[string]string{
		"--json=id": "[]\n", "--jq .sessions": "[]\n", "-o jsonl": "", "-o name": "", "": "", "--jq .schema": "x/v1\n", "--json=id -o yaml": "[]\n",
	} {
		if got, err := printed(t, empty, console.Terminal{}, strings.Fields(args)...); err != nil || got != want {
			t.Errorf("%s: %v, %q", args, err, got)
		}
	}
}

func TestMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"-o png":                "it is table",
		"-o template=":          "needs a text",
		"-o template={{":        "template",
		"--json=colour":         "the fields are id, model",
		"--sort colour":         "the fields are id, model",
		"--jq .[":               "--jq .[",
		"--jq nothing":          "--jq nothing",
		"--json -o wide":        "contradict",
		"--jq . -o yaml":        "contradicts",
		"-o json=x":             "is unknown",
		"-o name --sort=-state": "there is no such field",
	} {
		_, err := printed(t, example(), console.Terminal{}, strings.Fields(args)...)
		if exit.Code(err) != exit.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: exit %d, %v", args, exit.Code(err), err)
		}
	}
	if _, err := printed(t, example(), console.Terminal{}, "--jq", ".total.x"); exit.Code(err) != exit.Failed {
		t.Errorf("an expression that fails: exit %d, %v", exit.Code(err), err)
	}
}

// Elsewhere than on a terminal --watch writes a round only if it differs; Ctrl-C ends it.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		c := console.New(strings.NewReader(""), &out, &out, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second+interval/2)
		defer cancel()
		rounds := 0
		err := Printer{Console: c, Options: Options{Form: Name, Watch: true}}.Run(ctx, func() (View, error) {
			v := example()
			if rounds++; rounds > 3 {
				v.Value = &pb.ListSessionsResponse{}
			}
			return v, nil
		})
		if exit.Code(err) != exit.Interrupted || rounds != 6 || out.String() != "aaaaaaaa-1\nbbbbbbbb-2\n" {
			t.Errorf("%d rounds, %v: %q", rounds, err, &out)
		}
	})
}
