package tests

// persistenceRules are the rules of the journal and of what it is made of.
var persistenceRules = []rule{
	{
		pkg: "persistence", may: []string{"messages", "proto", "persistence"},
		because: "events to bytes and back; it is told what to write and never asks why",
		never: map[string]string{
			protoactor: "a store is tested without actors; the journal actor stands in front of it",
			grpc:       "kinds of errors become status codes in the gateway, and nowhere else",
			bbolt:      "persistence/internal/boltfile turns bbolt's panics into errors; every use goes through it",
		},
	},
	{
		pkg: "persistence/audit", may: []string{"messages"}, because: "the audit log is files of its own: the journal may be damaged when it is needed",
		never: map[string]string{bbolt: "the audit log is JSON lines"},
	},
	{
		pkg: "persistence/planlog", may: []string{"messages", "persistence/internal/disk"}, because: "journals of orchestrations are files of their own; what their events mean is known to the actor",
		never: map[string]string{bbolt: "such a journal is JSON lines"},
	},
	{
		pkg: "persistence/tokens", may: []string{"messages"}, because: "tokens are one file: callers are checked before the journal is open",
		never: map[string]string{bbolt: "tokens are one JSON file"},
	},
	{
		pkg: "persistence/search", may: []string{
			"messages", "proto", "persistence/internal/boltfile", "persistence/internal/fault", "persistence/internal/record", "persistence/internal/memtable",
			"persistence/search/internal",
		},
		because: "the index is made from the journal through an interface that it declares, so that it cannot change the journal",
		never:   map[string]string{protoactor: "an index is tested without actors", bbolt: "files are opened through boltfile"},
	},
	{
		pkg: "persistence/search/internal", may: []string{"messages", "proto", "persistence/search/internal"},
		because: "words, lists, blocks, documents and queries are pure: no file, no clock",
		never:   map[string]string{bbolt: "a form outlives the engine that stores it", "os": "a form opens no files"},
	},
	{
		pkg: "persistence/internal/fault", may: []string{"messages"}, because: "errors of the journal know no formats",
		never: map[string]string{bbolt: "boltfile says what an error of bbolt means"},
	},
	{
		pkg: "persistence/internal/disk", because: "file operations know no journal: others can be tested over them",
		never: map[string]string{bbolt: "it is below the journal file"},
	},
	{
		pkg: "persistence/internal/record", may: []string{"messages", "proto", "persistence/internal/fault"},
		because: "the form of what is stored is pure: no file, no clock",
		never:   map[string]string{bbolt: "a form outlives the engine that stores it", "os": "a form opens no files"},
	},
	{
		pkg: "persistence/internal/wal", may: []string{"messages/failpoint", "persistence/internal/disk"},
		because: "the log knows no records: rows are bytes to it, so a change of a record cannot damage it",
		never:   map[string]string{bbolt: "the log must be readable when the journal file is not"},
	},
	{
		pkg: "persistence/internal/memtable", may: []string{"persistence/internal/record"},
		because: "rows in memory are tested without a file: the file under a view is an interface",
		never:   map[string]string{bbolt: "the file under a view is an interface", "os": "it opens no files"},
	},
	{
		pkg:     "persistence/internal/boltfile",
		may:     []string{"messages", "proto", "persistence/internal/fault", "persistence/internal/disk", "persistence/internal/record", "persistence/internal/memtable"},
		because: "one journal file knows neither the log nor the other files of the journal",
	},
	{
		pkg: "persistence/internal/blob",
		may: []string{
			"messages", "persistence/internal/fault", "persistence/internal/disk", "persistence/internal/record", "persistence/internal/memtable",
			"persistence/internal/boltfile",
		},
		because: "payloads know the files that list them, and not the log",
		never:   map[string]string{bbolt: "a file lists its payloads through boltfile"},
	},
	{
		pkg: "persistence/internal/manifest",
		may: []string{
			"messages", "persistence/internal/fault", "persistence/internal/disk", "persistence/internal/record", "persistence/internal/wal",
			"persistence/internal/boltfile",
		},
		because: "the manifest names files and opens none but its own copies",
		never:   map[string]string{bbolt: "the manifest is JSON"},
	},
	{
		pkg: "persistence/internal/recovery",
		may: []string{
			"messages", "proto", "persistence/internal/fault", "persistence/internal/disk", "persistence/internal/record", "persistence/internal/wal",
			"persistence/internal/memtable",
		},
		because: "what the logs hold is found without the journal file; a view of the file is handed in",
		never:   map[string]string{bbolt: "the logs must be readable when the journal file is not"},
	},
	{
		pkg: "persistence/internal/upkeep", may: []string{"messages", "proto", "persistence/internal"},
		because: "it works on files that stand still; the Store, which knows when they do, calls it",
		never:   map[string]string{bbolt: "files are opened through boltfile"},
	},
}
