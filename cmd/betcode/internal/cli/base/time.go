package base

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/config"
)

// Time reads a time that a flag names: how long ago, or a date. Without a text there is none.
func Time(flag, text string, now time.Time) (*timestamppb.Timestamp, error) {
	if text == "" {
		return nil, nil
	}
	if ago, err := config.ParseDuration(text); err == nil {
		return timestamppb.New(now.Add(-ago)), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return timestamppb.New(at), nil
		}
	}
	return nil, fmt.Errorf("%s %q: give how long ago, for example 36h or 7d, or a date, for example 2026-11-21", flag, text)
}

// Names returns the values of a flag that may be given several times, and with several values separated by commas.
func Names(c *cli.Context, flag string) []string {
	var names []string
	for _, given := range c.StringSlice(flag) {
		for name := range strings.SplitSeq(given, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}
