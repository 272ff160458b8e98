package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/messages/regular"
)

// logPoll is the polling interval of a followed log.
const logPoll = 200 * time.Millisecond

// logTail is how many bytes of a log are read for its last lines.
const logTail = 64 << 20

func (p *program) daemonLogsCommand() *cli.Command {
	return &cli.Command{
		Name: "logs", Usage: "print the log of the daemon, also if it does not run",
		Description: "It is --log-file, or daemon.log in the state directory. A line is a JSON object; on a terminal it is shown as text.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on with new lines, until Ctrl-C"},
			&cli.UintFlag{Name: "tail", Aliases: []string{"n"}, Usage: "only the last `N` lines; 0 is none", Value: 100},
			&cli.StringFlag{Name: "state-dir", Usage: "the log in this state `DIRECTORY` (BETCODE_STATE_DIR)"},
			&cli.StringFlag{Name: "log-file", Usage: "the log in this `FILE` (BETCODE_LOG_FILE)"},
		},
		Action: base.Simple(p.daemonLogs),
	}
}

func (p *program) daemonLogs(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	cfg, _, err := p.Locate(c)
	if err != nil {
		return err
	}
	path := cmp.Or(cfg.LogFile, filepath.Join(cfg.StateDir, statedir.LogName))
	file, err := regular.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return exit.With(exit.NotFound, fmt.Errorf("read the log of the daemon: there is no %s. A daemon in the foreground logs to standard error", path))
	}
	if err != nil {
		return fmt.Errorf("read the log of the daemon: %w", err)
	}
	defer func() { file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > logTail {
		if _, err := file.Seek(-logTail, io.SeekEnd); err != nil {
			return fmt.Errorf("read the log of the daemon: %w", err)
		}
	}
	show := func(line []byte) error { return p.showLogLine(line) }
	if err := lastLines(file, int(c.Uint("tail")), show); err != nil || !c.Bool("follow") {
		return err
	}
	reader := bufio.NewReader(file)
	var rest []byte
	for {
		line, err := reader.ReadBytes('\n')
		rest = append(rest, line...)
		switch {
		case err == nil:
			if err := show(bytes.TrimSuffix(rest, []byte("\n"))); err != nil {
				return err
			}
			rest = nil
			continue
		case !errors.Is(err, io.EOF):
			return fmt.Errorf("read the log of the daemon: %w", err)
		}
		if next := rotated(file, path); next != nil { // the rest of the old file has been read
			file.Close()
			file, reader, rest = next, bufio.NewReader(next), nil
			continue
		}
		select {
		case <-ctx.Done():
			return exit.Silent(exit.Interrupted)
		case <-time.After(logPoll):
		}
	}
}

// rotated opens the log again if another file has its name; nil if it is the same.
func rotated(file *os.File, path string) *os.File {
	now, err := os.Stat(path)
	if err != nil {
		return nil // between two steps of a rotation
	}
	if old, err := file.Stat(); err != nil || os.SameFile(old, now) {
		return nil
	}
	next, err := regular.Open(path)
	if err != nil {
		return nil
	}
	return next
}

// lastLines shows the last lines of a log, and leaves the file at its end. It keeps no more than these lines in memory.
func lastLines(r io.Reader, most int, show func([]byte) error) error {
	var kept [][]byte
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 && most > 0 {
			if kept = append(kept, line); len(kept) > most {
				kept = kept[1:]
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the log of the daemon: %w", err)
		}
	}
	for _, line := range kept {
		if err := show(line); err != nil {
			return err
		}
	}
	return nil
}

// showLogLine prints a line: unchanged for a program, as text for a person.
func (p *program) showLogLine(line []byte) error {
	text := string(line)
	if p.Terminal.Out {
		text = logText(line, console.Style(p.Terminal.Colour))
	}
	_, err := fmt.Fprintln(p.Stdout, text)
	return err
}

// logText returns a line of the log as text: time, level, message and the other fields. A line that is no JSON stays.
func logText(line []byte, s console.Style) string {
	var fields map[string]any
	if err := json.Unmarshal(line, &fields); err != nil {
		return console.Text(string(line))
	}
	take := func(name string) string {
		value := fields[name]
		delete(fields, name)
		if value == nil {
			return ""
		}
		return console.Line(fmt.Sprint(value))
	}
	at, level := take("timestamp"), take("level")
	if parsed, err := time.Parse(time.RFC3339, at); err == nil {
		at = parsed.Local().Format("15:04:05.000")
	}
	switch level {
	case "warn":
		level = s.Yellow("warn ")
	case "error", "fatal", "panic":
		level = s.Red(level)
	default:
		level = fmt.Sprintf("%-5s", level)
	}
	words := []string{s.Dim(at), level, s.Bold(take("message"))}
	delete(fields, "target")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		words = append(words, s.Dim(console.Line(fmt.Sprintf("%s=%v", name, fields[name]))))
	}
	return strings.Join(words, "  ")
}
