package portal

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
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

// devicePage shows a form for the code, or the request of a program. Requests are shown only to a
// logged-in browser, to which the code is then bound.
func (s *Server) devicePage(w http.ResponseWriter, r *http.Request) {
	user := device.Canonical(r.URL.Query().Get("user_code"))
	c, done, err := s.caller(r)
	if err != nil {
		http.Redirect(w, r, "/api/auth/device-login?device_user_code="+url.QueryEscape(user), http.StatusTemporaryRedirect)
		return
	}
	defer done()
	if user == "" {
		s.show(w, http.StatusOK, deviceForm, deviceView{})
		return
	}
	s.devices.mu.Lock()
	asked, err := s.devices.codes.Find(time.Now(), c.login(), user)
	s.devices.mu.Unlock()
	if err != nil {
		s.show(w, http.StatusNotFound, deviceForm, deviceView{Why: deviceReason(err)})
		return
	}
	s.show(w, http.StatusOK, deviceApproval, deviceView{Code: device.Shown(user), Asked: asked, Email: c.email(c.caller)})
}

// login returns the name of a caller's login, to which a code is bound.
func (c call) login() string { return c.caller.login() }

// login returns the name of a caller's login. The login of the daemon's user has no token.
func (c Caller) login() string { return "token " + c.Token }

// decideDevice approves or denies a code. A page sends JSON and gets JSON; the form of this portal gets a page.
func (s *Server) decideDevice(approve bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		form := strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
		tell := func(status int, why string) {
			if form {
				s.show(w, status, deviceForm, deviceView{Why: why})
				return
			}
			answerStatus(w, status, map[string]any{"success": status == http.StatusOK, "message": why})
		}
		c, done, err := s.caller(r)
		if err != nil {
			tell(http.StatusUnauthorized, "Log in first")
			return
		}
		defer done()
		user, err := userCodeIn(r, form)
		if err == nil {
			err = c.decide(user, approve)
		}
		switch {
		case err == nil && approve:
			tell(http.StatusOK, "Approved. The program gets its token now")
		case err == nil:
			tell(http.StatusOK, "Denied")
		case errors.Is(err, device.ErrUnknown):
			tell(http.StatusNotFound, deviceReason(err))
		case errors.Is(err, device.ErrWrong):
			tell(http.StatusTooManyRequests, deviceReason(err))
		case errors.Is(err, ErrDenied):
			tell(http.StatusForbidden, "Your login may not make tokens: it needs the scope control")
		case errors.Is(err, ErrInvalid):
			tell(http.StatusBadRequest, "The body has no user_code")
		default:
			tell(http.StatusServiceUnavailable, err.Error())
		}
	}
}

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

// userCodeIn returns the code in a request.
func userCodeIn(r *http.Request, form bool) (string, error) {
	var body struct {
		Code string `json:"user_code"`
	}
	if form {
		body.Code = r.PostFormValue("user_code")
	} else if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return "", ErrInvalid
	}
	if body.Code == "" {
		return "", ErrInvalid
	}
	return body.Code, nil
}

// deviceReason returns for people why a code is not accepted.
func deviceReason(err error) string {
	if errors.Is(err, device.ErrWrong) {
		return "You have entered too many wrong codes; try again in five minutes"
	}
	return "There is no such code, or it has expired"
}

func deviceError(w http.ResponseWriter, status int, code, message string) {
	answerStatus(w, status, map[string]string{"error": code, "message": message})
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
