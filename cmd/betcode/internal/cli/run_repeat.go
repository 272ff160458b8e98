package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/exit"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// repeatFlag is --repeat, whose value may be left out: --repeat=N.
type repeatFlag struct{ *cli.GenericFlag }

// TakesValue implements cli.DocGenerationFlag: the argument behind the flag is not its value.
func (repeatFlag) TakesValue() bool { return false }

func newRepeatFlag() cli.Flag {
	return repeatFlag{&cli.GenericFlag{Name: "repeat", Value: &times{}, Usage: "repeat the prompt until the agent answers DONE, at most 50 times (--repeat=N: N times)"}}
}

// times is the value of --repeat, as it was written; empty without the flag.
type times struct{ text string }

// IsBoolFlag lets the flag stand without a value, which is "true" then.
func (*times) IsBoolFlag() bool { return true }

// String implements cli.Generic.
func (t *times) String() string { return t.text }

// Set implements cli.Generic. The library would call a bad number a bad boolean, so [repeatOf] reads the text.
func (t *times) Set(text string) error {
	t.text = text
	return nil
}

// repeatOf returns how the prompt is repeated; nil if it is not.
func repeatOf(c *cli.Context) (*pb.Repeat, error) {
	t, _ := c.Generic("repeat").(*times)
	switch {
	case t == nil, t.text == "", t.text == "false":
		if c.IsSet("until") {
			return nil, exit.Usage(errors.New("--until needs --repeat"))
		}
		return nil, nil
	case t.text == "true":
		return &pb.Repeat{Marker: c.String("until")}, nil
	}
	n, err := strconv.ParseUint(t.text, 10, 32)
	if err != nil || n == 0 || n > messages.MaxRepeats {
		return nil, exit.Usage(fmt.Errorf("--repeat=%s: it is a number from 1 to %d, or nothing", t.text, messages.MaxRepeats))
	}
	return &pb.Repeat{Max: uint32(n), Marker: c.String("until")}, nil
}
