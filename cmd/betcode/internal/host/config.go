package host

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"betcode/actors"
	"betcode/cmd/betcode/internal/features"
	"betcode/config"
	"betcode/config/trust"
	"betcode/messages"
)

// getSettings answers [messages.GetSettings]: the settings in force, or those of one file.
func (d *daemon) getSettings(m messages.GetSettings) (messages.Reply, error) {
	const op = "get settings"
	path, source := d.fileOf(m.Scope, m.Directory)
	revision, err := config.Revision(path) // before reading, so that a file changed meanwhile is not overwritten
	if err != nil {
		return nil, messages.Errorf(op, messages.WrongState, "%w", err)
	}
	var files []*config.File
	switch m.Scope {
	case messages.SettingsInForce:
		view := d.inForce(m.Directory)
		view.Revision = revision
		return view, nil
	case messages.SettingsUser:
		files, err = config.UserFiles(d.cfg.ConfigDir)
	default:
		var file *config.File
		file, err = config.ReadFile(path, source)
		files = []*config.File{file}
	}
	if err != nil {
		return nil, messages.Errorf(op, messages.WrongState, "%w", err).WithHint("repair the file; 'betcode config check' lists what is wrong")
	}
	view := messages.SettingsView{Features: map[string]bool{}, Revision: revision}
	for _, v := range config.FileValues(files...) {
		view.Values = append(view.Values, d.valueOut(v))
	}
	for _, f := range files {
		for name, feature := range f.Features {
			if _, nearer := view.Features[name]; !nearer {
				view.Features[name] = feature.On
			}
		}
		view.Allows = view.Allows || len(f.Permissions.Allow) > 0
		view.Warnings = append(view.Warnings, warningsOut(f.Warnings)...)
	}
	return view, nil
}

// inForce returns the settings in force, for sessions in a directory if one is named.
func (d *daemon) inForce(directory string) messages.SettingsView {
	settings := d.settings.get()
	view := messages.SettingsView{Features: map[string]bool{}, Warnings: warningsOut(settings.Warnings)}
	ledger, err := d.directories.ledger()
	if err != nil {
		view.Warnings = append(view.Warnings, messages.SettingWarning{Path: filepath.Join(d.cfg.ConfigDir, trust.FileName), Message: err.Error()})
	}
	if directory != "" && d.directories.trusts(directory) {
		settings = settings.In(config.ReadDirectory(directory, d.home))
	}
	for _, v := range settings.Values {
		view.Values = append(view.Values, d.valueOut(v))
	}
	set := features.Set(settings)
	for _, f := range messages.Features() {
		view.Features[f.Name] = f.On(set)
	}
	for _, r := range settings.Rules {
		view.Allows = view.Allows || len(r.Allow) > 0
	}
	view.Trusted = ledger.List()
	return view
}

func (d *daemon) valueOut(v config.Value) messages.SettingValue {
	out := messages.SettingValue{
		Name: v.Name, Value: v.Value, Text: v.Public(), Source: string(v.Origin.Source), Origin: v.Origin.Name, Line: v.Origin.Line,
		Default: v.Default, Wants: v.Wants(), Help: v.Help, Live: v.Live,
	}
	if started := d.started.Get(v.Name); !v.Live && v.Text() != started.Text() {
		out.Restart, out.Running = true, started.Public()
	}
	return out
}

func warningsOut(all []*config.FileError) []messages.SettingWarning {
	var out []messages.SettingWarning
	for _, w := range all {
		out = append(out, messages.SettingWarning{Path: w.Path, Line: w.Line, Column: w.Column, Message: w.Err.Error()})
	}
	return out
}

// fileOf returns the file that a scope writes to.
func (d *daemon) fileOf(scope messages.SettingsScope, directory string) (string, config.Source) {
	switch scope {
	case messages.SettingsProject:
		return filepath.Join(directory, config.ProjectFile), config.FromProject
	case messages.SettingsLocal:
		return filepath.Join(directory, config.LocalFile), config.FromLocal
	default:
		return filepath.Join(d.cfg.ConfigDir, config.SettingsFile), config.FromUser
	}
}

// updateSettings answers [messages.UpdateSettings]: it changes a file and reloads the settings.
func (d *daemon) updateSettings(m messages.UpdateSettings) (messages.Reply, error) {
	const op = "update settings"
	path, source := d.fileOf(m.Scope, m.Directory)
	var changes []config.Change
	for _, c := range m.Changes {
		if flag, ok := strings.CutPrefix(c.Name, features.Prefix); ok && !c.Reset {
			if f, known := messages.FeatureNamed(flag); !known || f.Name != flag {
				return nil, messages.Errorf(op, messages.Invalid, "%s: %s", c.Name, features.Advice(flag, true)).WithHint("docs/compatibility.md lists the features")
			}
		}
		changes = append(changes, config.Change(c))
	}
	edit := config.Edit{Path: path, Source: source, Changes: changes, Revision: m.Revision}
	if source == config.FromUser {
		edit.Agrees = d.settings.agrees
	}
	var revision string
	write := func() (err error) {
		revision, err = edit.Do()
		return err
	}
	var err error
	if m.Directory == "" {
		err = write()
	} else {
		err = d.directories.changed(m.Directory, path, write)
	}
	if err != nil {
		return nil, notUpdated(op, err)
	}
	d.log.Info().Str("file", path).Strs("settings", namesOf(m.Changes)).Msg("settings changed by a client")
	d.reload(false, actors.RulesOrigin{How: "settings changed by a client: " + path, Client: m.Client})
	view := d.inForce(m.Directory)
	view.Revision = revision
	for _, c := range m.Changes {
		view.Warnings = append(view.Warnings, overridden(view, c, path)...)
	}
	return view, nil
}

// notUpdated returns the error for settings that were not changed.
func notUpdated(op string, err error) error {
	var wrong *config.FileError
	switch {
	case errors.Is(err, config.ErrChanged):
		return messages.Errorf(op, messages.Aborted, "%w", err).WithHint("read the settings again, and repeat the change with the new revision")
	case errors.As(err, &wrong):
		return messages.Errorf(op, messages.WrongState, "%w", err)
	}
	return messages.Errorf(op, messages.Invalid, "%w", err).WithHint("nothing was changed; 'betcode config show' lists the settings")
}

func namesOf(changes []messages.SettingChange) []string {
	var names []string
	for _, c := range changes {
		names = append(names, c.Name)
	}
	return names
}

// overridden warns about a change without effect, because a flag or a variable takes precedence.
func overridden(view messages.SettingsView, c messages.SettingChange, path string) []messages.SettingWarning {
	v := view.Get(c.Name)
	if v.Name == "" || c.Reset || (v.Source != string(config.FromFlag) && v.Source != string(config.FromEnvironment)) {
		return nil
	}
	return []messages.SettingWarning{{Path: path, Message: fmt.Sprintf("%s is set by %s, which takes precedence", c.Name, config.Origin{Source: config.Source(v.Source), Name: v.Origin})}}
}
