package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"betcode/messages/claudecode"
)

func main() {
	versions := flag.String("versions", strings.Join(claudecode.Supported(), " "), "versions to play, separated by spaces")
	only := flag.String("run", "", "play the scenarios whose names match this regular expression")
	parallel := flag.Int("parallel", 3, "how many scenarios run at once")
	limit := flag.Duration("patience", patience, "time for one scenario")
	page := flag.String("page", "", "file to write the matrix to")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	o := options{versions: strings.Fields(*versions), only: pattern, parallel: *parallel, patience: *limit, out: os.Stdout}
	told, err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	complete := *only == "" && slices.Equal(o.versions, claudecode.Supported())
	if *page != "" && complete {
		if err := os.WriteFile(*page, []byte(told.page()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fmt.Println(told.summary())
	if told.count(failed) > 0 {
		os.Exit(1)
	}
}
