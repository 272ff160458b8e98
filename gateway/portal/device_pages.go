package portal

import (
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"betcode/gateway/portal/device"
)

// deviceView is the data of the pages of device logins.
type deviceView struct {
	device.Asked
	Code, Email, Why string
}

const devicePageHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Log in a device</title></head>
<body><main><h1>Log in a device</h1>
`

var deviceForm = template.Must(template.New("device").Parse(devicePageHead + `
{{with .Why}}<p role="alert">{{.}}</p>{{end}}
<p>Enter the code that your program shows. Enter no code that somebody has sent you.</p>
<form method="get" action="/api/auth/device"><label>Code <input name="user_code" required autocomplete="off"></label>
<button>Continue</button></form></main></body></html>
`))

var deviceApproval = template.Must(template.New("approval").Parse(devicePageHead + `
<p>A program asks for a token of <b>{{.Email}}</b>. What it says of itself was not checked:</p>
<dl><dt>Code</dt><dd>{{.Code}}</dd><dt>Machine</dt><dd>{{.Hostname}}</dd><dt>Directory</dt><dd>{{.Directory}}</dd>
<dt>Address</dt><dd>{{.Address}}</dd></dl>
<p>Approve it if you have started it yourself, and if it shows this code. It may register sessions here for 30 days.</p>
<form method="post" action="/api/auth/device/approve"><input type="hidden" name="user_code" value="{{.Code}}"><button>Approve</button></form>
<form method="post" action="/api/auth/device/deny"><input type="hidden" name="user_code" value="{{.Code}}"><button>Deny</button></form>
</main></body></html>
`))

// show writes a page from a template.
func (s *Server) show(w http.ResponseWriter, status int, page *template.Template, view any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = page.Execute(w, view) // the browser has gone
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
