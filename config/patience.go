package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DefaultReminders are when people are reminded of a request that waits.
var DefaultReminders = []time.Duration{time.Hour, 24 * time.Hour}

// A journal remembers two reminders per request; none is worth less than a minute.
const (
	maxReminders = 2
	minReminder  = time.Minute
)

// resolvePatience decides what happens while a permission request waits.
func (d *Daemon) resolvePatience(f DaemonFlags, e Environment) error {
	extend := e.first(f.PermissionExtend, "BETCODE_PERMISSION_EXTEND", "true")
	var err error
	if d.ExtendOnActivity, err = strconv.ParseBool(extend); err != nil {
		return fmt.Errorf("set permission extension: %q is neither true nor false", extend)
	}
	if d.Reminders, err = reminders(e.first(f.PermissionReminders, "BETCODE_PERMISSION_REMINDERS", "")); err != nil {
		return err
	}
	if exec := e.first(f.NotifyExec, "BETCODE_NOTIFY_EXEC", ""); exec != "" {
		if d.NotifyExec, err = command(exec); err != nil {
			return fmt.Errorf("set notification program: %w", err)
		}
	}
	return nil
}

// reminders reads "1h,24h"; "off" is none.
func reminders(s string) ([]time.Duration, error) {
	switch s {
	case "":
		return slices.Clone(DefaultReminders), nil
	case "off":
		return []time.Duration{}, nil
	}
	var all []time.Duration
	for part := range strings.SplitSeq(s, ",") {
		after, err := parseDuration(strings.TrimSpace(part))
		if err != nil || after < minReminder || after > maxPermissionTTL {
			return nil, fmt.Errorf("set permission reminders: %q is no time from 1m to 30d; write for example 1h,24h, or off", part)
		}
		all = append(all, after)
	}
	if len(all) > maxReminders || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) < len(all) {
		return nil, fmt.Errorf("set permission reminders: %q is not one time, or two with the earlier one first", s)
	}
	return all, nil
}

// command reads a program with its arguments: a JSON list, or a program alone.
// There is no shell and no splitting at spaces, so nothing is to be quoted.
func command(s string) ([]string, error) {
	if !strings.HasPrefix(strings.TrimSpace(s), "[") {
		return []string{s}, nil
	}
	var argv []string
	if err := json.Unmarshal([]byte(s), &argv); err != nil || len(argv) == 0 || argv[0] == "" {
		return nil, fmt.Errorf(`%q is no list of texts; write for example ["notify-send","betcode"]`, s)
	}
	return argv, nil
}

// ReadNotify reads the program for notifications in settings.json in dir:
// {"notify":{"exec":["notify-send","betcode"]}}. No file, or no such member, means
// none.
func ReadNotify(dir string) ([]string, error) { return readSettings(dir, parseNotify) }

func parseNotify(raw []byte) (argv []string, at int64, err error) {
	w, at, err := walk(raw)
	if err != nil {
		return nil, at, err
	}
	w.object("the settings", func(key string) {
		if key != "notify" {
			w.skip()
			return
		}
		w.object(`"notify"`, func(key string) {
			if key != "exec" {
				w.skip()
				return
			}
			argv = w.argv()
		})
	})
	return argv, w.at, w.err
}

func (w *walker) argv() []string {
	if w.next() != json.Delim('[') {
		w.fail("notify.exec must be a list: a program and its arguments")
		return nil
	}
	var argv []string
	for w.more() {
		word, ok := w.next().(string)
		if !ok || (word == "" && len(argv) == 0) || strings.ContainsRune(word, 0) {
			w.fail("notify.exec must be a list of texts, the first of which names a program")
		}
		argv = append(argv, word)
	}
	if w.err == nil {
		w.next()
	}
	return argv
}
