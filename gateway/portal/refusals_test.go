package portal

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// record is a log in memory.
type record struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *record) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(line)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// A flood of refused requests causes a bounded number of lines, and one line with the number of the others.
func TestRefusalsAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out record
		log := zerolog.New(&out)
		s := New(Options{Connect: func(string, string) (Daemon, error) { return nil, ErrUnauthenticated }, Logger: &log})
		flood := func(requests int) {
			for range requests {
				r := httptest.NewRequest(http.MethodGet, "http://elsewhere.example/api/health", nil)
				s.Handler().ServeHTTP(httptest.NewRecorder(), r)
			}
		}
		logged := func() (lines, more int) {
			synctest.Wait()
			return strings.Count(out.String(), `"request refused"`), strings.Count(out.String(), `"more refusals"`)
		}
		flood(maxRefusals + 40)
		if lines, more := logged(); lines != maxRefusals || more != 0 {
			t.Errorf("during the flood: %d lines, %d numbers", lines, more)
		}
		time.Sleep(refusalPeriod)
		if lines, more := logged(); lines != maxRefusals || more != 1 || !strings.Contains(out.String(), `"refusals":40,`) {
			t.Errorf("after a minute: %d lines, %d numbers in\n%s", lines, more, out.String())
		}
		flood(maxRefusals + 2)
		s.overflow.close()
		if lines, more := logged(); lines != 2*maxRefusals || more != 2 || !strings.Contains(out.String(), `"refusals":2,`) {
			t.Errorf("at the end: %d lines, %d numbers", lines, more)
		}
	})
}
