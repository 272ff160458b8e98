package version

import (
	"strings"

	"betcode/messages"
)

// flags returns the present feature flags of the settings.
func (s *Service) flags() map[string]bool {
	if s.options.Flags == nil {
		return nil
	}
	return s.options.Flags()
}

// built reports whether the daemon serves the calls of a feature.
func (s *Service) built(f messages.Feature) bool {
	for _, call := range f.Calls {
		service, _, _ := strings.Cut(strings.TrimPrefix(call, "/"), "/")
		if !s.options.Serves(service) {
			return false
		}
	}
	return true
}

// guards maps a method or service to the feature that it needs.
var guards = func() map[string]messages.Feature {
	all := map[string]messages.Feature{}
	for _, f := range messages.Features() {
		for _, call := range f.Calls {
			all[call] = f
		}
	}
	return all
}()

// Gate refuses the calls of a feature that is off.
func (s *Service) Gate(method string) error {
	f, ok := guards[method]
	if !ok {
		f, ok = guards[method[:strings.LastIndexByte(method, '/')+1]]
	}
	if !ok || f.On(s.flags()) {
		return nil
	}
	return switchedOff(f)
}

// switchedOff returns the error for a feature that is off, with the command that enables it.
func switchedOff(f messages.Feature) error {
	err := messages.Errorf("use feature", messages.Unimplemented, "%s is not enabled (%s)", f.Name, f.Stage).With("feature", f.Name)
	if f.Stage == messages.StageRemoved {
		return err.WithHint("Use " + f.Replacement + ".")
	}
	return err.WithHint("Enable it: betcode config set feature_flags." + f.Name + " true")
}
