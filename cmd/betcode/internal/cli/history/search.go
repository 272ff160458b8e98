package history

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/reflect/protoreflect"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/session"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

// group has the commands of this package.
type group struct{ *base.Program }

const (
	defaultHits = 20
	pageHits    = 500 // of one call
)

// The values of --sort that the daemon sorts by.
const (
	sortRelevance = "relevance"
	sortTime      = "time"
)

// SearchCommand returns the command that searches the history of all sessions.
func SearchCommand(program *base.Program) *cli.Command {
	p := group{program}
	return &cli.Command{
		Name: "search", Usage: "find what was said, called and returned in all sessions", ArgsUsage: "[WORDS...]",
		Description: "All words must occur. '\"a few words\"' are next to each other, read* begins so, -word must not occur:\n" +
			"put words that begin with a dash behind -- or into quotes. Case makes no difference, and readFile is also found\n" +
			"by read_file, read, file and readfile. The exit code is 1 if nothing is found.\n\n" +
			"   betcode search 'connection refused' --since 2d\n" +
			"   betcode search --tool Edit --file src/parser.go\n\n" +
			"'betcode attach ID --from N' shows what followed.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "session", Aliases: []string{"r"}, Usage: "only in `SESSION`; may be given several times"},
			&cli.StringFlag{Name: "dir", Aliases: []string{"cwd", "C"}, Usage: "only in sessions of `DIRECTORY` or below it"},
			&cli.StringFlag{Name: "name", Usage: "only in sessions with `TEXT` in their name"},
			&cli.StringSliceFlag{Name: "state", Aliases: []string{"status"}, Usage: "only in sessions in `STATE`, as 'ps' shows it"},
			&cli.StringSliceFlag{Name: "kind", Aliases: []string{"k"}, Usage: "only `KIND`: " + strings.Join(kindNames(), ", ")},
			&cli.StringSliceFlag{Name: "tool", Aliases: []string{"t"}, Usage: "only calls of `TOOL` and their results"},
			&cli.StringFlag{Name: "file", Usage: "only calls that name the file `PATH`, or one below it; a name without a slash is found everywhere"},
			&cli.StringFlag{Name: "since", Usage: "only since `TIME`: how long ago (36h, 2d) or a date"},
			&cli.StringFlag{Name: "until", Usage: "only before `TIME`"},
			&cli.Float64Flag{Name: "cost-min", Usage: "only in sessions that have cost at least `USD`"},
			&cli.UintFlag{Name: "limit", Aliases: []string{"n"}, Value: defaultHits, Usage: "at most `N` hits; 0 is all"},
		}, searchForms()...),
		Action: p.WithClient(0, -1, p.search),
	}
}

// searchForms returns the flags of a list; --sort can be relevance and time as well.
func searchForms() []cli.Flag {
	flags := output.ListFlags()
	for i, f := range flags {
		if f.Names()[0] == "sort" {
			flags[i] = &cli.StringFlag{Name: "sort", Value: sortRelevance, Usage: "by `ORDER`: relevance, time, or a field of the JSON form; -FIELD is descending"}
		}
	}
	return flags
}

func (p group) search(ctx context.Context, c *cli.Context, cl *client.Client) error {
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	request, err := p.request(ctx, c, cl)
	if err != nil {
		return err
	}
	if options.Sort, err = localOrder(options.Sort); err != nil {
		return err
	}
	plain := options.Sort == "" && options.Form == output.Auto && p.Terminal.Out
	return output.Printer{Console: p.Console, Options: options}.Run(ctx, func() (output.View, error) {
		found, err := fetch(ctx, cl, request, c.Uint("limit"))
		if err != nil {
			return output.View{}, err
		}
		return searchView(found, plain), nil
	})
}

// localOrder returns the field by which hits are sorted here; empty if the daemon sorts them.
func localOrder(by string) (string, error) {
	if by == sortTime || by == sortRelevance {
		return "", nil
	}
	if fields := (&pb.SearchHit{}).ProtoReflect().Descriptor().Fields(); fields.ByName(protoreflect.Name(strings.TrimPrefix(by, "-"))) == nil {
		return "", exit.Usage(fmt.Errorf("--sort %q: it is relevance, time, or a field that 'betcode search --json=' lists", by))
	}
	return by, nil
}

// request reads the flags.
func (p group) request(ctx context.Context, c *cli.Context, cl *client.Client) (*pb.SearchRequest, error) {
	r := &pb.SearchRequest{
		Query: strings.Join(c.Args().Slice(), " "), Name: c.String("name"), MinCostUsd: c.Float64("cost-min"), Tools: base.Names(c, "tool"), Order: pb.SearchOrder_SEARCH_ORDER_RELEVANCE,
	}
	if c.String("sort") == sortTime {
		r.Order = pb.SearchOrder_SEARCH_ORDER_TIME
	}
	now := time.Now()
	var err error
	if r.Since, err = base.Time("--since", c.String("since"), now); err != nil {
		return nil, exit.Usage(err)
	}
	if r.Until, err = base.Time("--until", c.String("until"), now); err != nil {
		return nil, exit.Usage(err)
	}
	if r.MinCostUsd < 0 {
		return nil, exit.Usage(errors.New("--cost-min is an amount of US dollars"))
	}
	for _, name := range base.Names(c, "kind") {
		at := slices.Index(kindNames(), strings.ToLower(name))
		if at < 0 {
			return nil, exit.Usage(fmt.Errorf("--kind %q: there is no such kind; it is one of %s", name, strings.Join(kindNames(), ", ")))
		}
		r.Kinds = append(r.Kinds, pb.SearchKind(at+1)) //nolint:gosec // there are few
	}
	if c.IsSet("dir") {
		if r.Directory, err = session.WorkingDirectory(c.String("dir")); err != nil {
			return nil, err
		}
	}
	if r.File = c.String("file"); strings.ContainsRune(r.File, '/') || strings.ContainsRune(r.File, filepath.Separator) {
		if r.File, err = filepath.Abs(r.File); err != nil {
			return nil, exit.Usage(err)
		}
	}
	r.SessionIds, err = sessions(ctx, c, cl)
	return r, err
}

// noSession is an id that matches no session: an empty list would select all.
const noSession = "00000000-0000-0000-0000-000000000000"

// sessions returns the sessions that --session and --state select; none is all.
func sessions(ctx context.Context, c *cli.Context, cl *client.Client) ([]string, error) {
	var ids []string
	for _, reference := range c.StringSlice("session") {
		id, err := base.Resolve(ctx, cl, reference)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	states := base.Names(c, "state")
	if len(states) == 0 {
		return ids, nil
	}
	for _, name := range states {
		if !sessionstate.Known(name) {
			return nil, exit.Usage(fmt.Errorf("--state %q: there is no such state; it is one of %s", name, sessionstate.List()))
		}
	}
	all, err := session.Every(ctx, cl)
	if err != nil {
		return nil, err
	}
	chosen := []string{noSession}
	for _, s := range all {
		if slices.Contains(states, string(sessionstate.Of(s).Name)) && (len(ids) == 0 || slices.Contains(ids, s.GetId())) {
			chosen = append(chosen, s.GetId())
		}
	}
	return chosen, nil
}

// fetch returns so many hits, 0 is all, as one page.
func fetch(ctx context.Context, cl *client.Client, request *pb.SearchRequest, limit uint) (*pb.SearchResponse, error) {
	var all *pb.SearchResponse
	for {
		request.PageSize = pageHits
		if limit > 0 {
			have := uint(0)
			if all != nil {
				have = uint(len(all.GetHits()))
			}
			request.PageSize = uint32(min(limit-have, pageHits)) //nolint:gosec // bounded
		}
		page, err := cl.Search.Search(ctx, request)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = page
		} else {
			all.Hits, all.NextPageToken = append(all.Hits, page.GetHits()...), page.GetNextPageToken()
		}
		if request.PageToken = page.GetNextPageToken(); request.PageToken == "" || limit > 0 && uint(len(all.GetHits())) >= limit {
			request.PageToken = ""
			return all, nil
		}
	}
}

// kindNames are the kinds of parts of a history, by their values of the API from 1.
func kindNames() []string {
	var names []string
	for value := int32(1); ; value++ {
		name, known := pb.SearchKind_name[value]
		if !known {
			return names
		}
		names = append(names, strings.ToLower(strings.TrimPrefix(name, "SEARCH_KIND_")))
	}
}
