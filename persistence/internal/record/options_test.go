package record

import (
	"reflect"
	"testing"

	"betcode/messages"
)

// fullOptions has every option.
func fullOptions() messages.AgentOptions {
	return messages.AgentOptions{
		Effort: "high", Thinking: "enabled", MaxThinkingTokens: 2048, MaxTurns: 3, MaxBudgetUSD: 0.5, Agent: "rev",
		Tools: []string{"Read"}, NoTools: true, AppendSystemPrompt: "be brief", Directories: []string{"/srv"},
		Agents: []byte(`{"rev":{}}`), Servers: messages.Secret(`{"mcpServers":{}}`), OnlyServers: true, Fleet: true,
	}
}

// Each field of the options and of a fork is stored: one that is added is not forgotten.
func TestEveryOptionIsStored(t *testing.T) {
	full := reflect.ValueOf(fullOptions())
	for i := range full.NumField() {
		name := full.Type().Field(i).Name
		if full.Field(i).IsZero() {
			t.Errorf("fullOptions has no %s", name)
		}
		one := reflect.New(full.Type()).Elem()
		one.Field(i).Set(full.Field(i))
		o, ok := one.Interface().(messages.AgentOptions)
		if got := loadOptions(storeOptions(o)); !ok || !reflect.DeepEqual(got, o) {
			t.Errorf("%s is not stored: %+v", name, got)
		}
	}
	fork := messages.Fork{Session: "s", Seq: 3, AgentSession: "a", Message: "m", CostUSD: 0.5}
	if got := loadFork(storeFork(fork)); got != fork || storeFork(messages.Fork{}) != nil || loadFork(nil) != (messages.Fork{}) {
		t.Errorf("fork: %+v", got)
	}
}
