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
	only := flag.String("run", "", "run the scenarios whose names match this regular expression")
	parallel := flag.Int("parallel", 4, "how many scenarios run at once")
	verbose := flag.Bool("v", false, "print the cases that held, too")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	told, err := run(ctx, options{only: pattern, parallel: *parallel, verbose: *verbose, out: os.Stdout})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if told.open() > 0 || told.cases == 0 {
		os.Exit(1)
	}
}
