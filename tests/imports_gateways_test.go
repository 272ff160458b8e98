package tests

// gatewayRules are the rules of the gateways.
var gatewayRules = []rule{
	{
		pkg: "grpcapi", may: []string{"messages", "proto", "grpcapi"}, because: "the gateway asks through an interface it declares, so that its tests need no actors",
		never: map[string]string{
			protoactor: "a gateway test needs no actor system",
			bbolt:      "a gateway asks; it does not read the journal",
		},
	},
	{
		pkg: "grpcapi/handler", may: []string{"messages", "grpcapi/auth"}, because: "what all handlers share knows no service",
		never: map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal"},
	},
	{
		pkg: "grpcapi/translate", may: []string{"messages", "proto", "grpcapi/wire"}, because: "a translation is pure: it knows its argument and neither caller nor actors",
		never: map[string]string{
			protoactor: "messages are values", bbolt: "messages are values", "context": "a translation does not wait", "google.golang.org/grpc/metadata": "a translation knows no call",
		},
	},
	{
		pkg: "grpcapi/listing", may: []string{"messages", "proto", "grpcapi/translate"}, because: "a list is made of records and of what was encoded before",
		never: map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal", "context": "encoding does not wait"},
	},
	{
		pkg: "grpcapi/fleet", may: []string{"messages", "proto", "grpcapi/auth", "grpcapi/handler", "grpcapi/translate", "grpcapi/wire"},
		because: "services of subagents know no other service",
		never:   map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal"},
	},
	{
		pkg: "grpcapi/proxy", may: []string{"messages", "proto", "grpcapi/auth", "grpcapi/handler", "grpcapi/translate", "grpcapi/wire"},
		because: "the service of proxies knows no other service",
		never:   map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal"},
	},
	{
		pkg: "grpcapi/repository", may: []string{"messages", "proto", "grpcapi/auth", "grpcapi/handler", "grpcapi/translate", "grpcapi/wire"},
		because: "services of repositories know no other service",
		never:   map[string]string{protoactor: "a gateway test needs no actor system", bbolt: "a gateway asks; it does not read the journal"},
	},
	{
		pkg: "grpcapi/auth", may: []string{"messages", "proto", "grpcapi/wire"}, because: "calls are admitted before any handler, by what the transport and the request say",
		never: map[string]string{protoactor: "admission needs no actor system", bbolt: "admission needs no journal"},
	},
	{
		pkg: "grpcapi/version", may: []string{"messages", "proto", "grpcapi/auth", "grpcapi/wire"},
		because: "versions and features are compared without sessions; reports of agents come through a function",
		never:   map[string]string{protoactor: "a negotiation needs no actor system", bbolt: "a negotiation needs no journal"},
	},
	{
		pkg: "grpcapi/wire", may: []string{"messages", "proto"}, because: "bytes become messages and errors become statuses without callers or sessions",
		never: map[string]string{protoactor: "decoding needs no actor system", bbolt: "decoding needs no journal"},
	},
	{
		pkg: "gateway/portal", may: []string{"proto", "gateway/portal", "gateway/refusal"},
		because: "a front translates for clients of another protocol and asks the daemon as any client does: it can pass none of its checks",
		never: map[string]string{
			protoactor: "a front needs no actor system",
			grpc:       "conversations come through an interface that the front declares, so that its tests need no connection",
			bbolt:      "a front asks; it does not read the journal",
		},
	},
	{
		pkg: "gateway/refusal", may: []string{"proto"}, because: "a text is made from the error alone, so that every front can use it",
		never: map[string]string{grpc: "errors come from the caller", "context": "a text does not wait"},
	},
	{
		pkg: "gateway/portal/proxies", may: []string{"proto", "gateway/portal/wire", "gateway/portal/fragment"},
		because: "proxies and pages share the frames and nothing else: what one sees of the other went through the daemon",
		never: map[string]string{
			protoactor: "a front needs no actor system",
			grpc:       "calls come through an interface that the front declares, so that its tests need no connection",
		},
	},
	{
		pkg: "gateway/portal/wire", because: "the frames of the portal are known without sessions and without this daemon",
		never: map[string]string{"context": "a codec does not wait", "net/http": "a frame knows no connection"},
	},
	{
		pkg: "gateway/portal/places", because: "how much one caller takes is counted without knowing what it takes",
		never: map[string]string{protoactor: "a front needs no actor system", grpc: "the daemon has bounds of its own"},
	},
	{
		pkg: "gateway/portal/voice", may: []string{"gateway/portal/wire", "gateway/portal/places"},
		because: "what people say becomes text without the daemon: the page sends it as a prompt, or does not",
		never:   map[string]string{protoactor: "a front needs no actor system", grpc: "speech is no business of the daemon"},
	},
	{
		pkg: "gateway/portal/lines", may: []string{"proto"}, because: "lines are made from events alone, so that every front for readers of lines can use them",
		never: map[string]string{grpc: "events come from the caller", "context": "a translation does not wait"},
	},
	{
		pkg: "gateway/portal/proxy", may: []string{"proto", "messages", "gateway/portal/wire", "gateway/portal/lines", "gateway/portal/requests", "gateway/portal/upload", "gateway/portal/fragment"},
		because: "a proxy is a client of two others: the daemon comes through an interface that it declares, and the portal's pages are none of its business",
		never: map[string]string{
			protoactor: "a front needs no actor system",
			grpc:       "conversations come through an interface, so that its tests need no connection",
			bbolt:      "a front asks; it does not read the journal",
		},
	},
	{
		pkg: "gateway/portal/proxy/proxytest", because: "the backend of others is written from its document alone: it shares no mistake with the proxy",
		never: map[string]string{"context": "a model of a backend does not wait"},
	},
	{
		pkg: "gateway/portal/upload", may: []string{"gateway/portal/wire"},
		because: "files of pages and of portals of others are put together by one rule, which is tested without either",
		never:   map[string]string{"os": "the caller stores what is complete", "context": "a file in memory does not wait"},
	},
	{
		pkg: "gateway/portal/device", because: "codes of devices are a table that is tested without a portal",
		never: map[string]string{grpc: "the daemon is asked by the portal", "net/http": "requests are read by the portal", "context": "a table does not wait"},
	},
	{
		pkg: "gateway/portal/requests", may: []string{"proto", "messages", "gateway/portal/wire"},
		because: "what waits for an answer is known from events alone, for pages and for portals of others alike",
		never:   map[string]string{grpc: "events come from the caller", "context": "a ledger does not wait"},
	},
	{
		pkg: "gateway/socket", may: []string{"proto", "gateway/refusal"},
		because: "a front translates for clients of another protocol and asks the daemon as any client does: it can pass none of its checks",
		never: map[string]string{
			protoactor: "a front needs no actor system",
			grpc:       "conversations come through an interface that the front declares, so that its tests need no connection",
			bbolt:      "a front asks; it does not read the journal",
		},
	},
}
