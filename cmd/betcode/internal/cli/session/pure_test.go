package session

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func exampleSessions() []*pb.SessionSummary {
	at := timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return []*pb.SessionSummary{
		{Id: "3f2a0000-0000-4000-8000-000000000001", Name: "demo", Status: "idle", Model: "opus", MessageCount: 4, TotalCostUsd: 0.5, UpdatedAt: at, WorkingDirectory: "/w", LastMessagePreview: "done\nand done"},
		{Id: "7c810000-0000-4000-8000-000000000002", Status: "active", UpdatedAt: at, WorkingDirectory: "/elsewhere"},
	}
}

func TestWriteSessions(t *testing.T) {
	list := &pb.ListSessionsResponse{Sessions: exampleSessions()}
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
	if want := "3f2a0000-0000-4000-8000-000000000001" + "\tdemo\tidle\topus\t4\t$0.50\t2026-01-02T03:04:05Z\t/w\tdone and done\t\n" +
		"7c810000-0000-4000-8000-000000000002" + "\t\twaiting\t\t0\t$0.00\t2026-01-02T03:04:05Z\t/elsewhere\t\ttouch \\u202ex (1 of 2)\n"; program != want {
		t.Errorf("got\n%q\nwant\n%q", program, want)
	}
	if want := `ID        NAME  STATE    COST   UPDATED  DIRECTORY   LAST           WHY
3f2a0000  demo  idle     $0.50  2h ago   /w          done and done
7c810000        waiting  $0.00  2h ago   /elsewhere                 touch \u202ex (1 of 2)
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
