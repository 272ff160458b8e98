package callers

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
)

// searchScenarios attack the claims of docs/security.md about searches.
var searchScenarios = []siege.Scenario{
	{Name: "searches: sessions of others", Attack: attackSearchByGuests},
	{Name: "searches: text that deceives", Attack: attackSearchShown},
	{Name: "searches: endless work", Attack: attackSearchWork},
	{Name: "searches: the index", Attack: attackIndex},
}

// searches finds something, once the index has it.
func searches(s *siege.Siege, query string) *pb.SearchResponse {
	var found *pb.SearchResponse
	s.Becomes(func() bool {
		var err error
		found, err = s.Daemon.Search().Search(s, &pb.SearchRequest{Query: query})
		return err == nil && len(found.GetHits()) > 0 && found.GetEventsBehind() == 0
	})
	return found
}

// attackSearchByGuests: a person with access to one shared session searches for texts of another
// one.
func attackSearchByGuests(s *siege.Siege) {
	private, shared := siege.NewSession(), siege.NewSession()
	for id, word := range map[string]string{private: "swordfish", shared: "harmless"} {
		c := s.Converse("a", id)
		s.RunTurn(c, "echo:password "+word)
		c.Close()
	}
	all := searches(s, "password")
	s.Held("the owner finds both", all.GetTotal() == 4, "%v", all)
	made, err := pb.NewAccessServiceClient(s.Daemon.Conn()).CreateAccessToken(s, &pb.CreateAccessTokenRequest{Name: "guest-1", Person: "guest", Scopes: []string{"control", "approve"}, Shared: true})
	s.Must(err, "make a token")
	_, err = pb.NewAccessServiceClient(s.Daemon.Conn()).ShareSession(s, &pb.ShareSessionRequest{SessionId: shared, Person: "guest", Role: "viewer"})
	s.Must(err, "share a session")
	ctx := metadata.AppendToOutgoingContext(s, "x-caller-token", made.GetSecret())
	search := func(r *pb.SearchRequest) (*pb.SearchResponse, error) { return s.Daemon.Search().Search(ctx, r) }

	found, err := search(&pb.SearchRequest{Query: "password"})
	foreign := func(found *pb.SearchResponse) bool {
		return slices.ContainsFunc(found.GetHits(), func(h *pb.SearchHit) bool { return h.GetSessionId() != shared })
	}
	s.Held("a guest finds what is shared", err == nil && found.GetTotal() == 2 && !foreign(found), "%v, %v", found, err)
	unknown := "0b0e8a10-0000-4000-8000-00000000000c"
	for name, r := range map[string]*pb.SearchRequest{
		"a word": {Query: "swordfish"}, "the beginning of a word": {Query: "swordf*"}, "a phrase": {Query: `"password swordfish"`},
		"the id of the session": {Query: "password", SessionIds: []string{private}}, "ids alone": {SessionIds: []string{private}},
		"a kind in its session": {Kinds: []pb.SearchKind{pb.SearchKind_SEARCH_KIND_USER}, SessionIds: []string{private, unknown}},
	} {
		found, err := search(r)
		s.Held("a guest finds nothing by "+name, err == nil && found.GetTotal() == 0 && len(found.GetHits()) == 0, "%v, %v", found, err)
		none, err := search(&pb.SearchRequest{Query: "absentword"})
		s.Held("the answer to "+name+" is as to a word that nobody has said", err == nil && proto.Equal(found, none), "%v, %v", found, none)
	}
	page, err := s.Daemon.Search().Search(s, &pb.SearchRequest{Query: "password", PageSize: 1})
	s.Must(err, "search")
	next, err := search(&pb.SearchRequest{Query: "password", PageToken: page.GetNextPageToken()})
	s.Held("a page of the owner shows a guest nothing", status.Code(err) == codes.InvalidArgument || err == nil && !foreign(next), "%v, %v", next, err)
	_, err = pb.NewAccessServiceClient(s.Daemon.Conn()).UnshareSession(s, &pb.UnshareSessionRequest{SessionId: shared, Person: "guest"})
	s.Must(err, "end the membership")
	found, err = search(&pb.SearchRequest{Query: "password"})
	s.Held("a former guest finds nothing", err == nil && found.GetTotal() == 0, "%v, %v", found, err)
}

// attackSearchShown: the agent writes control sequences of terminals, and a person searches for
// them.
func attackSearchShown(s *siege.Siege) {
	c := s.Converse("person", siege.NewSession())
	s.RunTurn(c, "echo:beacon \x1b]0;owned\x07\x1b[2J\u202egnp.exe \u200b\u009b31m")
	searches(s, "beacon")
	for name, args := range map[string][]string{
		"lines": {"search", "beacon"}, "a table": {"search", "-o", "table", "beacon"}, "the wide form": {"search", "-o", "wide", "beacon"}, "names": {"search", "-o", "name", "beacon"},
	} {
		printed, code := s.Cli(args...)
		s.Held("escapes are shown in "+name, code == 0 && siege.Plain(printed), "exit %d: %q", code, printed)
	}
}

// attackSearchWork asks for searches that would take long.
func attackSearchWork(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	s.RunTurn(c, "echo:"+strings.Repeat("aa ab ac ad ae af ag ah ", 200))
	searches(s, "aa")
	for name, r := range map[string]*pb.SearchRequest{
		"too many words":      {Query: strings.Repeat("aa ", 1000)},
		"too much text":       {Query: strings.Repeat("x", 1<<20)},
		"too many prefixes":   {Query: strings.Repeat("aa* ", 9)},
		"a short prefix":      {Query: "a*"},
		"a relative file":     {Query: "aa", File: "../../etc/passwd"},
		"a huge page token":   {Query: "aa", PageToken: strings.Repeat("A", 1<<16)},
		"a forged page token": {Query: "aa", PageToken: strings.Repeat("A", 43)},
		"too many sessions":   {Query: "aa", SessionIds: slices.Repeat([]string{siege.NewSession()}, 10_001)},
		"too many tools":      {Query: "aa", Tools: slices.Repeat([]string{"x"}, 101)},
	} {
		_, err := s.Daemon.Search().Search(s, r)
		s.Held(name+" is refused", status.Code(err) == codes.InvalidArgument, "%v", err)
	}
	for name, query := range map[string]string{
		"a phrase of one word":    `"` + strings.Repeat("aa ", 60) + `"`,
		"phrases with prefixes":   strings.Repeat(`"aa ab ac a`+`d"* `, 8),
		"a pattern that explodes": `(a+)+$ ((a|aa)*)* [a-z]*`,
		"quotes":                  strings.Repeat(`"`, 4000),
		"signs":                   strings.Repeat("-*\" ", 1000),
		"marks":                   "a" + strings.Repeat("\u0301", 1900),
	} {
		began := time.Now()
		_, err := s.Daemon.Search().Search(s, &pb.SearchRequest{Query: query})
		code := status.Code(err)
		s.Held(name+" ends", code == codes.OK || code == codes.InvalidArgument, "%v after %v", err, time.Since(began))
	}
	_, err := s.Daemon.Search().Search(s, &pb.SearchRequest{Query: "aa"})
	s.Held("the daemon searches on", err == nil && !strings.Contains(s.Daemon.Log(), "panic"), "%v", err)
}

// attackIndex changes the file of the index, as an agent could that writes outside its project.
func attackIndex(s *siege.Siege) {
	c := s.Converse("a", siege.NewSession())
	s.RunTurn(c, "echo:treasure")
	searches(s, "treasure")
	file := filepath.Join(s.World.StateDir(), "search", "index.db")
	info, err := os.Stat(file)
	s.Must(err, "look at the index")
	s.Held("the index is private", info.Mode().Perm() == 0o600, "%v", info.Mode())
	id := siege.NewSession()
	s.RunTurn(s.Converse("b", id), "echo:forgotten secretword")
	searches(s, "secretword")
	_, err = s.Daemon.Agents().DeleteSession(s, &pb.DeleteSessionRequest{SessionId: id})
	s.Must(err, "delete a session")
	found, err := s.Daemon.Search().Search(s, &pb.SearchRequest{Query: "secretword"})
	s.Held("a deleted session is not found", err == nil && found.GetTotal() == 0, "%v, %v", found, err)
	for name, harm := range map[string]func(){
		"overwritten": func() { s.Must(os.WriteFile(file, bytes.Repeat([]byte{0xff}, 1<<16), 0o600), "overwrite") },
		"a directory": func() { s.Must(os.Mkdir(file, 0o700), "make a directory") },
		"a link": func() {
			s.Must(os.WriteFile(s.Project("elsewhere"), []byte("mine"), 0o600), "write")
			s.Must(os.Symlink(s.Project("elsewhere"), file), "link")
		},
	} {
		_, err := s.Daemon.Stop()
		s.Must(err, "stop the daemon")
		s.Must(os.Remove(file), "remove the index")
		harm()
		s.Start()
		s.Held("an index that is "+name+" is built anew", len(searches(s, "treasure").GetHits()) > 0, "the log:\n%s", s.Daemon.Log())
	}
	s.Held("nothing is written behind a link", s.Contains(s.Project("elsewhere"), "mine"), "it was changed")
}
