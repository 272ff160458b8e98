package tests

// cmdRules are the rules of the command.
var cmdRules = []rule{
	{
		pkg: "cmd/betcode", may: []string{"cmd/betcode/internal/cli", "cmd/betcode/internal/delay"},
		because: "main delays the first collection and hands the streams to the command line; everything else can be tested there",
	},
	{
		pkg: "cmd/betcode/internal/delay", because: "it is initialized before all others that import anything of ours",
	},
	{
		pkg: "cmd/betcode/internal/console", may: []string{"messages"},
		because: "streams, text and tables are the same for every command, so they know none and no daemon",
		never:   map[string]string{grpc: "what is printed does not depend on where it came from"},
	},
	{
		pkg: "cmd/betcode/internal/sessionstate", may: []string{"proto", "messages", "cmd/betcode/internal/console"},
		because: "the state of a session is made of what the daemon reports, wherever it is shown",
		never:   map[string]string{grpc: "a state has no connection"},
	},
	{
		pkg: "cmd/betcode/internal/output", may: []string{"proto", "messages", "cmd/betcode/internal/console", "cmd/betcode/internal/exit"},
		because: "a value is printed in the form that the caller names, whichever command fetched it",
		never:   map[string]string{grpc: "what is printed does not depend on where it came from"},
	},
	{
		pkg: "cmd/betcode/internal/host", may: []string{"messages", "config", "supervision", "persistence", "actors", "grpcapi", "cmd/betcode/internal"},
		because: "the daemon in this process is the one that joins actors, journal and gateway",
	},
	{
		pkg: "cmd/betcode/internal/gateways", may: []string{"proto", "messages", "config", "actors", "gateway", "grpcapi/auth", "cmd/betcode/internal"},
		because: "a gateway as a process joins a front, a connection to the daemon, and the admission of callers, which asks for their ancestry",
	},
	{
		pkg: "cmd/betcode/internal/offline", may: []string{"proto", "messages", "config", "persistence", "actors", "grpcapi/translate", "cmd/betcode/internal"},
		because: "what works on files without a daemon reads them as a daemon does, and answers as its gateway does",
		never:   map[string]string{grpc: "nothing here talks to a daemon"},
	},
	{
		pkg: "cmd/betcode/internal/launch", may: []string{"proto", "messages", "config", "cmd/betcode/internal"},
		because: "a daemon is started and replaced as a process; its parts are not linked for that",
	},
	{
		pkg: "cmd/betcode/internal/doctor", may: []string{"proto", "messages", "config", "actors/orphans", "cmd/betcode/internal"},
		because: "it looks at all of an installation: settings, files, agents without a daemon, and the daemon as a client sees it",
		never: map[string]string{
			module + "/cmd/betcode/internal/host": "an examination starts nothing",
			grpc:                                  "it asks through the client that every command uses",
		},
	},
	{
		pkg: "cmd/betcode/internal/service", may: []string{"messages", "packaging"},
		because: "a service is a file and a few commands of its manager",
	},
	{
		pkg:     "packaging",
		because: "files for systems, embedded into the program: a leaf",
	},
	{
		pkg: "cmd/betcode/internal/statedir", may: []string{"messages"},
		because: "daemons and commands that must not meet share these names and this lock, and nothing else",
	},
	{
		pkg: "cmd/betcode/internal/features", may: []string{"messages", "config"},
		because: "which features there are is known to messages, what settings say to config, and warnings need both",
	},
	{
		pkg: "cmd/betcode/internal/secret", because: "reading a token needs a file and nothing else",
	},
	{
		pkg: "cmd/betcode/internal/cli", may: []string{"proto", "messages", "config", "cmd/betcode/internal"},
		because: "commands know the wire contract; actors and persistence are for host and offline, which do the work",
	},
	{
		pkg: "cmd/betcode/internal/cli/manual", because: "it reads a table of commands and writes text",
	},
	{
		pkg: "cmd/betcode/internal/cli/completion", because: "a script of a shell is text and a place for it",
	},
	{
		pkg: "cmd/betcode/internal/cli/base", may: []string{"proto", "messages", "config", "cmd/betcode/internal"},
		because: "what every command works with knows no command",
		never: map[string]string{
			module + "/cmd/betcode/internal/cli":  "what every command works with knows no command",
			module + "/cmd/betcode/internal/host": "a daemon is started as a process",
		},
	},
	{
		pkg: "cmd/betcode/internal/talk", may: []string{
			"proto", "messages", "cmd/betcode/internal/client", "cmd/betcode/internal/console", "cmd/betcode/internal/exit", "cmd/betcode/internal/inbox",
			"cmd/betcode/internal/render",
		},
		because: "a chat knows a conversation and a terminal; flags and settings are for the command",
	},
	{
		pkg: "cmd/betcode/internal/chat", may: []string{
			"proto", "messages", "cmd/betcode/internal/chat", "cmd/betcode/internal/client", "cmd/betcode/internal/console",
			"cmd/betcode/internal/exit", "cmd/betcode/internal/inbox", "cmd/betcode/internal/render", "cmd/betcode/internal/talk",
		},
		because: "a chat with an editor is a conversation on a terminal, as talk is; flags and settings are for the command",
	},
	{
		pkg: "cmd/betcode/internal/ui", may: []string{
			"proto", "messages", "cmd/betcode/internal/chat", "cmd/betcode/internal/client", "cmd/betcode/internal/console",
			"cmd/betcode/internal/lookback", "cmd/betcode/internal/plangraph", "cmd/betcode/internal/sessionstate", "cmd/betcode/internal/talk",
		},
		because: "the screen is a list of sessions and the chats that are opened from it",
	},
	{
		pkg: "cmd/betcode/internal/lookback", may: []string{"proto", "messages", "cmd/betcode/internal/console", "cmd/betcode/internal/statedir"},
		because: "what is said about the past does not depend on who shows it",
		never:   map[string]string{grpc: "an answer of the daemon is handed in"},
	},
	{
		pkg: "cmd/betcode/internal/chat/drafts", may: []string{"messages/regular"}, because: "files of typed text need neither a terminal nor a daemon",
		never: map[string]string{grpc: "what is typed is kept without a connection"},
	},
	{
		pkg: "cmd/betcode/internal/chat/editor", may: []string{"messages"}, because: "an editor is text and keys",
		never: map[string]string{grpc: "an editor knows no daemon"},
	},
	{
		pkg: "cmd/betcode/internal/chat/dialog", may: []string{
			"proto", "messages", "cmd/betcode/internal/chat/editor", "cmd/betcode/internal/chat/markdown", "cmd/betcode/internal/chat/transcript",
			"cmd/betcode/internal/console", "cmd/betcode/internal/inbox", "cmd/betcode/internal/render",
		},
		because: "requests become rows and keys become answers; who sends them is for the chat",
		never:   map[string]string{grpc: "an answer is a message, wherever it goes"},
	},
	{
		pkg: "cmd/betcode/internal/chat/transcript", may: []string{
			"proto", "messages", "cmd/betcode/internal/chat/markdown", "cmd/betcode/internal/console", "cmd/betcode/internal/render",
		},
		because: "events become rows, wherever they come from",
		never:   map[string]string{grpc: "what is shown does not depend on a connection"},
	},
	{
		pkg: "cmd/betcode/internal/inbox", may: []string{"proto", "messages", "cmd/betcode/internal/console", "cmd/betcode/internal/render"},
		because: "requests wait and are answered, however a person sees them",
		never:   map[string]string{grpc: "an answer is a message, wherever it goes"},
	},
	{
		pkg: "cmd/betcode/internal/chat/markdown", may: []string{"messages", "cmd/betcode/internal/chat/highlight", "cmd/betcode/internal/console"},
		because: "Markdown becomes rows of a terminal; its author does not matter",
		never: map[string]string{
			grpc: "a text is rendered without a connection", "github.com/alecthomas/chroma/v2": "its lexers cost 4 MB; decision 0285",
		},
	},
	{
		pkg: "cmd/betcode/internal/chat/highlight", because: "source code is divided without knowing a terminal",
		never: map[string]string{grpc: "a text is divided without a connection"},
	},
	{
		pkg: "cmd/betcode/internal/render", may: []string{"proto", "messages", "cmd/betcode/internal/console"},
		because: "events become text, wherever they come from",
		never:   map[string]string{grpc: "an export of a file shows events without a connection"},
	},
	{
		pkg: "cmd/betcode/internal/plangraph", may: []string{"cmd/betcode/internal/console"},
		because: "a graph is drawn from steps, wherever they come from",
		never:   map[string]string{grpc: "a plan that was never sent has a graph"},
	},
	{
		pkg: "cmd/betcode/internal/planfile", may: []string{"messages/plan", "messages/gitname"},
		because: "a file becomes a plan without a daemon", never: map[string]string{grpc: "a plan is checked without a connection"},
	},
	{
		pkg: "cmd/betcode/internal/client", may: []string{
			"proto", "config", "cmd/betcode/internal/exit", "cmd/betcode/internal/local", "cmd/betcode/internal/secret",
		},
		because: "a connection knows how to reach a daemon, and no command",
	},
	{
		pkg: "cmd/betcode/internal", may: []string{"proto", "messages"},
		because: "logs, places for connections, sockets and test helpers are leaves",
	},
	{
		pkg: "cmd/betcode/internal/exit", may: []string{"messages", "config", "cmd/betcode/internal/console"},
		because: "errors become exit codes and sentences here, whichever command returned them",
	},
}
