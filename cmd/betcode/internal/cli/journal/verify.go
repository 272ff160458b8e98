package journal

import (
	"context"
	"fmt"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/statedir"
	pb "betcode/proto/betcode/v1"

	"github.com/urfave/cli/v2"
)

func (p group) journalVerify(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	directory, err := base.JournalDirectory(c)
	if err != nil {
		return err
	}
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	v := &verification{p: p, options: options}
	if directory != "" {
		plans := ""
		if state := c.String("state-dir"); state != "" {
			plans = statedir.Orchestrations(state)
		}
		if err := offline.Verify(ctx, directory, plans, v.add); err != nil {
			return err
		}
		return v.end()
	}
	err = p.Connected(ctx, c, func(cl *client.Client) error {
		stream, err := cl.Admin.VerifyJournal(ctx, &pb.VerifyJournalRequest{})
		if err != nil {
			return err
		}
		return client.Each(stream, func(m *pb.VerifyJournalResponse) error {
			v.add(m)
			return nil
		})
	})
	if err != nil {
		return err
	}
	return v.end()
}

// verification shows the progress and the result of a verification.
type verification struct {
	p        group
	options  output.Options
	files    []*pb.JournalFileReport
	problems []*pb.JournalProblem
	done     *pb.JournalVerified
}

// add takes one message of a verification.
func (v *verification) add(m *pb.VerifyJournalResponse) {
	switch news := m.GetNews().(type) {
	case *pb.VerifyJournalResponse_File:
		v.read(news.File)
	case *pb.VerifyJournalResponse_Problem:
		v.problems = append(v.problems, news.Problem)
		if !v.options.People() {
			return
		}
		where := news.Problem.GetFile()
		if key := news.Problem.GetKey(); key != "" {
			where += ": " + key
		}
		fmt.Fprintf(v.p.Stdout, "%s %s: %s\n", console.Style(v.p.Terminal.Colour).Red("DAMAGED"), console.Line(where), console.Line(news.Problem.GetMessage()))
	case *pb.VerifyJournalResponse_Done:
		v.done = news.Done
	}
}

// read takes a report about a file. It shows the file when it was read to its end; before that a person sees the progress.
func (v *verification) read(f *pb.JournalFileReport) {
	if n := len(v.files); n > 0 && v.files[n-1].GetName() == f.GetName() {
		v.files[n-1] = f
	} else {
		v.files = append(v.files, f)
	}
	line := fmt.Sprintf("%s  %s, %s, %s", console.Line(f.GetName()), console.Size(f.GetBytes()), console.Count(f.GetKeys(), "value"), console.Count(f.GetEvents(), "event"))
	if f.GetComplete() && f.GetChainedEvents() < f.GetEvents() {
		line += fmt.Sprintf(" (%d without a hash chain)", f.GetEvents()-f.GetChainedEvents())
	}
	switch {
	case !v.options.People():
	case f.GetComplete():
		if v.p.Terminal.Err {
			fmt.Fprint(v.p.Stderr, "\r\x1b[K")
		}
		fmt.Fprintln(v.p.Stdout, line)
	case v.p.Terminal.Err:
		fmt.Fprint(v.p.Stderr, "\r\x1b[K"+line+" …")
	}
}

// end writes the result.
func (v *verification) end() error {
	if v.done == nil {
		return exit.With(exit.Internal, fmt.Errorf("verify journal: the daemon ended before it had read the journal"))
	}
	if !v.options.People() {
		report := map[string]any{
			"ok": v.done.GetOk(), "sessions": v.done.GetSessions(), "problem_count": v.done.GetProblems(),
		}
		files, problems := []any{}, []any{}
		for _, f := range v.files {
			object, err := output.Object(f)
			if err != nil {
				return err
			}
			files = append(files, object)
		}
		for _, f := range v.problems {
			object, err := output.Object(f)
			if err != nil {
				return err
			}
			problems = append(problems, object)
		}
		report["files"], report["problems"] = files, problems
		view := output.View{Schema: "betcode.journal.verify/v2", Value: report, Name: "ok"}
		if err := (output.Printer{Console: v.p.Console, Options: v.options}).Print(view); err != nil {
			return err
		}
	} else if v.done.GetOk() {
		fmt.Fprintf(v.p.Stdout, "%s: %s\n", console.Style(v.p.Terminal.Colour).Green("The journal is sound"), console.Count(v.done.GetSessions(), "session"))
	}
	if v.done.GetOk() {
		return nil
	}
	if !v.options.People() {
		return exit.Silent(exit.Internal)
	}
	return exit.With(exit.Internal, fmt.Errorf("verify journal: %s. Undamaged sessions can be used; restore a backup with "+
		"'betcode journal restore'", console.Count(v.done.GetProblems(), "problem")))
}
