package claude

import "testing"

func TestOtherRepository(t *testing.T) {
	const says = "Git would use a repository that Claude Code cannot match to this project or to one you trusted. Its settings can make git run programs. "
	for reason, want := range map[string]struct {
		dir   string
		other bool
	}{
		says + `If you trust it, start Claude Code there once. Its folder: "/a/b c"`: {"/a/b c", true},
		says + `Its folder: "/a/Its folder: "/b"`:                                    {"/b", true},
		says + `Its folder: "/a/b`:                                                   {"/a/b", true},
		says + `Its folder: "/a/b…`:                                                  {"", true},
		says + `Its folder: "a"`:                                                     {"", true},
		says:                                                                         {"", true},
		"Claude Code cannot tell which repository git would use here, and a repository": {"", true},
		"This command requires approval":                                                {"", false},
		"":                                                                              {"", false},
	} {
		if dir, other := OtherRepository(reason); dir != want.dir || other != want.other {
			t.Errorf("%q: %q %t", reason, dir, other)
		}
	}
}
