package wiki

// InitOptions says how a wiki is laid out. This file stands in until init lands: whoever lands it deletes this file.
type InitOptions struct{}

// Init lays out a wiki.
func Init(dir string, o InitOptions) (*Wiki, []string, error) { return nil, nil, ErrNotAWiki }
