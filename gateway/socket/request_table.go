package socket

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
)

// requestTable numbers the requests of a session: permissions and questions share one counter.
type requestTable struct {
	last    uint64            // the newest number
	numbers map[string]string // request id of the daemon → "req_<n>"
	prompts map[string]*prompt
}

// prompt is a numbered request for the client.
type prompt struct {
	number   string
	request  string           // the daemon's id
	question bool             // answered by question_response
	input    *structpb.Struct // of the tool call, for permissions
	line     any              // line for the client
	shown    bool             // the client has the line
}

func newRequestTable(before uint64) requestTable {
	return requestTable{last: before, numbers: map[string]string{}, prompts: map[string]*prompt{}}
}

// known reports whether a request has a number.
func (b *requestTable) known(request string) bool { return b.numbers[request] != "" }

// number gives a request the next number.
func (b *requestTable) number(request string) string {
	b.last++
	n := fmt.Sprintf("req_%d", b.last)
	b.numbers[request] = n
	return n
}

// resolve removes a request that no longer waits, and returns it; nil if it is unknown. If the
// agent asks again under another id, successor, that request keeps the number.
func (b *requestTable) resolve(request, successor string) *prompt {
	p := b.prompts[b.numbers[request]]
	if p == nil {
		return nil
	}
	if successor != "" && !b.known(successor) {
		b.numbers[successor], p.request = p.number, successor
		return nil
	}
	delete(b.prompts, p.number)
	return p
}

// waiting returns the waiting requests, oldest first.
func (b *requestTable) waiting() []*prompt {
	var all []*prompt
	for n, left := uint64(1), len(b.prompts); left > 0 && n <= b.last; n++ {
		if p := b.prompts[fmt.Sprintf("req_%d", n)]; p != nil {
			all, left = append(all, p), left-1
		}
	}
	return all
}

// requestOf returns the request that a question belongs to, "<request>/<n>".
func requestOf(question string) string {
	if at := strings.LastIndexByte(question, '/'); at > 0 {
		return question[:at]
	}
	return question
}
