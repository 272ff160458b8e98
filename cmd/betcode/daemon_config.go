package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"betcode/actors"
	"betcode/config"
	"betcode/config/trust"
	"betcode/messages"
)

// getSettings answers what a scope says.
func (d *daemon) getSettings(m messages.GetSettings) (messages.Reply, error) {
	const op = "get settings"
	path, source := d.fileOf(m.Scope, m.Directory)
	revision, err := config.Revision(path) // first: what is read may be newer, and is not overwritten then
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
		return nil, messages.Errorf(op, messages.WrongState, "%w", err).WithHint("mend the file; 'betcode config check' says what is wrong")
	}
	view := messages.SettingsView{Features: map[string]bool{}, Revision: revision}
	for _, v := range config.Said(files...) {
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

// inForce is what holds, in a directory if one is named.
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
	said := flagsOf(settings)
	for _, f := range messages.Features() {
		view.Features[f.Name] = f.On(said)
	}
	for _, r := range settings.Rules {
		view.Allows = view.Allows || len(r.Allow) > 0
	}
	view.Trusted = ledger.List()
	return view
}

func (d *daemon) valueOut(v config.Value) messages.SettingValue {
	return messages.SettingValue{
		Name: v.Name, Value: v.Value, Text: v.Public(), Source: string(v.Origin.Source), Origin: v.Origin.Name, Line: v.Origin.Line,
		Default: v.Default, Wants: v.Wants(), Help: v.Help, Live: v.Live, Restart: !v.Live && v.Text() != d.started.Get(v.Name).Text(),
	}
}

func warningsOut(all []*config.FileError) []messages.SettingWarning {
	var out []messages.SettingWarning
	for _, w := range all {
		out = append(out, messages.SettingWarning{Path: w.Path, Line: w.Line, Column: w.Column, Message: w.Err.Error()})
	}
	return out
}

// fileOf is the file that a scope writes to.
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

// updateSettings changes a file and has it count.
func (d *daemon) updateSettings(m messages.UpdateSettings) (messages.Reply, error) {
	const op = "update settings"
	path, source := d.fileOf(m.Scope, m.Directory)
	var changes []config.Change
	for _, c := range m.Changes {
		if flag, ok := strings.CutPrefix(c.Name, featurePrefix); ok && !c.Reset {
			if f, known := messages.FeatureNamed(flag); !known || f.Name != flag {
				return nil, messages.Errorf(op, messages.Invalid, "%s: %s", c.Name, aboutFlag(flag, true)).WithHint("docs/compatibility.md lists the features")
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
	d.reload(false, actors.RulesOrigin{How: "UpdateSettings: " + path, Client: m.Client})
	view := d.inForce(m.Directory)
	view.Revision = revision
	for _, c := range m.Changes {
		view.Warnings = append(view.Warnings, outdone(view, c, path)...)
	}
	return view, nil
}

// notUpdated says why settings were not changed.
func notUpdated(op string, err error) error {
	var wrong *config.FileError
	switch {
	case errors.Is(err, config.ErrChanged):
		return messages.Errorf(op, messages.Aborted, "%w", err).WithHint("read the settings again, decide again, and name the new revision")
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

// outdone warns about a change that counts for nothing, since somebody else has more
// to say.
func outdone(view messages.SettingsView, c messages.SettingChange, path string) []messages.SettingWarning {
	v := view.Get(c.Name)
	if v.Name == "" || c.Reset || (v.Source != string(config.FromFlag) && v.Source != string(config.FromEnvironment)) {
		return nil
	}
	return []messages.SettingWarning{{Path: path, Message: fmt.Sprintf("%s is set by %s, which counts more", c.Name, config.Origin{Source: config.Source(v.Source), Name: v.Origin})}}
}
