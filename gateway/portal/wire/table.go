package wire

import "reflect"

// row is a type of message, with its route, and its first and last dialect.
type row struct {
	name     string
	message  Message
	route    Route
	from, to Dialect
}

// table lists all messages. A type that is used on several routes has a row for each.
var table = []row{
	{"Register", Register{}, FromProxy, G1, G3},
	{"SequencedOutput", SequencedOutput{}, FromProxy, G1, G3},
	{"ClaudeOutput", ClaudeOutput{}, FromProxy, G1, G3},
	{"PermissionRequest", PermissionRequest{}, FromProxy, G1, G3},
	{"InputAck", InputAck{}, FromProxy, G1, G3},
	{"SessionUpdate", SessionUpdate{}, FromProxy, G1, G3},
	{"Heartbeat", Heartbeat{}, FromProxy, G1, G3},
	{"SessionStatus", SessionStatus{}, FromProxy, G2, G3},
	{"InputProgressAck", InputProgressAck{}, FromProxy, G3, G3},
	{"TurnMetricsReport", TurnMetricsReport{}, FromProxy, G3, G3},
	{"ToolProgress", ToolProgress{}, FromProxy, G3, G3},
	{"Ephemeral", Ephemeral{}, FromProxy, G3, G3},
	{"SessionLimitReached", SessionLimitReached{}, FromProxy, G3, G3},
	{"FileUploadResult", FileUploadResult{}, FromProxy, G3, G3},
	{"FileDownloadResponse", FileDownloadResponse{}, FromProxy, G3, G3},
	{"ForwardStatus", ForwardStatus{}, FromProxy, G3, G3},
	{"TunnelOpened", TunnelOpened{}, FromProxy, G3, G3},
	{"TunnelRefused", TunnelRefused{}, FromProxy, G3, G3},
	{"TunnelData", TunnelData{}, FromProxy, G3, G3},
	{"TunnelWindow", TunnelWindow{}, FromProxy, G3, G3},
	{"TunnelClose", TunnelClose{}, FromProxy, G3, G3},

	{"RegisterAck", RegisterAck{}, ToProxy, G1, G3},
	{"SequencedInput", SequencedInput{}, ToProxy, G1, G3},
	{"ClaudeInput", ClaudeInput{}, ToProxy, G1, G3},
	{"PermissionResponse", PermissionResponse{}, ToProxy, G1, G3},
	{"OutputAck", OutputAck{}, ToProxy, G1, G3},
	{"Heartbeat", Heartbeat{}, ToProxy, G1, G3},
	{"ServerShutdown", ServerShutdown{}, ToProxy, G1, G3},
	{"FileUploadStart", FileUploadStart{}, ToProxy, G2, G3},
	{"FileUploadChunk", FileUploadChunk{}, ToProxy, G2, G3},
	{"SessionTerminated", SessionTerminated{}, ToProxy, G2, G3},
	{"Interrupt", Interrupt{}, ToProxy, G2, G3},
	{"FileDownloadRequest", FileDownloadRequest{}, ToProxy, G3, G3},
	{"ForwardOpen", ForwardOpen{}, ToProxy, G3, G3},
	{"ForwardClose", ForwardClose{}, ToProxy, G3, G3},
	{"TunnelOpen", TunnelOpen{}, ToProxy, G3, G3},
	{"TunnelData", TunnelData{}, ToProxy, G3, G3},
	{"TunnelWindow", TunnelWindow{}, ToProxy, G3, G3},
	{"TunnelClose", TunnelClose{}, ToProxy, G3, G3},

	{"Register", Register{}, FromPage, G1, G3},
	{"ClaudeInput", ClaudeInput{}, FromPage, G1, G3},
	{"PermissionResponse", PermissionResponse{}, FromPage, G1, G3},
	{"FileUploadStart", FileUploadStart{}, FromPage, G2, G3},
	{"FileUploadChunk", FileUploadChunk{}, FromPage, G2, G3},
	{"Interrupt", Interrupt{}, FromPage, G2, G3},
	{"StopRepeat", StopRepeat{}, FromPage, G1, G3}, // ours
	{"ScheduleLimitContinuation", ScheduleLimitContinuation{}, FromPage, G3, G3},

	{"ClaudeOutput", ClaudeOutput{}, ToPage, G1, G3},
	{"HistoryBatch", HistoryBatch{}, ToPage, G2, G3},
	{"PermissionRequest", PermissionRequest{}, ToPage, G1, G3},
	{"SessionUpdate", SessionUpdate{}, ToPage, G1, G3},
	{"Error", ErrorMessage{}, ToPage, G1, G3},
	{"UserSpendUpdate", UserSpendUpdate{}, ToPage, G1, G3},
	{"ServerShutdown", ServerShutdown{}, ToPage, G1, G3},
	{"SessionStatus", SessionStatus{}, ToPage, G1, G3},
	{"SessionExited", SessionExited{}, ToPage, G2, G3},
	{"InputProgress", InputProgress{}, ToPage, G3, G3},
	{"FileUploadResult", FileUploadResult{}, ToPage, G3, G3},
	{"LaunchersChanged", LaunchersChanged{}, ToPage, G3, G3},
	{"ForwardsChanged", ForwardsChanged{}, ToPage, G3, G3},
	{"ToolProgress", ToolProgress{}, ToPage, G3, G3},
	{"Ephemeral", Ephemeral{}, ToPage, G3, G3},

	{"StartVoice", StartVoice{}, FromVoice, G1, G2},
	{"StopVoice", StopVoice{}, FromVoice, G1, G2},
	{"Transcription", Transcription{}, ToVoice, G1, G2},
	{"VoiceEnded", VoiceEnded{}, ToVoice, G1, G2},
	{"VoiceError", VoiceError{}, ToVoice, G1, G2},
}

type (
	decodeKey struct {
		route Route
		name  string
	}
	encodeKey struct {
		route Route
		of    reflect.Type
	}
)

var byName, byType = index()

func index() (map[decodeKey]row, map[encodeKey]row) {
	names, types := map[decodeKey]row{}, map[encodeKey]row{}
	for _, r := range table {
		names[decodeKey{r.route, r.name}] = r
		types[encodeKey{r.route, reflect.TypeOf(r.message)}] = r
	}
	return names, types
}
