package grpcapi

import (
	"strings"

	"betcode/messages"
)

// flags is what settings say about feature flags, at this moment.
func (s *Server) flags() map[string]bool {
	if s.options.Features == nil {
		return nil
	}
	return s.options.Features()
}

// built reports whether the daemon serves what a feature needs.
func (s *Server) built(f messages.Feature) bool {
	services := s.grpc.GetServiceInfo()
	for _, call := range f.Calls {
		service, _, _ := strings.Cut(strings.TrimPrefix(call, "/"), "/")
		if _, ok := services[service]; !ok {
			return false
		}
	}
	return true
}

// guards is the feature that a call needs, by its method or its service.
var guards = func() map[string]messages.Feature {
	all := map[string]messages.Feature{}
	for _, f := range messages.Features() {
		for _, call := range f.Calls {
			all[call] = f
		}
	}
	return all
}()

// open refuses calls of a feature that is off.
func (s *Server) open(method string) error {
	f, ok := guards[method]
	if !ok {
		f, ok = guards[method[:strings.LastIndexByte(method, '/')+1]]
	}
	if !ok || f.On(s.flags()) {
		return nil
	}
	return switchedOff(f)
}

// switchedOff says which feature is off, and how it is switched on.
func switchedOff(f messages.Feature) error {
	err := messages.Errorf("use "+f.Name, messages.Unimplemented, "%s not enabled: it is %s", f.Name, f.Stage).With("feature", f.Name)
	if f.Stage == messages.StageRemoved {
		return err.WithHint("Use " + f.Replacement + ".")
	}
	return err.WithHint("Enable via settings.json feature_flags." + f.Name + ", or: betcode config set feature_flags." + f.Name + " true")
}
