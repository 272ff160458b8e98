package persistence

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"betcode/messages"
	"betcode/persistence/internal/fault"
	"betcode/persistence/internal/record"
	storev1 "betcode/proto/betcode/store/v1"
)

// Fields of a newer build survive when this build rewrites a record.
func TestUnknownFieldsSurvive(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0))
	news := protowire.AppendString(protowire.AppendTag(nil, 900, protowire.BytesType), "news")
	keys := map[string][]byte{
		"sessions": record.RowKey(1, record.RowSession), "runs": record.PairKey(1, 1), "inputs": record.NameKey(1, "one"),
		"bodies": record.NameKey(1, "one"), "permissions": record.NameKey(1, "p1"), "keys": record.NameKey(1, "idem"),
	}
	for bucket, key := range keys {
		f.change(bucket, key, func(value []byte) []byte {
			body, _ := record.Unstamp(key, value)
			return record.Stamp(key, append(bytes.Clone(body), news...))
		})
	}
	again := full(sid(1), 3)
	again.Cursor.Offset, again.SpoolFrom = 200, 100
	again.Inputs[1].Content = "changed"
	f.commit(again)
	f.seal()
	for bucket, key := range keys {
		if value := f.raw(bucket, key); !bytes.Contains(value, news) {
			t.Errorf("%s: the news is gone", bucket)
		}
	}
	if got := f.load(sid(1)).Inputs; len(got) != 2 || got[0].Content != "changed" {
		t.Errorf("inputs: %+v", got)
	}
}

func TestRecordOfANewerVersion(t *testing.T) {
	f := newFixture(t)
	f.damaged = true
	f.commit(full(sid(1), 0))
	key := record.PairKey(1, 1)
	f.change("runs", key, func([]byte) []byte {
		value, _ := record.Encode(key, &storev1.Run{Version: record.RecordVersion + 1}, nil)
		return value
	})
	_, err := f.store.Load(sid(1))
	wantKind(t, "load", err, messages.Unimplemented)
	if e := fault.As(err); !strings.Contains(e.Error(), "runs/1/1") || e.Hint != fault.HintNewer {
		t.Errorf("it says %q, hint %q", e.Error(), e.Hint)
	}
}
