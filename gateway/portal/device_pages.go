package portal

import (
	"html/template"
	"net/http"

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
