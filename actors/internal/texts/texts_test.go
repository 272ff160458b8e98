package texts

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	for age, want := range map[time.Duration]string{
		20 * time.Second:               "20s",
		90 * time.Second:               "1m0s",
		time.Hour + 59*time.Minute:     "1h",
		47*time.Hour + 59*time.Minute:  "47h",
		48 * time.Hour:                 "2d",
		71*time.Hour + 59*time.Minute:  "2d",
		9*24*time.Hour + 3*time.Second: "9d",
	} {
		if got := Age(age); got != want {
			t.Errorf("%s: %s", age, got)
		}
	}
}
