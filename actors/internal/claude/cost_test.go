package claude

import (
	"fmt"
	"testing"
	"time"
)

// costly is the last line of a turn of 18 tokens.
func costly(total string, tokens int) string {
	return fmt.Sprintf(`{"type":"result","subtype":"success","is_error":false,"total_cost_usd":%s,"usage":{"input_tokens":11,"output_tokens":7},`+
		`"modelUsage":{"m":{"inputTokens":%d}}}`, total, tokens)
}

// The agent's total runs on across turns; that of a new process may begin again, which its sums of tokens show.
func TestCostOfTurns(t *testing.T) {
	const end = "" // of the process
	for name, c := range map[string]struct {
		lines []string
		want  []float64
	}{
		"one process":            {[]string{costly("0.5", 18), costly("0.75", 36)}, []float64{0.5, 0.25}},
		"counted on":             {[]string{costly("0.5", 18), end, costly("0.75", 36)}, []float64{0.5, 0.25}},
		"counted anew, more":     {[]string{costly("0.5", 18), end, costly("0.75", 18)}, []float64{0.5, 0.75}},
		"counted anew, the same": {[]string{costly("0.5", 18), end, costly("0.5", 18)}, []float64{0.5, 0.5}},
		"counted anew, less":     {[]string{costly("0.5", 18), end, costly("0.25", 18)}, []float64{0.5, 0.25}},
		"anew, and on":           {[]string{costly("0.5", 18), end, costly("0.5", 18), costly("0.75", 36)}, []float64{0.5, 0.5, 0.25}},
		"a total that falls":     {[]string{costly("0.5", 18), costly("0.25", 36)}, []float64{0.5, 0.25}},
		"a total below 0":        {[]string{costly("0.5", 18), costly("-3", 36), costly("0.75", 54)}, []float64{0.5, -1, 0.25}},
		"a total that cannot be": {[]string{costly("0.5", 18), costly("1e300", 36), costly("0.75", 54)}, []float64{0.5, -1, 0.25}},
		"no total":               {[]string{costly("0.5", 18), `{"type":"result","subtype":"success"}`}, []float64{0.5, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			var got []float64
			for _, line := range c.lines {
				if line == end {
					s, _ = EndRun(s, time.Time{})
					continue
				}
				next, items := Translate(s, []byte(line), time.Time{})
				s = next
				for _, item := range items {
					if e, ok := item.(TurnEnded); ok && e.Usage.CostUnknown {
						got = append(got, -1)
					} else if ok {
						got = append(got, e.Usage.CostUSD)
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
