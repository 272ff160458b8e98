package record

import (
	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

func storePast(p *messages.Past) *storev1.Past {
	if *p == (messages.Past{}) {
		return nil
	}
	return &storev1.Past{
		Boundary:      storePlace(p.Boundary),
		Exchange:      storePlace(p.Exchange),
		Begun:         storePlace(p.Begun),
		Compaction:    storeCompaction(&p.Compaction),
		ContextTokens: p.ContextTokens,
		ContextWindow: p.ContextWindow,
		Bytes:         p.Bytes,
		LowWater:      uint64(p.LowWater),
		LowWaterBytes: p.LowWaterBytes,
	}
}

func loadPast(p *storev1.Past) messages.Past {
	return messages.Past{
		Boundary:      loadPlace(p.GetBoundary()),
		Exchange:      loadPlace(p.GetExchange()),
		Begun:         loadPlace(p.GetBegun()),
		Compaction:    loadCompaction(p.GetCompaction()),
		ContextTokens: p.GetContextTokens(),
		ContextWindow: p.GetContextWindow(),
		Bytes:         p.GetBytes(),
		LowWater:      messages.Seq(p.GetLowWater()),
		LowWaterBytes: p.GetLowWaterBytes(),
	}
}

func storePlace(p messages.Place) *storev1.Place {
	if p == (messages.Place{}) {
		return nil
	}
	return &storev1.Place{Seq: uint64(p.Seq), Messages: p.Messages}
}

func loadPlace(p *storev1.Place) messages.Place {
	return messages.Place{Seq: messages.Seq(p.GetSeq()), Messages: p.GetMessages()}
}

func storeCompaction(c *messages.Compaction) *storev1.Compaction {
	if *c == (messages.Compaction{}) {
		return nil
	}
	return &storev1.Compaction{
		Key:            c.Key,
		Phase:          uint32(c.Phase),
		Trigger:        c.Trigger,
		To:             storePlace(c.To),
		MessagesBefore: c.MessagesBefore,
		MessagesAfter:  c.MessagesAfter,
		TokensBefore:   c.TokensBefore,
		TokensAfter:    c.TokensAfter,
		Summarised:     c.Summarized,
		Failure:        c.Failure,
		At:             StoreTime(c.At),
	}
}

func loadCompaction(c *storev1.Compaction) messages.Compaction {
	return messages.Compaction{
		Key:            c.GetKey(),
		Phase:          messages.CompactionPhase(c.GetPhase()),
		Trigger:        c.GetTrigger(),
		To:             loadPlace(c.GetTo()),
		MessagesBefore: c.GetMessagesBefore(),
		MessagesAfter:  c.GetMessagesAfter(),
		TokensBefore:   c.GetTokensBefore(),
		TokensAfter:    c.GetTokensAfter(),
		Summarized:     c.GetSummarised(),
		Failure:        c.GetFailure(),
		At:             LoadTime(c.GetAt()),
	}
}
