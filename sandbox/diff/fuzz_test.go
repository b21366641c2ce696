package diff

import (
	"bytes"
	"testing"
)

func seeds(f *testing.F, n int) {
	for i := range oddTexts {
		args := make([]any, n)
		for j := range args {
			args[j] = append([]byte{}, oddTexts[(i+j*3)%len(oddTexts)]...)
		}
		f.Add(args...)
	}
}

func FuzzLines(f *testing.F) {
	seeds(f, 2)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a)+len(b) < 400 {
			checkMinimal(t, a, b)
		} else {
			checkLines(t, a, b)
		}
		checkSplices(t, a, b)
	})
}

func FuzzRoundTrip(f *testing.F) {
	for i, old := range oddTexts {
		f.Add(oddNames[i%len(oddNames)], append([]byte{}, old...), append([]byte{}, oddTexts[(i*7+3)%len(oddTexts)]...), byte(i))
	}
	f.Fuzz(func(t *testing.T, name string, old, new []byte, kind byte) {
		if name == "" || bytes.IndexByte([]byte(name), 0) >= 0 || name[0] == '/' {
			t.Skip("not a relative path")
		}
		switch kind % 3 {
		case 0:
			old = nil
		case 1:
			new = nil
		}
		checkPrinted(t, []FileDiff{change(name, old, new), change("z/other.md", []byte("a"), []byte("b"))})
	})
}

// FuzzParse checks that Parse gives an error or patches that Apply and Reverse can be asked about.
func FuzzParse(f *testing.F) {
	for i, old := range oddTexts {
		var out bytes.Buffer
		if err := Print(&out, []FileDiff{change(oddNames[i%len(oddNames)], old, append(oddTexts[(i+5)%len(oddTexts)], 'x'))}); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes(), append([]byte{}, old...))
	}
	for _, seed := range []string{
		"Only in b: x\nBinary files a/x and b/x differ\nFile a/x is a directory while file b/x is a regular file\n",
		"diff --git a/x b/y\nrename from x\nrename to y\nGIT binary patch\nliteral 3\nabc\n\n",
		"--- \"a/\\303\"\t1970-01-01 01:00:00 +0100\n+++ b/x\n@@ -0,0 +1 @@\n+x\n\\ kein\n",
	} {
		f.Add([]byte(seed), []byte("a\n"))
	}
	f.Fuzz(func(t *testing.T, text, old []byte) {
		patches, err := Parse(text)
		if err != nil {
			return
		}
		for _, p := range patches {
			if p.Path == "" || p.Kind == "" {
				t.Fatalf("%+v", p)
			}
			new, err := Apply(old, p)
			if err != nil {
				continue
			}
			back, err := Reverse(p)
			if err != nil {
				continue
			}
			if got, err := Apply(new, back); err != nil || !bytes.Equal(got, old) {
				t.Fatalf("%q gives %q; reversed, %q, %v, want %q", text, new, got, err, old)
			}
		}
	})
}

func FuzzMerge(f *testing.F) {
	seeds(f, 3)
	f.Fuzz(func(t *testing.T, base, x, y []byte) { checkMerge(t, base, x, y) })
}
