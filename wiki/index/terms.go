package index

// Terms gives the terms that a search would look for in a text, each once, in order: what two texts have in common by the rules of [Index.Search].
// Words that every page has are left out.
func Terms(text string) []string {
	var out []string
	seen := map[string]bool{}
	t := tokenizer{whole: true, emit: func(term []byte) {
		if s := string(term); !seen[s] && !stopword(s) {
			seen[s] = true
			out = append(out, s)
		}
	}}
	t.run([]byte(text))
	return out
}
