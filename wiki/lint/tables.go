package lint

import (
	"bytes"

	"github.com/rigwiki/rig/wiki/index"
)

// pipes finds wikilinks in tables whose pipe is not escaped: Obsidian and GitHub end the cell there, so that the link is none and the columns shift (zosmaai/pi-llm-wiki#156).
// The index takes such a link for one all the same, as Obsidian's graph does: its page is not broken and no orphan, and moves with it.
func (p *page) pipes() {
	for _, l := range p.Links {
		if l.Kind != index.Wiki {
			continue
		}
		var edits []Edit
		for i := l.TargetEnd; i < l.End; i++ {
			if p.text[i] == '|' && p.text[i-1] != '\\' {
				edits = append(edits, Edit{p.Path, i, i, `\`})
			}
		}
		if len(edits) > 0 && p.inTable(l.Start) {
			p.add("unescaped-pipe", Warning, l.Start, l.End, "the cell of the table ends at the pipe of the link", Fix{Title: `Write \| in the link`, Edits: edits})
		}
	}
}

// inTable tells whether the line at at is a row of a table: of its header, or below a line of dashes that has a line above.
func (p *page) inTable(at int) bool {
	start, row := p.lineAt(at)
	if _, below := p.lineAt(start + len(row) + 1); bytes.IndexByte(row, '|') >= 0 && isDelimiter(below) {
		return true
	}
	for start > 0 {
		from, line := p.lineAt(start - 1)
		if from == start || bytes.IndexByte(line, '|') < 0 {
			return false
		}
		if isDelimiter(line) {
			_, header := p.lineAt(from - 1)
			return from > 0 && bytes.IndexByte(header, '|') >= 0
		}
		start = from
	}
	return false
}

// lineAt gives the line that holds a byte, and where it begins; the line's ending is left out. Behind the text it is empty.
func (p *page) lineAt(at int) (start int, line []byte) {
	if at < 0 || at > len(p.text) {
		return at, nil
	}
	start = bytes.LastIndexByte(p.text[:at], '\n') + 1
	line = p.text[start:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return start, line
}

// isDelimiter tells the line of dashes between a table's header and its rows (GFM 4.10), in block quotes and lists too.
func isDelimiter(line []byte) bool {
	line = bytes.Trim(line, "> \t\r")
	return bytes.IndexByte(line, '|') >= 0 && bytes.IndexByte(line, '-') >= 0 && len(bytes.Trim(line, "|-: \t")) == 0
}
