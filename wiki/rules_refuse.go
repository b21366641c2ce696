package wiki

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/rigwiki/rig/sandbox"
)

// A refusalRule drops a change: why is a sentence for people, "" where the rule does not hold. With keeps the finding is told and the change goes on
// without what was refused.
type refusalRule struct {
	name  string
	keeps bool
	why   func(j *judge, s *suspect) string
}

// suspect is a change with the folded form of its path, in which paths are compared.
type suspect struct {
	sandbox.Change
	fold string
}

// refusalRules are the refusals of the design, section 5. The first that holds is the change's.
func refusalRules() []refusalRule {
	return []refusalRule{
		{name: "read-only", why: readOnlyOp},
		{name: "unfinished-run", why: unfinishedRun},
		{name: "outside-wiki", why: outsideWiki},
		{name: "protected-path", why: protectedPath},
		{name: "link", why: isLink},
		{name: "special-file", why: specialFile},
		{name: "hidden-path", why: hiddenPath},
		{name: "bad-name", why: badName},
		{name: "not-a-page", why: notAPage},
		{name: "too-large", why: tooLarge},
		{name: "not-text", why: notText},
		{name: "mode", keeps: true, why: modeGained},
	}
}

func unfinishedRun(j *judge, _ *suspect) string {
	if j.End != RunUnfinished {
		return ""
	}
	if j.Why != "" {
		return "the run did not finish (" + j.Why + "), so nothing of it is taken"
	}
	return "the run did not finish, so nothing of it is taken"
}

func readOnlyOp(j *judge, _ *suspect) string {
	if j.Writes {
		return ""
	}
	return "a run of " + j.Op + " may read the wiki and not write it"
}

func outsideWiki(_ *judge, s *suspect) string {
	switch {
	case s.Path == "" || s.fold == "":
		return "it has no name inside the wiki"
	case strings.HasPrefix(s.Path, "/"), s.fold == "..", strings.HasPrefix(s.fold, "../"):
		return "it lies outside the wiki"
	}
	return ""
}

// protectedPath compares whole components of the folded path (case o-fs-06), and takes an 8.3 short name for the name that it may stand for.
func protectedPath(j *judge, s *suspect) string {
	parts := strings.Split(s.fold, "/")
	for _, p := range parts {
		if p == rigReadonly || shortOf(p, rigReadonly) {
			return "what is in " + rigReadonly + " is there to be read"
		}
	}
	for _, h := range j.Wiki.Human {
		f := foldPath(h)
		if !below(s.fold, f) && !(len(strings.Split(f, "/")) == 1 && shortOf(parts[0], f)) {
			continue
		}
		if h == s.Path || strings.HasPrefix(s.Path, h+"/") {
			return h + " is yours: no agent may change it"
		}
		return fmt.Sprintf("it is %s in another spelling, which is yours: no agent may change it", h)
	}
	if j.protect.match(s.Path) || j.protect.match(s.fold) {
		return "the configuration protects it"
	}
	return ""
}

var shortName = lazyRE(`^([^.~/]{1,6})~[0-9]{1,6}(\.[^./]{0,3})?$`)

// shortOf tells whether a folded component has the shape of an 8.3 short name of the folded name long.
func shortOf(c, long string) bool {
	m := shortName().FindStringSubmatch(c)
	return m != nil && strings.HasPrefix(strings.TrimLeft(long, "."), m[1])
}

func isLink(_ *judge, s *suspect) string {
	switch {
	case s.Kind != sandbox.Odd:
	case s.Why == sandbox.Symlink:
		return "it is a symbolic link: what it points to could be outside the wiki"
	case s.Why == sandbox.Hardlink:
		return "it is a hard link: it shares its content with another file"
	}
	return ""
}

func specialFile(_ *judge, s *suspect) string {
	if s.Kind != sandbox.Odd {
		return ""
	}
	switch s.Why {
	case sandbox.FIFO:
		return "it is a named pipe, not a file"
	case sandbox.Socket:
		return "it is a socket, not a file"
	case sandbox.Device:
		return "it is a device, not a file"
	case sandbox.TooLarge, sandbox.Mode:
		return ""
	}
	return "it is no ordinary file"
}

func hiddenPath(_ *judge, s *suspect) string {
	for _, p := range strings.Split(s.fold, "/") {
		switch {
		case p == ".git" || shortOf(p, ".git"):
			return "it is in git's own folder"
		case strings.HasPrefix(p, "."):
			return fmt.Sprintf("%s begins with a dot: such files are settings of tools, not pages", p)
		}
	}
	return ""
}

func notAPage(j *judge, s *suspect) string {
	for _, dir := range strings.Split(dirOf(s.fold), "/") {
		if isToolFolder(dir) {
			return dir + " is a tool's folder and holds no pages"
		}
	}
	switch {
	case isConflictCopy(s.Path):
		return "it is a synchronizer's copy of a conflict, not a page"
	case strings.HasSuffix(s.Path, ".md"), j.assets.match(s.Path):
		return ""
	case strings.HasSuffix(s.fold, ".md"):
		return "pages end in .md, in lower case"
	}
	return "it is neither a page (.md) nor a configured asset"
}

func tooLarge(j *judge, s *suspect) string {
	limit := j.Config.Limits.FileBytes
	switch {
	case j.Changes.Overflow != "":
		return "the run changed more than is allowed (" + j.Changes.Overflow + "), so nothing of it is taken"
	case s.Kind == sandbox.Odd && s.Why == sandbox.TooLarge, s.New != nil && max(s.Size, int64(len(s.New))) > limit:
		return fmt.Sprintf("it has %s, more than the limit of %s", bytesText(max(s.Size, int64(len(s.New)))), bytesText(limit))
	case s.Kind == sandbox.Odd && s.Why != sandbox.Mode:
		return "it could not be read"
	}
	return ""
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// notText refuses what cannot be shown and merged by lines. The host does not guess encodings (case o-df-12).
func notText(_ *judge, s *suspect) string {
	if s.Kind == sandbox.Delete {
		return ""
	}
	if why := unreadable(s.New); why != "" {
		return "its text " + why
	}
	if s.HasBase {
		if why := unreadable(s.Base); why != "" {
			return "the page's present text " + why + ", so that a change of it cannot be shown"
		}
	}
	return ""
}

func unreadable(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return "is UTF-16, and pages are UTF-8"
	case bytes.IndexByte(text, 0) >= 0:
		return "has NUL bytes: it is binary"
	case !utf8.Valid(text):
		return "is not UTF-8"
	}
	return ""
}

func modeGained(_ *judge, s *suspect) string {
	if s.Change.Why != sandbox.Mode {
		return ""
	}
	if unchanged(s.Change) {
		return fmt.Sprintf("only its permissions would change (to %s); pages are not programs", s.Mode.Perm())
	}
	return fmt.Sprintf("its permissions (%s) are not taken over, its text is; pages are not programs", s.Mode.Perm())
}

// isLeftover tells what tools leave in a folder that they work in (case o-fs-08), git's own and the editor's vault apart: those are no
// accident.
func isLeftover(rel string) bool {
	parts := strings.Split(foldPath(rel), "/")
	for _, p := range parts {
		if strings.HasPrefix(p, ".") {
			return p != ".git" && p != ".rig" && p != rigReadonly
		}
		if isToolFolder(p) {
			return true
		}
	}
	name := path.Base(rel)
	for _, end := range []string{"~", ".swp", ".swo", ".tmp", ".bak", ".orig", ".rej"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.EqualFold(name, "Thumbs.db") || strings.EqualFold(name, "desktop.ini")
}
