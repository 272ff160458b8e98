//go:build linux

package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/persistence"
	"betcode/tests/kit"
)

// TestQuick: the benchmarks count right; how long anything takes is not asked.
func TestQuick(t *testing.T) {
	t.Parallel()
	for _, l := range []load{
		{sessions: 2, clients: 1, work: work{lines: 2000}},
		{sessions: 2, clients: 2, work: work{lines: 20, rate: 200}},
	} {
		for _, binary := range []string{binaries.betcode, binaries.linked} {
			var env []string
			if binary == binaries.linked {
				env = linked(asBuilt)
			}
			o := newRig(t, binary, l, env...).run()
			if o.events < l.sessions*l.lines || o.bytes < int64(o.events*textSize/2) || o.batches == 0 || o.batches > o.events {
				t.Errorf("%+v: %d events, %d bytes, %d batches", l, o.events, o.bytes, o.batches)
			}
			if want := l.sessions * l.clients * l.lines; l.rate > 0 && len(o.delays) != want {
				t.Errorf("%+v: %d delays of %d", l, len(o.delays), want)
			}
			if len(o.delays) > 0 && quantile(o.delays, 0) <= 0 {
				t.Errorf("%+v: a line came before it was written", l)
			}
			if binary == binaries.linked && o.journal.Commits == 0 {
				t.Errorf("%+v: no commits were counted", l)
			}
		}
	}
	checkOdd(t)
	if tallies, _ := bareStreams(t, "bytes:100:150", "lines:pace:5:100:100"); tallies[0].events != 100 || len(tallies[1].delays) != 5 {
		t.Errorf("the bare path: %+v", tallies)
	}
	if bareCommits(t, 100, 10, 150) <= 0 {
		t.Error("no bare commits")
	}
}

// checkOdd: sessions may have work of their own or none, their clients may be
// elsewhere, lines may be long or garbage, and a part of what came of it can be read
// again.
func checkOdd(t *testing.T) {
	t.Helper()
	l := load{sessions: 4, clients: 1, apart: 3, work: work{lines: 5, rate: 100}}
	r := newRig(t, binaries.betcode, l)
	var o outcome
	peak := r.peak(func() { o = r.play(l.beside(work{own: "lines:2:100:100000"}, work{own: "garbage:1:1"})) })
	if len(o.delays) != 5 || o.bytes < 200_000 || peak <= 0 {
		t.Errorf("of odd work came %d delays and %d bytes, with %d of memory", len(o.delays), o.bytes, peak)
	}
	if got, err := r.replay(t.Context(), 2, 3); err != nil || got.events != 3 || got.first.IsZero() {
		t.Errorf("of three events %d came: %v", got.events, err)
	}
}

// TestHistory: a daemon takes a past that was written without it for its own.
func TestHistory(t *testing.T) {
	t.Parallel()
	w, err := kit.NewWorld(binaries.betcode, binaries.agent)
	if err != nil {
		t.Fatal(err)
	}
	h := newHistory(t, persistence.Options{Directory: filepath.Join(w.StateDir(), "journal")}, w.Project, 20)
	h.write(400, 5)
	if h.appendCost() <= 0 {
		t.Error("appends cost nothing")
	}
	h.close()
	r := &rig{TB: t, world: w, streams: []*stream{{session: string(h.sessions[7].id)}}}
	defer r.end()
	if r.daemon, err = w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	most := int(h.sessions[7].head)
	if got, err := r.replay(t.Context(), 0, most); err != nil || got.events != most {
		t.Errorf("of %d events %d came: %v", most, got.events, err)
	}
}

// TestQuickGateway: the clients of the gateway get each piece.
func TestQuickGateway(t *testing.T) {
	if o := newGatewayRig(t, load{sessions: 2, work: work{lines: 200}}).run(); o.took <= 0 {
		t.Errorf("the turns took %v", o.took)
	}
}

// TestQuickPages: each page gets each line of an agent or a proxy once, with its delay.
func TestQuickPages(t *testing.T) {
	l := pageLoad{pages: 6, logins: 2, lines: 20, rate: 100}
	for what, o := range map[string]pageOutcome{
		"agent":   newPageRig(t, load{sessions: 1, clients: 1}, l).run(),
		"proxies": newPageRig(t, load{}, l).runProxies(4),
	} {
		o.check(t, what, l)
	}
}

// check fails the test for missing lines.
func (o pageOutcome) check(t *testing.T, what string, l pageLoad) {
	t.Helper()
	if o.lagging > 0 || len(o.delays) != l.pages*l.lines || quantile(o.delays, 0) <= 0 || o.peak <= 0 {
		t.Errorf("%s: %d pages lag, %d delays, the least %d, %d bytes", what, o.lagging, len(o.delays), quantile(o.delays, 0), o.peak)
	}
}

// TestReport: the table has a row for each figure and the line an entry for each headline; an
// unmeasured figure is a dash.
func TestReport(t *testing.T) {
	s := sheet{figures: map[string]map[string][]float64{}}
	for _, v := range []float64{1, 9, 5} {
		s.add("Day", unitP50, v)
	}
	s.add("Flood", unitEvents, 123456)
	s.add("Flood", unitSize, 184.5)
	s.add("Many/clients", unitLagging, 3)
	var out strings.Builder
	path := filepath.Join(t.TempDir(), "bench.json")
	if err := s.publish(&out, path, machineOf(t.TempDir())); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| Day | p50-ms | 5 | ≤ 2, **missed** |\n", "| Flood | events/s | 123456 | ≥ 100000 |\n", "| Flood | B/event | 184 | |\n",
		"| Many/clients | lagging | 3 | none, **missed** |\n",
		"\nbench: throughput=123456 of_ceiling=- p50_ms=5 p99_ms=- of_floor=- replay=- of_grpc=- write_amp=- start_ms=- anon_mb=-\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	var saved struct {
		Machine facts
		Medians map[string]map[string]float64
	}
	if content, err := os.ReadFile(path); err != nil || json.Unmarshal(content, &saved) != nil || saved.Medians["Day"][unitP50] != 5 || saved.Machine.Kernel == "" {
		t.Errorf("saved was %+v, %v", saved, err)
	}
}
