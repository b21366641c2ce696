package index

import "time"

// Page is what the index knows of one page. Positions are byte offsets into its text; the byte order mark, where there is one, counts.
type Page struct {
	Path     string // relative to the wiki, slash-separated, as on disk
	Title    string // front matter's title, else the first heading of the lowest level, else (from an Index) the name without .md
	Aliases  []string
	Headings []Heading
	Blocks   []Block
	Front    FrontMatter
	Links    []Link // in order of Start
	Size     int64
	ModTime  time.Time
}

// Heading is an ATX or setext heading.
type Heading struct {
	Level      int
	Text       string // without markup, closing hashes and blanks around
	Anchor     string // GitHub's slug, with -1, -2 … for repeated ones
	Start, End int    // the heading's lines, without the last line ending

	folded string // Text as foldAnchor has it
	bare   string // Text as bareAnchor has it
	marked string // the same of the text with its markup, "" where it has none
}

// Block is a block marker of Obsidian's, "^id" at a line's end.
type Block struct {
	ID         string
	Start, End int // of "^id"
}

// Kind says by whose rules a link is written.
type Kind string

// The kinds of link. A reference definition counts as a markdown link; its uses do not.
const (
	Wiki     Kind = "wiki"
	Markdown Kind = "markdown"
	Property Kind = "frontmatter" // a wikilink in a value of YAML front matter
)

// Link is one link or embed. Start and End hold the whole link with its brackets (for an embed with its "!"), TargetStart and TargetEnd
// what is written of the target without heading, brackets and quotes: the bytes that a rename replaces.
type Link struct {
	Start, End             int
	TargetStart, TargetEnd int
	Target                 string // percent-decoded once in a markdown link; "" is the page itself
	Heading                string // as written after the first "#": may hold further "#" parts; percent-encoding is left as it is
	Block                  string // id of "#^id"
	Alias                  string // text shown, "" where none is given
	Width                  string // "300" or "300x200" of an embed
	Embed                  bool
	Kind                   Kind
}

// External tells whether the link leaves the wiki: a scheme (https:, mailto:), or a host ("//example.org").
func (l Link) External() bool {
	return l.Kind == Markdown && external(l.Target)
}

// external tells a scheme of two letters or more (RFC 3986 section 3.1; one letter is a drive) and a network path.
func external(target string) bool {
	if len(target) > 1 && target[0] == '/' && target[1] == '/' {
		return true
	}
	for i := 0; i < len(target); i++ {
		c := target[i]
		switch {
		case c == ':':
			return i > 1
		case isLetter(c), i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}

// ParsePage reads one page's text; it never fails: what is broken in front matter is told in Front.Faults. Path, Size and ModTime stay empty.
func ParsePage(text []byte) Page {
	p, _ := parsePage(text)
	return p
}

func parsePage(text []byte) (Page, *blocks) {
	front := parseFront(text)
	s := scanBlocks(text, front.End)
	p := Page{Front: front, Blocks: s.blocks, Aliases: front.List("aliases")}
	if len(p.Aliases) == 0 {
		p.Aliases = front.List("alias")
	}
	p.Links = append(frontLinks(text, front), s.links()...)
	p.Headings = s.headings()
	p.Title = pageTitle(front, p.Headings)
	return p, s
}

// Links reads the links of a page's text, those of its front matter included, in order.
func Links(text []byte) []Link { return ParsePage(text).Links }

func pageTitle(front FrontMatter, headings []Heading) string {
	if t := front.Get("title"); t != "" {
		return t
	}
	best := -1
	for i, h := range headings {
		if h.Text != "" && (best < 0 || h.Level < headings[best].Level) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return headings[best].Text
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }
func isPunct(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}
