package portal

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
)

// resolvePath is the route where proxies of G3 look up their session. The token is in the body, so
// cookies of browsers give no rights, and proxies send no Origin.
const resolvePath = "/api/proxy/resolve-session"

// place is where a proxy runs.
type place struct {
	Token     *string `json:"auth_token"`
	Directory string  `json:"working_directory"`
	Hostname  *string `json:"hostname"`
	AgentType string  `json:"agent_type"`
}

// resolved is the session that a proxy continues.
type resolved struct {
	ID           string `json:"session_id"`
	Name         string `json:"session_name"`
	CreatedAt    string `json:"created_at"`
	LastActivity string `json:"last_activity"`
}

// resolve answers which session a starting proxy continues: the last one of its token in the same
// place. With 404 the proxy begins a new one.
func (s *Server) resolve(w http.ResponseWriter, r *http.Request) {
	var where place
	if err := json.NewDecoder(r.Body).Decode(&where); err != nil {
		s.refuse(w, r, http.StatusBadRequest, "the body is not an object with working_directory and agent_type")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	defer cancel()
	secret := bearer(r)
	if where.Token != nil {
		secret = *where.Token
	}
	caller, all, err := s.sessionsOf(ctx, secret)
	switch {
	case errors.Is(err, ErrUnauthenticated), errors.Is(err, ErrDenied):
		s.refuse(w, r, http.StatusUnauthorized, "the token is not valid")
		return
	case err != nil:
		s.refuse(w, r, http.StatusServiceUnavailable, err.Error())
		return
	}
	for _, found := range all {
		if where.has(found, caller) {
			answer(w, resolved{
				found.GetId(), found.GetName(), naive(found.GetCreatedAt().AsTime()), naive(found.GetUpdatedAt().AsTime()),
			})
			return
		}
	}
	http.Error(w, "there is no session in this place", http.StatusNotFound)
}

// has reports whether a session belongs to a caller, is in this place, and can be continued.
func (p place) has(s *pb.SessionSummary, caller Caller) bool {
	proxied := s.GetProxied()
	return proxied != nil && proxied.GetEnded() == "" && proxied.GetOwner() == caller.Person && s.GetWorkingDirectory() == p.Directory &&
		(p.Hostname == nil || proxied.GetHostname() == *p.Hostname) && (p.AgentType == "" || proxied.GetAgentType() == p.AgentType)
}

// sessionsOf returns the caller of a token that proxies may use, and all sessions, most recently used
// first. A proxy's token may not list sessions, so it lists them with the user's rights. In dev mode an
// invalid token counts as the user's, as for proxies that register.
func (s *Server) sessionsOf(ctx context.Context, token string) (Caller, []*pb.SessionSummary, error) {
	caller, err := s.proxyCaller(ctx, token)
	if err != nil {
		return caller, nil, err
	}
	user, err := s.options.Connect("", "proxy-"+uuid.NewString()[:8])
	if err != nil {
		return caller, nil, err
	}
	defer user.Close()
	all, err := user.Sessions(ctx)
	return caller, all, err
}

func (s *Server) proxyCaller(ctx context.Context, token string) (caller Caller, err error) {
	secrets := []string{}
	if token != "" {
		secrets = append(secrets, token)
	}
	if s.options.Dev {
		secrets = append(secrets, "")
	}
	err = ErrUnauthenticated
	for _, secret := range secrets {
		var d Daemon
		if d, err = s.options.Connect(secret, "proxy-"+uuid.NewString()[:8]); err != nil {
			return caller, err
		}
		caller, err = d.Caller(ctx)
		if err = errors.Join(err, d.Close()); !errors.Is(err, ErrUnauthenticated) {
			break
		}
	}
	if err == nil && !caller.may("control") && !caller.may("proxy") {
		err = ErrDenied
	}
	return caller, err
}
