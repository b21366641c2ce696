package wiki

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxSchema is how much of a schema is read, in bytes.
const maxSchema = 64 << 10

var folderName = lazyRE("(?:^|[\\s`(,|])((?:[\\pL\\pN_.-]+/)+)(?:[\\s`:),|]|$)")

// schemaFolders are the folders of pages that the wiki's schema names, and the folder of each type of page: as a table of types and folders has it, else by
// name ("entity" of entities/). A schema that names no folder knows none: all are well.
func schemaFolders(w *Wiki) (known []string, types map[string]string) {
	if w.Real == "" || w.Schema == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(w.Real, filepath.FromSlash(w.Schema)))
	if err != nil {
		return nil, nil // no schema, no rules
	}
	types = map[string]string{}
	column := -1 // of the folder, in a table whose first column is the type
	for line := range strings.Lines(string(text[:min(len(text), maxSchema)])) {
		line = strings.TrimSpace(line)
		for _, m := range folderName().FindAllStringSubmatch(line, -1) {
			if f := pageFolder(w, m[1]); f != "" && !slices.Contains(known, f) {
				known = append(known, f)
			}
		}
		if !strings.HasPrefix(line, "|") {
			column = -1
			continue
		}
		row := strings.Split(strings.Trim(line, "| "), "|")
		for i := range row {
			row[i] = strings.ToLower(strings.Trim(strings.TrimSpace(row[i]), "`*"))
		}
		switch {
		case row[0] == "type":
			column = slices.IndexFunc(row, func(c string) bool { return c == "directory" || c == "folder" || c == "dir" || c == "path" })
		case column > 0 && column < len(row):
			if f := pageFolder(w, strings.Trim(strings.TrimSpace(strings.Split(strings.Trim(line, "| "), "|")[column]), "`*")); f != "" {
				types[row[0]] = f
			}
		}
	}
	if len(known) == 0 {
		return nil, nil
	}
	for _, f := range pageFolders() { // the layouts' own are known everywhere
		if f = path.Join(w.Pages, f); !slices.Contains(known, f) {
			known = append(known, f)
		}
	}
	for _, f := range known {
		for _, one := range singulars(path.Base(f)) {
			if _, ok := types[one]; !ok {
				types[one] = f
			}
		}
	}
	return known, types
}

// pageFolder is the folder of pages that a path of the schema names, with the folder that they all lie in; "" is none.
func pageFolder(w *Wiki, name string) string {
	name = strings.TrimPrefix(path.Clean("/"+strings.TrimPrefix(name, "./")), "/")
	if w.Pages != "" {
		name = strings.TrimPrefix(name, w.Pages+"/")
	}
	name, _, _ = strings.Cut(name, "/")
	if name == "" || name[0] == '.' || name == w.Pages || w.IsHuman(name) || strings.Contains(name, ".") {
		return ""
	}
	return path.Join(w.Pages, name)
}

// singulars are the types that a folder's name may be the plural of.
func singulars(folder string) []string {
	s := strings.ToLower(folder)
	out := []string{s}
	if one, ok := strings.CutSuffix(s, "ies"); ok {
		return append(out, one+"y")
	}
	if one, ok := strings.CutSuffix(s, "s"); ok {
		out = append(out, one)
	}
	return out
}
