package settings

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/features"
	"betcode/cmd/betcode/internal/output"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// shown is a setting in force.
type shown struct {
	name, value   string
	origin        config.Origin
	set           bool // it has a value, perhaps a default
	live, restart bool
	running       string // with restart: the value that the running daemon keeps until then
}

// inForce returns the settings in force: of the running daemon, or of the one that this command would start.
func (p group) inForce(ctx context.Context, c *cli.Context) (all []shown, warnings []string, err error) {
	cfg, err := p.ClientConfig(c)
	if err != nil {
		return nil, nil, err
	}
	if cl, err := client.Dial(ctx, cfg); err == nil {
		defer cl.Close()
		got, err := cl.Config.GetSettings(ctx, &pb.GetSettingsRequest{})
		if err == nil {
			for _, v := range got.GetValues() {
				origin := config.Origin{Source: config.Source(v.GetSource()), Name: v.GetOrigin(), Line: int(v.GetLine())}
				all = append(all, shown{v.GetName(), v.GetValue(), origin, v.GetValue() != "", v.GetLive(), v.GetRestartNeeded(), v.GetRunningValue()})
			}
			for _, w := range got.GetWarnings() {
				warnings = append(warnings, fmt.Sprintf("%s:%d:%d: %s", w.GetPath(), w.GetLine(), w.GetColumn(), w.GetMessage()))
			}
			return all, warnings, nil
		}
		if status.Code(err) != codes.Unimplemented { // an older daemon
			return nil, nil, err
		}
	}
	settings, err := features.Load(base.DaemonSettings(c), p.World)
	if err != nil {
		return nil, nil, exit.Usage(err)
	}
	for _, v := range settings.Values {
		all = append(all, shown{v.Name, v.Text(), v.Origin, v.Value != nil, v.Live, false, ""})
	}
	for _, w := range settings.Warnings {
		warnings = append(warnings, w.Error())
	}
	return all, warnings, nil
}

func (p group) configShow(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	return p.ShowLive(ctx, c, func() (output.View, error) {
		all, warnings, err := p.inForce(ctx, c)
		for _, w := range warnings {
			p.Say("%s", console.Line(w))
		}
		view := output.View{
			Schema: "betcode.config/v1", Value: shownJSON(all), List: "settings", Name: "name",
			Columns: []console.Column{{Title: "NAME", Whole: true}, {Title: "VALUE", Text: true}, {Title: "ORIGIN", Path: true, Wide: !c.Bool("origins")}},
			Row:     func(i int, l output.Look) []string { return shownRow(all[i], l.Person || c.Bool("origins")) },
		}
		return view, err
	})
}

// shownRow is a row of the table. The effect of a setting without a value is in brackets.
func shownRow(v shown, origin bool) []string {
	text := v.value
	s, err := config.Find(v.name)
	if !v.set && err == nil {
		text = "(" + s.Unset + ")"
	}
	if v.restart && err == nil {
		text += " (after a restart; now " + valueText(s, v.running) + ")"
	}
	if !origin {
		return []string{v.name, text}
	}
	return []string{v.name, text, v.origin.String()}
}

func shownJSON(all []shown) map[string]any {
	values := []map[string]any{}
	for _, v := range all {
		values = append(values, shownObject(v))
	}
	return map[string]any{"settings": values}
}

func shownObject(v shown) map[string]any {
	return map[string]any{
		"name": v.name, "value": v.value, "source": string(v.origin.Source), "origin": v.origin.String(), "live": v.live,
		"restart_needed": v.restart, "running_value": v.running,
	}
}

func (p group) configGet(ctx context.Context, c *cli.Context) error {
	if err := base.Arguments(c, 1, 1); err != nil {
		return err
	}
	s, err := config.Find(c.Args().First())
	if err != nil {
		return exit.Usage(err)
	}
	return p.ShowLive(ctx, c, func() (output.View, error) {
		all, _, err := p.inForce(ctx, c)
		if err != nil {
			return output.View{}, err
		}
		i := slices.IndexFunc(all, func(v shown) bool { return v.name == s.Name })
		if i < 0 {
			return output.View{}, exit.With(exit.NotFound, fmt.Errorf("the daemon does not know the setting %s: it is older than this command", s.Name))
		}
		remark := precedenceText(all[i].origin)
		if all[i].restart {
			kept := keptText(s, all[i].running)
			remark = strings.TrimSpace(strings.ToUpper(kept[:1]) + kept[1:] + ". " + remark)
		}
		return output.View{Schema: "betcode.config.get/v1", Value: shownObject(all[i]), Name: "name", Remark: remark, Text: func(w io.Writer, l output.Look) error {
			text := all[i].value
			if l.Wide {
				text = strings.Join(shownRow(all[i], true), "  ")
			}
			_, err := fmt.Fprintln(w, console.Text(text))
			return err
		}}, nil
	})
}
