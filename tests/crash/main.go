package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	o := options{out: os.Stdout}
	flag.IntVar(&o.rounds, "rounds", 200, "how many rounds")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seed of the first round; the others count on")
	flag.IntVar(&o.parallel, "parallel", 8, "how many worlds at a time")
	flag.DurationVar(&o.within, "within", 0, "begin no round after so long; 0 = no limit")
	flag.BoolVar(&o.keep, "keep", false, "keep every world's directory, not only those that failed")
	flag.BoolVar(&o.walk, "walk", false, "walk all failpoints, hit by hit, instead of random rounds")
	flag.BoolVar(&o.real, "real", false, "employ the real Claude Code with a scripted model; take few rounds")
	flag.BoolVar(&o.gateways, "gateways", false, "play only rounds with gateways")
	flag.BoolVar(&o.race, "race", false, "build the daemons with the race detector")
	flag.StringVar(&o.only, "only", "", "with -walk: one place at one hit, as in run/step=panic@3")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	t, err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
	}
	if err != nil || t.failed > 0 {
		os.Exit(1)
	}
}
