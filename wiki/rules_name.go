package wiki

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rigwiki/rig/sandbox"
)

// Bounds of names: the shortest that the systems in use have in common.
const (
	maxNameBytes = 255 // ext4, APFS
	maxDepth     = 32
)

// badName judges the components that the change would bring into being: a page that has its name already keeps it.
func badName(j *judge, s *suspect) string {
	if s.Kind != sandbox.Create {
		return ""
	}
	parts := strings.Split(s.Path, "/")
	if len(parts) > maxDepth {
		return fmt.Sprintf("it lies %d folders deep, more than %d", len(parts)-1, maxDepth)
	}
	for i, name := range parts {
		if j.names.exists(strings.Join(parts[:i+1], "/")) {
			continue
		}
		if why := oddName(name); why != "" {
			return fmt.Sprintf("%s; call it %s", why, j.suggest(s.Path))
		}
	}
	if twin := j.names.twin(s.Path); twin != "" {
		return fmt.Sprintf("it differs from %s only by case or normal form, which many systems take for the same name; write to that, or call it %s", twin, j.suggest(s.Path))
	}
	return ""
}

// oddName is why a name cannot exist on every system (case o-fs-10), "" where it can.
func oddName(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "its name is not UTF-8"
	case name == "" || strings.TrimSpace(name) == "":
		return "it has an empty name"
	case len(name) > maxNameBytes:
		return fmt.Sprintf("its name has %d bytes, more than the %d that file systems take", len(name), maxNameBytes)
	case isDevice(name):
		return fmt.Sprintf("Windows keeps the name %s for a device", strings.ToUpper(strings.TrimSuffix(name, path.Ext(name))))
	case strings.HasSuffix(name, "."), strings.HasSuffix(name, " "):
		return fmt.Sprintf("%q ends in a dot or blank, which Windows drops", name)
	case shortName().MatchString(foldName(name)):
		return fmt.Sprintf("%s has the shape of a short name, which Windows may take for another file", name)
	}
	for _, r := range name {
		switch {
		case unicode.IsControl(r):
			return fmt.Sprintf("its name has a control character (U+%04X)", r)
		case unicode.Is(unicode.Bidi_Control, r), r == 0x2028, r == 0x2029:
			return fmt.Sprintf("its name has a character (U+%04X) that makes it read as another", r)
		case strings.ContainsRune(`<>:"|?*\`, r):
			return fmt.Sprintf("its name has %c, which Windows does not allow", r)
		}
	}
	return ""
}

// suggest is a name near to rel that every system takes and that is free.
func (j *judge) suggest(rel string) string {
	parts := strings.Split(rel, "/")
	for i, p := range parts {
		if oddName(p) != "" {
			parts[i] = mendName(p)
		}
	}
	for range parts { // a folder that is there in another spelling is the one that was meant
		twin := j.names.twin(strings.Join(parts, "/"))
		at := strings.Count(twin, "/")
		if twin == "" || at == len(parts)-1 {
			break
		}
		parts[at] = path.Base(twin)
	}
	mended := strings.Join(parts, "/")
	ext := path.Ext(mended)
	stem := strings.TrimSuffix(mended, ext)
	for n := 2; n < 1000 && (j.names.twin(mended) != "" || j.names.exists(mended)); n++ {
		mended = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
	return mended
}

// mendName keeps the meaning of a name: "C++: what is it?.md" becomes "C++ - what is it.md".
func mendName(name string) string {
	name = strings.ToValidUTF8(name, "-")
	ext := ""
	if strings.HasSuffix(name, ".md") {
		name, ext = strings.TrimSuffix(name, ".md"), ".md"
	}
	name = strings.ReplaceAll(name, ": ", " - ")
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`?*"<>`, r), isIgnorable(r):
			return -1
		case strings.ContainsRune(`:|\~`, r), unicode.IsControl(r), r == 0x2028, r == 0x2029:
			return '-'
		}
		return r
	}, name)
	name = strings.TrimSpace(strings.TrimRight(cutBytes(name, 200), ". "))
	if name == "" {
		name = "page"
	}
	if isDevice(name) {
		device, rest, dotted := strings.Cut(name, ".")
		name = strings.TrimRight(device, " ") + "-page"
		if dotted {
			name += "." + rest
		}
	}
	return name + ext
}
