package portal

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/time/rate"

	"betcode/gateway/portal/device"
)

const (
	deviceDays   = 30 // validity of a token of a device login
	pollInterval = 5  // seconds
	deviceTexts  = 200
)

// devices has the device logins: programs show a code, and a person approves it in a browser.
type devices struct {
	begins, polls *visitors

	mu    sync.Mutex // of the following
	codes device.Codes
}

func newDevices() *devices {
	return &devices{begins: newVisitors(rate.Every(6*time.Second), 10), polls: newVisitors(rate.Every(2*time.Second), 30)}
}

// deviceRoutes adds the routes of device logins.
func (s *Server) deviceRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/auth/device/code", s.beginDevice)
	mux.HandleFunc("POST /api/auth/device/poll", s.pollDevice)
	mux.HandleFunc("GET /api/auth/device", s.devicePage)
	mux.HandleFunc("POST /api/auth/device/approve", s.decideDevice(true))
	mux.HandleFunc("POST /api/auth/device/deny", s.decideDevice(false))
}

// beginDevice creates a code for a program.
func (s *Server) beginDevice(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Hostname  string `json:"hostname"`
		Directory string `json:"working_directory"`
	}
	switch err := json.NewDecoder(r.Body).Decode(&body); {
	case s.options.Dev:
		deviceError(w, http.StatusServiceUnavailable, "unavailable", "This portal is in dev mode: no token is needed")
		return
	case !s.devices.begins.admit(addressOf(r)):
		deviceError(w, http.StatusTooManyRequests, "slow_down", "Too many codes were asked for; try again in a minute")
		return
	case err != nil && !errors.Is(err, io.EOF):
		deviceError(w, http.StatusBadRequest, "invalid_request", "The body is no JSON of the expected form")
		return
	}
	asked := device.Asked{Hostname: printable(body.Hostname), Directory: printable(body.Directory), Address: addressOf(r)}
	deviceCode, userCode := rand.Text()+rand.Text()[:6], userCode()
	s.devices.mu.Lock()
	err := s.devices.codes.Begin(time.Now(), asked, deviceCode, userCode)
	s.devices.mu.Unlock()
	if err != nil {
		deviceError(w, http.StatusTooManyRequests, "slow_down", "Too many codes wait for an answer; try again later")
		return
	}
	s.log.Info().Str("address", r.RemoteAddr).Msg("device asks for a token")
	answer(w, map[string]any{
		"device_code": deviceCode, "user_code": device.Shown(userCode), "verification_uri": s.base(r) + "/api/auth/device",
		"expires_in": int(device.Lifetime.Seconds()), "interval": pollInterval,
	})
}

// userCode returns six random characters of [device.Alphabet].
func userCode() string {
	random := rand.Text() // 26 characters from an alphabet of 32, of which device.Alphabet has 30
	kept := strings.Map(func(c rune) rune {
		if strings.ContainsRune(device.Alphabet, c) {
			return c
		}
		return -1
	}, random)
	if len(kept) < 6 {
		return userCode()
	}
	return kept[:6]
}

// pollDevice returns the state of a code to its program, and the token once.
func (s *Server) pollDevice(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Code string `json:"device_code"`
	}
	if !s.devices.polls.admit(addressOf(r)) {
		deviceError(w, http.StatusTooManyRequests, "slow_down", "Poll every 5 seconds")
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		deviceError(w, http.StatusBadRequest, "invalid_request", "The body has no device_code")
		return
	}
	s.devices.mu.Lock()
	state, grant, err := s.devices.codes.Poll(time.Now(), body.Code)
	s.devices.mu.Unlock()
	if err != nil {
		deviceError(w, http.StatusNotFound, "not_found", "There is no such code")
		return
	}
	switch state {
	case device.Waiting:
		answer(w, map[string]string{"status": "pending"})
	case device.Approved:
		answer(w, map[string]string{"status": "complete", "access_token": grant.Token, "user_id": grant.UserID, "user_email": grant.Email})
	case device.Denied:
		answer(w, map[string]string{"status": "denied"})
	case device.Expired:
		answer(w, map[string]string{"status": "expired"})
	}
}

// login returns the name of a caller's login, to which a code is bound.
func (c call) login() string { return c.caller.login() }

// login returns the name of a caller's login. The login of the daemon's user has no token.
func (c Caller) login() string { return "token " + c.Token }

// decide finds a code, creates its token, and stores that for the program.
func (c call) decide(user string, approve bool) error {
	login := c.login()
	c.devices.mu.Lock()
	_, err := c.devices.codes.Find(time.Now(), login, user)
	if err == nil && !approve {
		err = c.devices.codes.Deny(time.Now(), login, user)
	}
	c.devices.mu.Unlock()
	if err != nil || !approve {
		return err
	}
	secret, made, err := c.daemon.CreateProxyToken(c, "Device auth "+time.Now().UTC().Format(time.DateOnly), deviceDays)
	if err != nil {
		return err
	}
	c.devices.mu.Lock()
	err = c.devices.codes.Approve(time.Now(), login, user, device.Grant{Token: secret, UserID: c.caller.id(), Email: c.email(c.caller)})
	c.devices.mu.Unlock()
	if err != nil { // it was decided meanwhile: revoke the token
		return errors.Join(err, c.daemon.RevokeProxyToken(c, made.GetId()))
	}
	c.log.Info().Str("token", c.caller.Token).Str("made", made.GetName()).Msg("device approved")
	return nil
}

// printable returns an untrusted text for people: on one line, bounded, and without invisible characters.
func printable(text string) string {
	var b strings.Builder
	for _, c := range text {
		if b.Len() >= deviceTexts {
			b.WriteRune('…')
			break
		}
		if !unicode.IsPrint(c) {
			c = '�'
		}
		b.WriteRune(c)
	}
	return b.String()
}
