package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	version := flag.String("version", "", "version of the SDK to pin; default: the pinned one")
	page := flag.String("page", "", "page to write the summary of the table to, instead of anything else")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	if *page != "" {
		err = summarize(*page)
	} else {
		err = run(ctx, os.Stdout, os.Stderr, *version)
	}
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "sdk: %v\n", err)
		os.Exit(1)
	}
}

// run updates the table to the names of an SDK, and prints the changes.
func run(ctx context.Context, stdout, progress io.Writer, version string) error {
	path := tableFile()
	known, err := readTable(path)
	if err != nil {
		return err
	}
	pinned := known.integrity
	if version == "" {
		version = known.version
	}
	if version != known.version {
		pinned = ""
	}
	text, integrity, err := ensure(ctx, version, pinned, progress)
	if err != nil {
		return err
	}
	types, err := parse(text)
	if err != nil {
		return err
	}
	found := names(types)
	missing, gone := differences(found, known)
	for _, name := range missing {
		fmt.Fprintln(stdout, "new:", name)
	}
	for _, name := range gone {
		fmt.Fprintln(stdout, "gone:", name)
	}
	t := table{version: version, integrity: integrity, rows: judgedBy(found, known)}
	if err := t.write(path); err != nil {
		return fmt.Errorf("write the table of SDK names: %w", err)
	}
	fmt.Fprintf(stdout, "sdk: version=%s names=%d new=%d gone=%d\n", version, len(found), len(missing), len(gone))
	return nil
}
