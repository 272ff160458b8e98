package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// ResumePolicies say what follows when a turn is cut off: it is continued, it waits
// for a person, or it is over.
var ResumePolicies = []string{"auto", "ask", "never"}

// The defaults of what follows when a turn is cut off.
const (
	DefaultResume        = "auto"
	DefaultResumeTimes   = 2
	DefaultContinueGrace = time.Minute

	maxResumeTimes = 1000
)

// Resume is what follows when a turn is cut off.
type Resume struct {
	Policy string // one of ResumePolicies, empty = not said
	Times  *int   // how often a turn is continued by itself; nil = not said
}

// resolveResume decides what follows when a turn is cut off, as far as the
// environment says; see [ReadResume] for the rest.
func (d *Daemon) resolveResume(e Environment) error {
	d.Resume = Resume{Policy: e.Getenv("BETCODE_RESUME")}
	if d.Resume.Policy != "" && !slices.Contains(ResumePolicies, d.Resume.Policy) {
		return fmt.Errorf("set resume policy: %q is none of auto, ask, never", d.Resume.Policy)
	}
	if times := e.Getenv("BETCODE_RESUME_TIMES"); times != "" {
		n, err := strconv.Atoi(times)
		if err != nil || n < 0 || n > maxResumeTimes {
			return fmt.Errorf("set resume times: %q is no number from 0 to %d", times, maxResumeTimes)
		}
		d.Resume.Times = &n
	}
	d.ContinueGrace = DefaultContinueGrace
	if grace := e.Getenv("BETCODE_CONTINUE_GRACE"); grace != "" {
		parsed, err := parseDuration(grace)
		if err != nil || parsed < time.Second || parsed > time.Hour {
			return fmt.Errorf("set continuation grace: %q is no duration from 1s to 1h", grace)
		}
		d.ContinueGrace = parsed
	}
	return nil
}

// ReadResume completes what the environment says by settings.json in dir,
// {"resume":{"policy":"ask","times":2}}, and that by the defaults.
func ReadResume(dir string, said Resume) (Resume, error) {
	written, err := readSettings(dir, parseResume)
	if err != nil {
		return said, err
	}
	said.Policy = cmp.Or(said.Policy, written.Policy, DefaultResume)
	said.Times = cmp.Or(said.Times, written.Times, new(DefaultResumeTimes))
	return said, nil
}

func parseResume(raw []byte) (r Resume, at int64, err error) {
	w, at, err := walk(raw)
	if err != nil {
		return r, at, err
	}
	w.object("the settings", func(key string) {
		if key != "resume" {
			w.skip()
			return
		}
		w.object(`"resume"`, func(key string) {
			switch key {
			case "policy":
				policy, _ := w.next().(string)
				if !slices.Contains(ResumePolicies, policy) {
					w.fail(`resume.policy must be "auto", "ask" or "never"`)
				}
				r.Policy = policy
			case "times":
				times, ok := w.next().(float64)
				if !ok || times < 0 || times > maxResumeTimes || times != float64(int(times)) {
					w.fail("resume.times must be a whole number from 0 to %d", maxResumeTimes)
				}
				r.Times = new(int(times))
			default:
				w.skip()
			}
		})
	})
	return r, w.at, w.err
}
