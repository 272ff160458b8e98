package search

import (
	"cmp"

	"google.golang.org/protobuf/proto"

	"betcode/messages"
	"betcode/persistence/search/internal/document"
	pb "betcode/proto/betcode/v1"
)

// snippetPages bounds the part of a history that is read for one snippet: a block of text may be interleaved with other events.
const snippetPages = 32

// hit reads the text of a hit. It returns false if the journal no longer has the event.
func (x *Index) hit(s *search, h hit) (messages.SearchHit, bool) {
	x.mu.RLock()
	id, tool := x.sessions[h.row.session], x.tools[min(int(h.row.tool), len(x.tools)-1)]
	x.mu.RUnlock()
	outline := s.facts[h.row.session].outline
	out := messages.SearchHit{
		Session: id, Name: cmp.Or(outline.Name, outline.Title), Directory: outline.Directory, Seq: h.row.seq, At: h.row.time(), Kind: h.row.kindOf(), Tool: tool, Score: h.score,
	}
	text, there := x.text(id, h.row.seq)
	if there {
		out.Snippet, out.Matches = s.query.Snippet(text)
	}
	return out, there
}

// text reads the text of the document that begins with an event, as it was indexed.
func (x *Index) text(id messages.SessionID, seq messages.Seq) (string, bool) {
	var b document.Builder
	found := func(documents []document.Document) (string, bool) {
		for _, d := range documents {
			if d.Seq == seq {
				return d.Text, true
			}
		}
		return "", false
	}
	room, at := 1, seq-1
	for range snippetPages {
		page, err := x.options.Journal.Events(id, at, room, pageBytes)
		if err != nil || len(page) == 0 || at == seq-1 && page[0].Seq != seq {
			break
		}
		for _, e := range page {
			var event pb.AgentEvent
			if proto.Unmarshal(e.Bytes, &event) != nil {
				continue
			}
			if text, ok := found(b.Add(e.Seq, &event)); ok {
				return text, true
			}
		}
		at, room = page[len(page)-1].Seq, pageEvents
		if b.Open() == 0 {
			return "", false // the event makes no document
		}
	}
	return found(b.Finish())
}
