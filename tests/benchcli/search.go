package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	pb "betcode/proto/betcode/v1"
)

// searchLimit is how long a search over a million events may take.
const searchLimit = 300 * time.Millisecond

// searches are searches for words that hardly any part of the history has, that some have, and that most have.
func searches() []figure {
	common, next, rare := wordOf(0), wordOf(1), wordOf(90_000)
	var all []figure
	for _, args := range [][]string{
		{rare}, {wordOf(300)}, {common}, {common, next}, {`"` + common + " " + next + `"`}, {"ba*"}, {"read*", next}, {"--sort", "time", common}, {"--tool", "Bash", common}, {"--kind", "user", common, "-" + next},
	} {
		args = append([]string{"search", "--limit", "20"}, withDash(args)...)
		all = append(all, figure{strings.Join(args, " "), searchLimit, func(ctx context.Context, b *bench, _ int) (sample, error) {
			return b.betcode(ctx, args...)
		}})
	}
	return all
}

// withDash puts words behind "--", so that one that is excluded is no flag.
func withDash(args []string) []string {
	for i, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && arg[1] != '-' {
			words := append([]string{"--"}, args[i-1:]...)
			return append(args[:i-1:i-1], words...)
		}
	}
	return args
}

// awaitIndex waits until the search index has all history, and prints how long that took and how large it is.
func (b *bench) awaitIndex(ctx context.Context) error {
	began := time.Now()
	if err := b.daemon.Indexed(ctx); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(b.world.StateDir(), "search", "index.db"))
	if err != nil {
		return err
	}
	found, err := b.daemon.Search().Search(ctx, &pb.SearchRequest{Query: wordOf(0), PageSize: 1})
	if err != nil {
		return err
	}
	fmt.Printf("search index: %d hits for the most frequent word, %d MB, built in %s\n", found.GetTotal(), info.Size()>>20, time.Since(began).Round(time.Second))
	return nil
}
