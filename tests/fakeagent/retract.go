package main

// superseded sends a complete text, and then another message that replaces it.
func superseded(t *turn, _ string) error {
	first := t.finished("This text goes away.")
	second := t.reply("end_turn")
	second.assistant(obj{"type": "text", "text": "This text stays."}, obj{"supersedes": []string{first}})
	second.ended()
	second.stop()
	t.said = "This text stays."
	return nil
}

// refusedByModel sends a text that the model's refusal withdraws; another model answers.
func refusedByModel(t *turn, _ string) error {
	first := t.finished("This text goes away.")
	t.a.system("model_refusal_fallback", obj{
		"trigger": "refusal", "direction": "retry", "original_model": t.a.model.get(), "fallback_model": "claude-other",
		"request_id": nil, "retracted_message_uuids": []string{first}, "content": "Another model answers.",
	})
	return t.sayf("This text stays.")
}

// finished streams a text in a message of its own and returns the uuid of its line.
func (t *turn) finished(text string) string {
	r := t.reply("end_turn")
	r.open(obj{"type": "text", "text": ""})
	r.delta(obj{"type": "text_delta", "text": text})
	line := r.assistant(obj{"type": "text", "text": text}, nil)
	r.event(obj{"type": "content_block_stop", "index": 0}, nil)
	r.ended()
	r.stop()
	return line
}
