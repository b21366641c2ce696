package index

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// yamlFields reads the block's top level. Nearly all front matter is plain "key: value" lines, which simpleFields reads at a hundredth of the
// price; what it is not sure of goes to the YAML library; what is no YAML is read line by line, so that one broken value hides no other key.
func yamlFields(text []byte, inner span) ([]Field, []Fault) {
	if fields, ok := simpleFields(text, inner); ok {
		return fields, nil
	}
	fields, line, err := libraryFields(text, inner)
	faults := tabFaults(text, inner, fields)
	if err != nil {
		var told []Fault
		fields, told = tolerantFields(text, inner)
		faults = append(tabFaults(text, inner, fields), told...)
	}
	if err != nil && len(faults) == 0 {
		at := lineSpan(text, inner, line)
		faults = []Fault{{Start: at.start, End: at.end, Message: "front matter is no YAML: " + err.Error()}}
	}
	for i := range faults {
		faults[i].Code = "frontmatter-yaml"
	}
	return fields, faults
}

// tabFaults are the lines of keys and items that a tab indents: YAML knows blanks alone, and some readers take the block for nothing. A value of several
// lines may begin its lines with what it likes.
func tabFaults(text []byte, inner span, fields []Field) (faults []Fault) {
	for ls := inner.start; ls < inner.end; {
		le, next := lineEnd(text, ls)
		at, line := ls, text[ls:le]
		ls = next
		rest := bytes.TrimLeft(line, " \t")
		indent := line[:len(line)-len(rest)]
		item := bytes.HasPrefix(rest, []byte("- ")) || string(rest) == "-"
		if bytes.IndexByte(indent, '\t') < 0 || keyLength(rest) == 0 && !item || inLongValue(text, fields, at) {
			continue
		}
		faults = append(faults, Fault{Start: at, End: at + len(indent), Message: "a tab indents this line; YAML takes blanks alone", Fix: strings.ReplaceAll(string(indent), "\t", "  ")})
	}
	return faults
}

// inLongValue tells whether the line at an offset lies in a value that is a block of text, quoted, or in brackets.
func inLongValue(text []byte, fields []Field, at int) bool {
	for _, f := range slices.Backward(fields) {
		if f.Start < at {
			return f.ValueStart < at && strings.IndexByte("|>\"'[{", text[f.ValueStart]) >= 0
		}
	}
	return false
}

// lineSpan is the line with that number, counted from 1, of the block; the first one where the number is out of range.
func lineSpan(text []byte, inner span, line int) span {
	ls := inner.start
	for n := 1; n < line; n++ {
		_, next := lineEnd(text, ls)
		if next >= inner.end {
			ls = inner.start
			break
		}
		ls = next
	}
	le, _ := lineEnd(text, ls)
	return span{ls, min(le, inner.end)}
}

// libraryFields reads the block with the YAML library. Values are taken as written, from the tokens: YAML's own ideas of dates, numbers and
// booleans do not matter here. On an error it tells the line, counted from 1, or 0.
func libraryFields(text []byte, inner span) (fields []Field, line int, err error) {
	defer func() {
		// goccy/go-yaml v1.19.2 can panic on odd input; a page's text must never end the process.
		if r := recover(); r != nil {
			fields, err = nil, fmt.Errorf("not readable: %v", r)
		}
	}()
	file, err := parser.ParseBytes(bytes.ReplaceAll(text[inner.start:inner.end], []byte("\r\n"), []byte("\n")), 0)
	if err != nil {
		return nil, errorLine(err), fmt.Errorf("%s", firstLine(err.Error()))
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, 0, nil
	}
	var pairs []*ast.MappingValueNode
	switch body := file.Docs[0].Body.(type) {
	case *ast.MappingNode:
		pairs = body.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{body}
	case *ast.CommentGroupNode, *ast.NullNode:
		return nil, 0, nil
	default:
		return nil, 1, fmt.Errorf("not a list of keys")
	}
	for i, p := range pairs {
		stop := 0
		if i+1 < len(pairs) {
			stop = pairs[i+1].Key.GetToken().Position.Line
		}
		fields = append(fields, libraryField(text, inner, p, stop))
	}
	return fields, 0, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// errorLine reads the "[line:column]" with which the library's messages begin.
func errorLine(err error) int {
	s, ok := strings.CutPrefix(err.Error(), "[")
	if !ok {
		return 0
	}
	n, _, _ := strings.Cut(s, ":")
	line, _ := strconv.Atoi(n)
	return line
}

func libraryField(text []byte, inner span, p *ast.MappingValueNode, nextLine int) Field {
	f := Field{Key: p.Key.GetToken().Value}
	at := lineSpan(text, inner, p.Key.GetToken().Position.Line)
	end := inner.end
	if nextLine > p.Key.GetToken().Position.Line {
		end = lineSpan(text, inner, nextLine).start
	}
	f.Start = at.start
	f.End = at.start + len(bytes.TrimRight(text[at.start:end], " \t\r\n"))
	f.ValueStart = f.End
	if n := keyLength(text[at.start:at.end]); n > 0 {
		if colon := bytes.IndexByte(text[at.start+n:f.End], ':'); colon >= 0 {
			f.ValueStart, _ = trimSpan(text, at.start+n+colon+1, f.End)
		}
	}
	f.Values, f.List, f.Map = nodeValues(p.Value)
	return f
}

// nodeValues gives a node's scalars as written.
func nodeValues(n ast.Node) (values []string, list, mapping bool) {
	switch n := n.(type) {
	case nil:
		return nil, false, false
	case *ast.AnchorNode:
		return nodeValues(n.Value)
	case *ast.TagNode:
		return nodeValues(n.Value)
	case *ast.MappingNode, *ast.MappingValueNode:
		return nil, false, true
	case *ast.SequenceNode:
		for _, item := range n.Values {
			v, _, _ := nodeValues(item)
			values = append(values, v...)
		}
		return values, true, false
	case *ast.LiteralNode:
		return []string{strings.TrimRight(n.Value.Value, "\n")}, false, false
	case *ast.NullNode:
		if n.GetToken().Type == token.ImplicitNullType { // nothing is written
			return nil, false, false
		}
	case *ast.AliasNode:
		return nodeValues(n.Value)
	case *ast.StringNode:
		return []string{n.Value}, false, false
	}
	if tok := n.GetToken(); tok != nil {
		return []string{tok.Value}, false, false
	}
	return nil, false, false
}
