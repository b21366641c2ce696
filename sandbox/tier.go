package sandbox

// Tier is the layer of a tier that Auto found to work before ("A", "B", "D"); it is not tried again. false where this system has no such tier, or where
// the choice does not allow it.
func Tier(name string, c Choice) (Layer, bool) {
	for _, t := range tiers(c) {
		if t.name == name {
			return t.layer, name != "D" || c.AllowUnconfined
		}
	}
	return nil, false
}
