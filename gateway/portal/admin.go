package portal

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	pb "betcode/proto/betcode/v1"
)

// The pages of administrators. Only 'betcode token' changes people and tokens, so that a stolen login of the
// portal cannot create further logins.

// usage is the consumption of sessions.
type usage struct {
	Spend         float64 `json:"total_spend_usd"`
	Input         uint64  `json:"total_input_tokens"`
	Output        uint64  `json:"total_output_tokens"`
	CacheCreation uint64  `json:"total_cache_creation_tokens"`
	CacheRead     uint64  `json:"total_cache_read_tokens"`
}

func (u *usage) add(s *pb.SessionSummary) {
	u.Spend += s.GetTotalCostUsd()
	u.Input += uint64(s.GetTotalInputTokens())
	u.Output += uint64(s.GetTotalOutputTokens())
}

type statsRow struct {
	Users    int `json:"total_users"`
	Admins   int `json:"admin_users"`
	Disabled int `json:"disabled_users"`
	Sessions int `json:"total_sessions"`
	Active   int `json:"active_sessions"`
	Proxies  int `json:"connected_proxy_clients"`
	Pages    int `json:"connected_web_clients"`
	usage
}

// userRow is a person. The user of the daemon is the first.
type userRow struct {
	ID           string  `json:"id"`
	Email        string  `json:"email"`
	Name         string  `json:"name"`
	Avatar       *string `json:"avatar_url"`
	Admin        bool    `json:"is_admin"`
	Disabled     bool    `json:"disabled"`
	VoiceEnabled bool    `json:"voice_enabled"`
	BanReason    *string `json:"ban_reason"`
	CreatedAt    string  `json:"created_at"`
	Sessions     int     `json:"session_count"`
	usage
}

type adminSessionRow struct {
	ID           string  `json:"id"`
	User         string  `json:"user_id"`
	UserEmail    string  `json:"user_email"`
	Name         string  `json:"session_name"`
	Directory    string  `json:"working_directory"`
	Branch       *string `json:"git_branch"`
	Status       string  `json:"status"`
	Cost         float64 `json:"total_cost_usd"`
	CreatedAt    string  `json:"created_at"`
	LastActivity string  `json:"last_activity"`
	Connected    bool    `json:"is_connected"`
	Hostname     string  `json:"hostname"`
}

func adminStats(c call) (any, error) {
	sessions, people, err := c.everything()
	if err != nil {
		return nil, err
	}
	row := statsRow{Users: len(people), Sessions: len(sessions), Proxies: c.proxies.Connected(), Pages: c.connected()}
	for _, p := range people {
		if p.Admin {
			row.Admins++
		}
	}
	for _, s := range sessions {
		row.add(s)
		if factsOf(s).status == "active" {
			row.Active++
		}
	}
	return row, nil
}

func adminUsers(c call) (any, error) {
	_, people, err := c.everything()
	if err != nil {
		return nil, err
	}
	return map[string]any{"users": people}, nil
}

func adminSessions(c call) (any, error) {
	sessions, _, err := c.everything()
	if err != nil {
		return nil, err
	}
	rows := []adminSessionRow{}
	for _, s := range sessions {
		of, row := Caller{Person: s.GetProxied().GetOwner()}, c.row(s)
		rows = append(rows, adminSessionRow{
			row.ID, of.id(), c.email(of), row.Name, row.Directory, row.Branch, row.Status, row.Cost, row.CreatedAt, row.LastActivity,
			row.Status == "active", row.Hostname,
		})
	}
	return map[string]any{"sessions": rows}, nil
}

// unchanged refuses requests to change people.
func unchanged(c call) (any, error) {
	if !c.caller.may("admin") {
		return nil, ErrDenied
	}
	return nil, StateError{"the portal changes no people; use 'betcode token' on the daemon's machine"}
}

// everything returns all sessions and people to an administrator. People are the owners of tokens, and the
// user of the daemon. A session belongs to the person of its proxy, or to the user.
func (c call) everything() (sessions []*pb.SessionSummary, people []userRow, err error) {
	if !c.caller.may("admin") {
		return nil, nil, ErrDenied
	}
	if sessions, err = c.daemon.Sessions(c); err != nil {
		return nil, nil, err
	}
	tokens, err := c.daemon.AccessTokens(c)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(tokens, func(a, b *pb.AccessToken) int { return cmp.Compare(a.GetPerson(), b.GetPerson()) })
	people = append(people, c.user("", true))
	for _, t := range tokens {
		last := &people[len(people)-1]
		if t.GetPerson() != "" && last.ID != personID(t.GetPerson()) {
			people = append(people, c.user(t.GetPerson(), false))
			last = &people[len(people)-1]
		}
		if t.GetPerson() == "" {
			continue
		}
		last.since(t.GetCreatedAt().AsTime())
		last.Admin = last.Admin || slices.Contains(t.GetScopes(), "admin")
		last.VoiceEnabled = c.voices.Enabled() && (last.VoiceEnabled || slices.Contains(t.GetScopes(), "control"))
	}
	for _, s := range sessions {
		i := slices.IndexFunc(people, func(p userRow) bool { return p.ID == personID(s.GetProxied().GetOwner()) })
		i = max(i, 0) // the person has no token any more
		people[i].Sessions++
		people[i].add(s)
		people[i].since(s.GetCreatedAt().AsTime())
	}
	return sessions, people, nil
}

func (c call) user(person string, owner bool) userRow {
	of := Caller{Person: person}
	return userRow{
		ID: of.id(), Email: c.email(of), Name: of.name(), Admin: owner, VoiceEnabled: owner && c.voices.Enabled(), CreatedAt: naive(time.Now()),
	}
}

// since sets the earliest known time of a person.
func (u *userRow) since(at time.Time) { u.CreatedAt = min(u.CreatedAt, naive(at)) }

// steeringRoutes adds the routes that control sessions without a socket, and those of administrators.
func (s *Server) steeringRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/sessions/{id}/messages", s.with(postMessage))
	mux.HandleFunc("POST /api/sessions/{id}/pause", s.with(pauseSession))
	mux.HandleFunc("POST /api/sessions/{id}/resume", s.with(resumeSession))
	mux.HandleFunc("POST /api/sessions/{id}/fork", s.with(forkSession))
	mux.HandleFunc("GET /api/admin/stats", s.with(adminStats))
	mux.HandleFunc("GET /api/admin/users", s.with(adminUsers))
	mux.HandleFunc("GET /api/admin/sessions", s.with(adminSessions))
	mux.HandleFunc("PATCH /api/admin/users/{id}", s.with(unchanged))
	mux.HandleFunc("DELETE /api/admin/sessions/{id}", s.with(deleteSession))
	mux.HandleFunc("GET /api/download/install.sh", s.install)
}
