package realpath

import "testing"

func TestFold(t *testing.T) {
	for _, same := range [][]string{
		{".git", ".GIT", ".Gıt"[:2] + "IT", ".g\u200cit", ".g\u00adit", ".gi\ufe0ft", ".git\U000e0100", "\u2060.git", ".g\u034fit", ".g\u3164it"},
		{".bashrc", ".baſhrc", ".BASHRC"},
		{".ssh", ".ßh", ".ẞH"},
		{".gitconfig", ".gitconﬁg", ".GITCONFIG"},
		{"first", "ﬁrﬆ", "firﬅ"},
		{"/home/jos\u00e9/x", "/home/jose\u0301/x", "/HOME/JOS\u00c9/X", "/home/jose\u200d\u0301/x"},
		{"\u1e69", "s\u0323\u0307", "s\u0307\u0323", "S\u0307\u200b\u0323"},
		{"kelvin", "\u212aelvin"},
		{"\u00e5", "\u212b", "A\u030a"},
	} {
		for _, other := range same[1:] {
			if Fold(same[0]) != Fold(other) {
				t.Errorf("%q and %q: %q, %q", same[0], other, Fold(same[0]), Fold(other))
			}
		}
	}
	for _, different := range [][2]string{{".git", ".gıt"}, {".git", "．ｇｉｔ"}, {"jose", "jos\u00e9"}, {"a.b", "a\u2024b"}} {
		if Fold(different[0]) == Fold(different[1]) {
			t.Errorf("%q and %q are the same", different[0], different[1])
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add("s\u0307\u200b\u0323")
	f.Fuzz(func(t *testing.T, name string) {
		once := Fold(name)
		if again := Fold(once); again != once {
			t.Errorf("%q is %q, and that is %q", name, once, again)
		}
	})
}
