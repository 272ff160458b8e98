package main

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
)

// searchScenarios attack what docs/security.md says of: searches.
var searchScenarios = []scenario{
	{name: "searches: sessions of others", attack: attackSearchByGuests},
	{name: "searches: text that deceives", attack: attackSearchShown},
	{name: "searches: endless work", attack: attackSearchWork},
	{name: "searches: the index", attack: attackIndex},
}

// searches finds something, once the index has it.
func (s *siege) searches(query string) *pb.SearchResponse {
	var found *pb.SearchResponse
	s.becomes(func() bool {
		var err error
		found, err = s.daemon.Search().Search(s, &pb.SearchRequest{Query: query})
		return err == nil && len(found.GetHits()) > 0 && found.GetEventsBehind() == 0
	})
	return found
}

// attackSearchByGuests has a person with whom one session is shared search for what was said in another one.
func attackSearchByGuests(s *siege) {
	private, shared := session(), session()
	for id, word := range map[string]string{private: "swordfish", shared: "harmless"} {
		c := s.converse("a", id)
		s.runTurn(c, "echo:password "+word)
		c.Close()
	}
	all := s.searches("password")
	s.held("the owner finds both", all.GetTotal() == 4, "%v", all)
	made, err := pb.NewAccessServiceClient(s.daemon.Conn()).CreateAccessToken(s, &pb.CreateAccessTokenRequest{Name: "guest-1", Person: "guest", Scopes: []string{"control", "approve"}, Shared: true})
	s.must(err, "make a token")
	_, err = pb.NewAccessServiceClient(s.daemon.Conn()).ShareSession(s, &pb.ShareSessionRequest{SessionId: shared, Person: "guest", Role: "viewer"})
	s.must(err, "share a session")
	ctx := metadata.AppendToOutgoingContext(s, "x-caller-token", made.GetSecret())
	search := func(r *pb.SearchRequest) (*pb.SearchResponse, error) { return s.daemon.Search().Search(ctx, r) }

	found, err := search(&pb.SearchRequest{Query: "password"})
	foreign := func(found *pb.SearchResponse) bool {
		return slices.ContainsFunc(found.GetHits(), func(h *pb.SearchHit) bool { return h.GetSessionId() != shared })
	}
	s.held("a guest finds what is shared", err == nil && found.GetTotal() == 2 && !foreign(found), "%v, %v", found, err)
	unknown := "0b0e8a10-0000-4000-8000-00000000000c"
	for name, r := range map[string]*pb.SearchRequest{
		"a word": {Query: "swordfish"}, "the beginning of a word": {Query: "swordf*"}, "a phrase": {Query: `"password swordfish"`},
		"the id of the session": {Query: "password", SessionIds: []string{private}}, "ids alone": {SessionIds: []string{private}},
		"a kind in its session": {Kinds: []pb.SearchKind{pb.SearchKind_SEARCH_KIND_USER}, SessionIds: []string{private, unknown}},
	} {
		found, err := search(r)
		s.held("a guest finds nothing by "+name, err == nil && found.GetTotal() == 0 && len(found.GetHits()) == 0, "%v, %v", found, err)
		none, err := search(&pb.SearchRequest{Query: "absentword"})
		s.held("the answer to "+name+" is as to a word that nobody has said", err == nil && proto.Equal(found, none), "%v, %v", found, none)
	}
	page, err := s.daemon.Search().Search(s, &pb.SearchRequest{Query: "password", PageSize: 1})
	s.must(err, "search")
	next, err := search(&pb.SearchRequest{Query: "password", PageToken: page.GetNextPageToken()})
	s.held("a page of the owner shows a guest nothing", status.Code(err) == codes.InvalidArgument || err == nil && !foreign(next), "%v, %v", next, err)
	_, err = pb.NewAccessServiceClient(s.daemon.Conn()).UnshareSession(s, &pb.UnshareSessionRequest{SessionId: shared, Person: "guest"})
	s.must(err, "end the membership")
	found, err = search(&pb.SearchRequest{Query: "password"})
	s.held("a former guest finds nothing", err == nil && found.GetTotal() == 0, "%v, %v", found, err)
}

// attackSearchShown has the agent say what a terminal would obey, and a person search for it.
func attackSearchShown(s *siege) {
	c := s.converse("person", session())
	s.runTurn(c, "echo:beacon \x1b]0;owned\x07\x1b[2J\u202egnp.exe \u200b\u009b31m")
	s.searches("beacon")
	for name, args := range map[string][]string{
		"lines": {"search", "beacon"}, "a table": {"search", "-o", "table", "beacon"}, "the wide form": {"search", "-o", "wide", "beacon"}, "names": {"search", "-o", "name", "beacon"},
	} {
		printed, code := s.cli(args...)
		s.held("escapes are shown in "+name, code == 0 && plain(printed), "exit %d: %q", code, printed)
	}
}

// attackSearchWork asks for searches that would take long.
func attackSearchWork(s *siege) {
	c := s.converse("a", session())
	s.runTurn(c, "echo:"+strings.Repeat("aa ab ac ad ae af ag ah ", 200))
	s.searches("aa")
	for name, r := range map[string]*pb.SearchRequest{
		"too many words":      {Query: strings.Repeat("aa ", 1000)},
		"too much text":       {Query: strings.Repeat("x", 1<<20)},
		"too many prefixes":   {Query: strings.Repeat("aa* ", 9)},
		"a short prefix":      {Query: "a*"},
		"a relative file":     {Query: "aa", File: "../../etc/passwd"},
		"a huge page token":   {Query: "aa", PageToken: strings.Repeat("A", 1<<16)},
		"a forged page token": {Query: "aa", PageToken: strings.Repeat("A", 43)},
		"too many sessions":   {Query: "aa", SessionIds: slices.Repeat([]string{session()}, 10_001)},
		"too many tools":      {Query: "aa", Tools: slices.Repeat([]string{"x"}, 101)},
	} {
		_, err := s.daemon.Search().Search(s, r)
		s.held(name+" is refused", status.Code(err) == codes.InvalidArgument, "%v", err)
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
		_, err := s.daemon.Search().Search(s, &pb.SearchRequest{Query: query})
		code := status.Code(err)
		s.held(name+" ends", code == codes.OK || code == codes.InvalidArgument, "%v after %v", err, time.Since(began))
	}
	_, err := s.daemon.Search().Search(s, &pb.SearchRequest{Query: "aa"})
	s.held("the daemon searches on", err == nil && !strings.Contains(s.daemon.Log(), "panic"), "%v", err)
}

// attackIndex changes the file of the index, as an agent could that writes outside its project.
func attackIndex(s *siege) {
	c := s.converse("a", session())
	s.runTurn(c, "echo:treasure")
	s.searches("treasure")
	file := filepath.Join(s.world.StateDir(), "search", "index.db")
	info, err := os.Stat(file)
	s.must(err, "look at the index")
	s.held("the index is private", info.Mode().Perm() == 0o600, "%v", info.Mode())
	id := session()
	s.runTurn(s.converse("b", id), "echo:forgotten secretword")
	s.searches("secretword")
	_, err = s.daemon.Agents().DeleteSession(s, &pb.DeleteSessionRequest{SessionId: id})
	s.must(err, "delete a session")
	found, err := s.daemon.Search().Search(s, &pb.SearchRequest{Query: "secretword"})
	s.held("a deleted session is not found", err == nil && found.GetTotal() == 0, "%v, %v", found, err)
	for name, harm := range map[string]func(){
		"overwritten": func() { s.must(os.WriteFile(file, bytes.Repeat([]byte{0xff}, 1<<16), 0o600), "overwrite") },
		"a directory": func() { s.must(os.Mkdir(file, 0o700), "make a directory") },
		"a link": func() {
			s.must(os.WriteFile(s.project("elsewhere"), []byte("mine"), 0o600), "write")
			s.must(os.Symlink(s.project("elsewhere"), file), "link")
		},
	} {
		_, err := s.daemon.Stop()
		s.must(err, "stop the daemon")
		s.must(os.Remove(file), "remove the index")
		harm()
		s.start()
		s.held("an index that is "+name+" is built anew", len(s.searches("treasure").GetHits()) > 0, "the log:\n%s", s.daemon.Log())
	}
	s.held("nothing is written behind a link", s.contains(s.project("elsewhere"), "mine"), "it was changed")
}
