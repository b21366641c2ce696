package wiki

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed prompts/*.md
var prompts embed.FS

// promptData is what the templates in prompts/ may name. Paths are as the agent sees them.
type promptData struct {
	Op, Name, Cwd, Date string
	Schema, Purpose     string // "" where there is none
	Human               string // "raw/, purpose.md and schema.md"
	Writes              bool
	Sources             []promptSource
	With                []string
	Question, Note      string
}

type promptSource struct{ Shown, Path, SHA string }

// render fills the template prompts/<name>.md.
func render(name string, d promptData) (string, error) {
	t, err := template.ParseFS(prompts, "prompts/"+name+".md")
	if err != nil {
		return "", fmt.Errorf("prompt for %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, d); err != nil {
		return "", fmt.Errorf("prompt for %s: %w", name, err)
	}
	return b.String(), nil
}

// sentence joins names as a person would: "a, b and c".
func sentence(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
