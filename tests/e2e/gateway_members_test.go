package e2e

import (
	"net/http"
	"strings"
	"testing"

	"betcode/tests/kit"
)

// guest returns a browser of a person who sees only shared sessions.
func (p *portal) guest(name string, scopes ...string) *kit.Browser {
	p.Helper()
	code, err := p.world.SharedCode(name, scopes...)
	if err != nil {
		p.Fatal(err)
	}
	b := p.Browser()
	if err := b.Enter(code); err != nil {
		p.Fatal(err)
	}
	return b
}

// An owner shares one of two sessions with a person, as viewer and then as editor, and ends that.
// The other session does not exist for that person; open pages are closed.
func TestPortalMembers(t *testing.T) {
	t.Parallel()
	p := newPortal(t, newStory(t, binaries.fake))
	private := p.begin("echo:a secret")
	shared := p.begin("echo:for everybody")
	owner, guest := p.browser("owner", "admin"), p.guest("guest", "control", "approve")
	path := "/api/sessions/" + shared + "/members"

	refused := func(id string) {
		t.Helper()
		for _, asked := range []string{"", "/messages", "/members"} {
			p.call(guest, http.StatusNotFound, http.MethodGet, "/api/sessions/"+id+asked, nil)
		}
		p.call(guest, http.StatusNotFound, http.MethodPost, "/api/sessions/"+id+"/stop", nil)
		p.call(guest, http.StatusNotFound, http.MethodDelete, "/api/sessions/"+id, nil)
		page := p.open(guest, 3, id, nil)
		page.wait(`"Error"`, "Access denied")
	}
	sessions := func() []any {
		t.Helper()
		return p.call(guest, http.StatusOK, http.MethodGet, "/api/sessions", nil)["sessions"].([]any)
	}
	if all := sessions(); len(all) != 0 {
		t.Errorf("before anything is shared: %v", all)
	}
	refused(shared)

	p.call(owner, http.StatusNotFound, http.MethodPost, path, object{"email": "stranger@x", "role": "viewer"})
	p.call(owner, http.StatusBadRequest, http.MethodPost, path, object{"email": "guest@x", "role": "owner"})
	p.call(p.browser("phone", "control"), http.StatusForbidden, http.MethodPost, path, object{"email": "guest@x", "role": "viewer"})
	made := p.call(owner, http.StatusCreated, http.MethodPost, path, object{"email": "guest@x", "role": "viewer"})
	p.call(owner, http.StatusConflict, http.MethodPost, path, object{"email": "guest", "role": "viewer"})
	if me := p.call(guest, http.StatusOK, http.MethodGet, "/api/auth/me", nil); made["user_id"] != me["id"] || made["role"] != "viewer" {
		t.Errorf("%v, %v", made, me)
	}
	p.killDaemon()
	all := sessions()
	if len(all) != 1 || all[0].(map[string]any)["id"] != shared || all[0].(map[string]any)["my_role"] != "viewer" {
		t.Errorf("%v", all)
	}
	refused(private)
	if members := p.call(guest, http.StatusOK, http.MethodGet, path, nil)["members"].([]any); len(members) != 2 {
		t.Errorf("%v", members)
	}
	page := p.open(guest, 3, shared, nil)
	page.wait("for everybody")
	page.wait(`"SessionStatus"`)
	page.send(object{"type": "ClaudeInput", "content": "echo:not allowed"})
	page.wait("You don't have permission")
	p.call(guest, http.StatusForbidden, http.MethodPost, "/api/sessions/"+shared+"/stop", nil)

	p.call(owner, http.StatusOK, http.MethodPatch, path+"/"+made["user_id"].(string), object{"role": "editor"})
	if !page.Ended() {
		t.Error("the page keeps its former role")
	}
	page = p.open(guest, 2, shared, nil)
	page.wait(`"SessionStatus"`)
	page.send(object{"type": "ClaudeInput", "content": "echo:from the guest"})
	page.wait(`"ClaudeOutput"`, "from the guest")
	p.call(guest, http.StatusForbidden, http.MethodPost, path, object{"email": "guest@x", "role": "editor"})
	p.call(guest, http.StatusForbidden, http.MethodDelete, "/api/sessions/"+shared, nil)
	p.call(guest, http.StatusForbidden, http.MethodPost, "/api/proxy-tokens", object{"name": "x"})

	p.call(owner, http.StatusNoContent, http.MethodDelete, path+"/"+made["user_id"].(string), nil)
	if !page.Ended() {
		t.Error("the page stays")
	}
	refused(shared)
	p.call(owner, http.StatusNotFound, http.MethodDelete, path+"/"+made["user_id"].(string), nil)
	if members := p.call(owner, http.StatusOK, http.MethodGet, path, nil)["members"].([]any); len(members) != 2 || !strings.HasPrefix(members[1].(map[string]any)["email"].(string), "owner@") {
		t.Errorf("%v", members)
	}
	p.cli(0, "gateway", "share", shared, "guest", "--role", "editor")
	if all := sessions(); len(all) != 1 {
		t.Errorf("%v", all)
	}
	p.cli(0, "session", "delete", "--yes", shared)
	if all := sessions(); len(all) != 0 {
		t.Errorf("%v", all)
	}
}
