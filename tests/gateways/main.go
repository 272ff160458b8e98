package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

func main() {
	only := flag.String("run", "", "play the exchanges whose names, such as portal_g1/page/permission, match this regular expression")
	parallel := flag.Int("parallel", 5, "how many lanes run at once")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	scores, err := run(ctx, options{only: pattern, parallel: *parallel, out: os.Stdout})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(summary(scores))
	if differ(scores) {
		os.Exit(1)
	}
}
