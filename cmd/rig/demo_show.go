package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// groups prints the groups of a workspace edit, ticked as a preview shows them.
func (d *demo) groups(w workspaceEdit) {
	count := map[string]int{}
	for _, c := range w.Edit.DocumentChanges {
		count[c.AnnotationID]++
		for _, e := range c.Edits {
			count[e.AnnotationID]++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.Edit.ChangeAnnotations)) {
		ann := w.Edit.ChangeAnnotations[id]
		tick := "[x]"
		if ann.NeedsConfirmation {
			tick = "[ ]"
		}
		d.line("%s %s (%s)", tick, ann.Label, plural(count[id], "change"))
	}
}

// diff prints a proposal's hunks as the server shows them to editors.
func (d *demo) diff(ctx context.Context, run string) error {
	var show struct {
		Files []struct {
			Path, Kind string
			Hunks      []struct{ Header, Text string }
		}
	}
	if err := d.editor.command(ctx, "rigwiki.proposal.show", map[string]any{"run": run}, &show); err != nil {
		return err
	}
	for _, f := range show.Files {
		d.line("%s %s", f.Kind, f.Path)
		for _, h := range f.Hunks {
			fmt.Fprint(d.out, indent(colourDiff(h.Header+"\n"+strings.TrimRight(h.Text, "\n")+"\n", d.colour)))
		}
		if f.Kind == "create" {
			var page struct{ Text string }
			uri := "rigwiki://" + run + filepath.ToSlash(filepath.Join(d.wiki, filepath.FromSlash(f.Path)))
			if err := d.editor.request(ctx, "workspace/textDocumentContent", map[string]any{"uri": uri}, &page); err != nil {
				return err
			}
			fmt.Fprint(d.out, indent(colourDiff("+"+strings.ReplaceAll(strings.TrimRight(page.Text, "\n"), "\n", "\n+")+"\n", d.colour)))
		}
	}
	return nil
}

func (d *demo) head(text string) {
	d.step++
	d.paint("\n%d  %s\n", "\x1b[1m", d.step, text)
}

func (d *demo) line(format string, args ...any) { d.paint("   "+format+"\n", "", args...) }
func (d *demo) dim(format string, args ...any)  { d.paint("   "+format+"\n", "\x1b[2m", args...) }

func (d *demo) paint(format, colour string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if d.colour && colour != "" {
		text = colour + strings.TrimSuffix(text, "\n") + "\x1b[0m\n"
	}
	fmt.Fprint(d.out, text)
}

func indent(s string) string {
	return "   │ " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n   │ ") + "\n"
}
