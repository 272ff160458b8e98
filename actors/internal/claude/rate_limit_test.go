package claude

import (
	"testing"
	"time"
)

func TestLimitEnd(t *testing.T) {
	for text, want := range map[string]time.Time{
		"Claude AI usage limit reached|1795166400":   time.Unix(1795166400, 0).UTC(),
		"limit reached|1795166400 and more":          time.Unix(1795166400, 0).UTC(),
		"limit reached|17951664001795166400":         {},
		"limit reached|soon":                         {},
		"API Error: 429 rate_limit_error: slow down": {},
	} {
		if got := limitEnd(text); !got.Equal(want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
