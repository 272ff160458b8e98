package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"betcode/tests/attack/siege"
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
	told, err := siege.Run(ctx, scenarios, siege.Options{Only: pattern, Parallel: *parallel, Verbose: *verbose, Out: os.Stdout})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if told.Open() > 0 || told.Cases == 0 {
		os.Exit(1)
	}
}
