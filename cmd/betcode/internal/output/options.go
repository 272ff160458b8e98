package output

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/exit"
)

// Form is a form of output.
type Form string

// The forms that -o names. [Auto] is that of a command without -o: a table for a person on a terminal, lines with tabs
// elsewhere.
const (
	Auto     Form = ""
	Table    Form = "table"
	Wide     Form = "wide"
	JSON     Form = "json"
	JSONL    Form = "jsonl"
	YAML     Form = "yaml"
	Name     Form = "name"
	Template Form = "template"
)

// forms is what -o may name, for help and errors.
const forms = "table, wide, json, jsonl, yaml, name or template=TEXT"

// list names the forms that -o may name.
func list(more []Form) string {
	all := forms
	for _, form := range more {
		all = string(form) + ", " + all
	}
	return all
}

// Options select how a value is printed.
type Options struct {
	Form       Form
	Template   string
	Fields     []string // of --json=FIELDS; nil is the whole value
	ListFields bool     // of --json=
	Query      string   // of --jq
	NoHeaders  bool
	Watch      bool
	Sort       string
}

// People reports whether a person reads the form, and not a program.
func (o Options) People() bool { return o.Form == Auto || o.Form == Table || o.Form == Wide }

// Flags returns the flags that choose the form of a value. more are forms that only this command has.
func Flags(more ...Form) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "as `FORM`: " + list(more)},
		&cli.GenericFlag{Name: "json", Usage: "as JSON; --json=`FIELDS` with these fields only, --json= lists them", Value: &jsonFlag{}},
		&cli.StringFlag{Name: "jq", Usage: "the JSON values that the jq `EXPRESSION` finds"},
		&cli.BoolFlag{Name: "watch", Usage: "show it again as it changes, until Ctrl-C"},
	}
}

// OnceFlags returns the flags that choose the form of a command's result, which cannot be watched.
func OnceFlags(more ...Form) []cli.Flag { return Flags(more...)[:3] }

// JSONFlags returns the flags that choose JSON, for a command whose -o is another flag.
func JSONFlags() []cli.Flag { return Flags()[1:3] }

// ListFlags returns the flags that choose the form of a list.
func ListFlags() []cli.Flag {
	return append(Flags(),
		&cli.StringFlag{Name: "sort", Usage: "by `FIELD` of the JSON form; -FIELD is descending"},
		&cli.BoolFlag{Name: "no-headers", Usage: "no titles above the columns"})
}

// StreamFlags returns the flags that choose the form of a list that is printed as it comes. --sort and --watch are known, to be
// refused by [ParseStream].
func StreamFlags() []cli.Flag {
	return append(OnceFlags(),
		&cli.BoolFlag{Name: "no-headers", Usage: "no titles above the columns"},
		&cli.BoolFlag{Name: "watch", Hidden: true},
		&cli.StringFlag{Name: "sort", Hidden: true})
}

// ParseStream reads the flags of [StreamFlags].
func ParseStream(c *cli.Context) (Options, error) {
	const comes = "contradicts '%s', which prints entries as they come: "
	switch {
	case c.IsSet("sort"):
		return Options{}, exit.Usage(fmt.Errorf("--sort "+comes+"sort its lines, for example with 'sort', or those of --json with 'jq -s'", c.Command.HelpName))
	case c.IsSet("watch") && slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return f.Names()[0] == "follow" }):
		return Options{}, exit.Usage(fmt.Errorf("--watch "+comes+"--follow goes on with those that come later", c.Command.HelpName))
	case c.IsSet("watch"):
		return Options{}, exit.Usage(fmt.Errorf("--watch "+comes+"leave it out", c.Command.HelpName))
	}
	return Parse(c)
}

// jsonFlag is --json, with or without fields.
type jsonFlag struct {
	given  bool
	fields string
}

// IsBoolFlag lets the flag stand alone, as scripts have always written it.
func (f *jsonFlag) IsBoolFlag() bool { return true }

// Set implements flag.Value; "true" is the flag without a value.
func (f *jsonFlag) Set(text string) error {
	f.given, f.fields = true, text
	return nil
}

// String implements flag.Value.
func (f *jsonFlag) String() string {
	if f == nil {
		return ""
	}
	return f.fields
}

// Parse reads the flags of [Flags] and [ListFlags]. Its errors are mistakes on the command line. more are forms that only
// this command has, and writes itself.
func Parse(c *cli.Context, more ...Form) (Options, error) {
	form, text, _ := strings.Cut(c.String("output"), "=")
	if form == "text" { // what some commands have always called a table
		form = string(Auto)
	}
	o := Options{
		Form: Form(form), Template: text, Query: c.String("jq"), NoHeaders: c.Bool("no-headers"), Watch: c.Bool("watch"), Sort: c.String("sort"),
	}
	if o.Form == Auto && c.Bool("quiet") {
		o.Form = Name
	}
	asJSON, _ := c.Generic("json").(*jsonFlag)
	named := asJSON != nil && asJSON.given
	switch {
	case !slices.Contains(append(more, Auto, Table, Wide, JSON, JSONL, YAML, Name, Template), o.Form) || text != "" && o.Form != Template:
		return o, exit.Usage(fmt.Errorf("--output %q is unknown: it is %s", c.String("output"), list(more)))
	case o.Form == Template && text == "":
		return o, exit.Usage(errors.New("--output template= needs a text, for example -o 'template={{.id}} {{.name}}'"))
	case named && o.Form != Auto && o.Form != JSON && o.Form != JSONL && o.Form != YAML:
		return o, exit.Usage(fmt.Errorf("--json and --output %s contradict each other: leave one of them out", o.Form))
	case o.Query != "" && o.Form != Auto && o.Form != JSON && o.Form != JSONL:
		return o, exit.Usage(fmt.Errorf("--jq prints JSON and contradicts --output %s: leave one of them out", o.Form))
	}
	if named {
		switch asJSON.fields {
		case "true":
		case "":
			o.ListFields = true
		default:
			for name := range strings.SplitSeq(asJSON.fields, ",") {
				o.Fields = append(o.Fields, strings.TrimSpace(name))
			}
		}
	}
	if (named || o.Query != "") && o.Form == Auto {
		o.Form = JSON
	}
	return o, nil
}
