package sandbox

// Remove removes what a box left in path, folders without permissions included; it follows no link. A path that is not there is no error.
func Remove(path string) error { return removeTree(path) }
