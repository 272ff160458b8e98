package config

import (
	"errors"
	"fmt"
	"slices"
)

// contradiction is an invalid combination of two values that are valid by themselves.
type contradiction struct {
	values string // of both, without their origins; identifies the contradiction
	err    error  // names both with their origins
}

// contradictions returns all contradictions of the settings.
func (s Settings) contradictions(e Environment) []contradiction {
	var all []contradiction
	d := s.Daemon()
	about := func(name, other string, wrong error) {
		all = append(all, contradiction{
			values: fmt.Sprint(name, s.Get(name).Text(), other, s.Get(other).Text()),
			err:    fmt.Errorf("set %s (%s): %w", name, s.Get(name).Origin, wrong),
		})
	}
	compared := func(name, is, other string) {
		v, o := s.Get(name), s.Get(other)
		about(name, other, fmt.Errorf("%s is %s than %s, which is %s (%s)", v.Text(), is, other, o.Text(), o.Origin))
	}
	switch {
	case d.MinTTL > d.MaxTTL:
		compared("permissions.min_ttl", "more", "permissions.max_ttl")
	case d.PermissionTTL < d.MinTTL:
		compared("permissions.default_ttl", "less", "permissions.min_ttl")
	case d.PermissionTTL > d.MaxTTL:
		compared("permissions.default_ttl", "more", "permissions.max_ttl")
	}
	if err := e.checkSocket(d.SocketPath); err != nil {
		about("daemon.socket_path", "daemon.socket_path", err)
	}
	if name, err := d.Notify.check(); err != nil {
		about(name, name, err)
	}
	alone := func(name, other string) {
		about(name, other, fmt.Errorf("it requires %s, which is not set; set both, or neither", other))
	}
	switch {
	case d.TCP.CertFile != "" && d.TCP.KeyFile == "":
		alone("daemon.tls_cert", "daemon.tls_key")
	case d.TCP.CertFile == "" && d.TCP.KeyFile != "":
		alone("daemon.tls_key", "daemon.tls_cert")
	default:
		if err := d.TCP.check(); err != nil {
			about("daemon.listen_tcp", "daemon.tls_cert", err)
		}
	}
	return all
}

// Contradictions returns an error that lists the contradictions of the user's settings, as a daemon
// with these flags would read them; nil if there are none. [ReadFile] reports values that are
// invalid by themselves.
func Contradictions(flags Flags, e Environment) error {
	all, err := contradict(flags, e, nil)
	return errors.Join(err, joined(all))
}

// Agrees returns the check of an [Edit] of the user's settings: it refuses a file that adds a contradiction.
func Agrees(flags Flags, e Environment) func(*File) error {
	return func(proposed *File) error {
		before, err := contradict(flags, e, nil)
		if err != nil {
			return err
		}
		after, err := contradict(flags, e, proposed)
		if err != nil {
			return err
		}
		return joined(slices.DeleteFunc(after, func(c contradiction) bool {
			return slices.ContainsFunc(before, func(b contradiction) bool { return b.values == c.values })
		}))
	}
}

func joined(all []contradiction) error {
	var wrong []error
	for _, c := range all {
		wrong = append(wrong, c.err)
	}
	return errors.Join(wrong...)
}

// contradict reads the user's settings, with one file replaced by proposed unless that is nil, and
// returns the contradictions.
func contradict(flags Flags, e Environment, proposed *File) ([]contradiction, error) {
	dir, err := e.configDir(flags[ConfigDirFlag])
	if err != nil {
		return nil, err
	}
	files, _ := UserFiles(dir) // unreadable files have no values
	for i, f := range files {
		if proposed != nil && f.Source == proposed.Source {
			files[i] = proposed
		}
	}
	s, _ := resolve(flags, e, dir, files) // unreadable values are skipped too
	return s.contradictions(e), nil
}
