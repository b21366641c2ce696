package sandbox

// Tier is the layer of a tier that Auto found to work before ("A", "A2", "B", "D"); it is not tried again. false where this system has no such tier, where
// the choice does not allow it, or where Auto would choose another now (memory became short, or is there again).
func Tier(name string, c Choice) (Layer, bool) {
	for _, t := range tiers(c) {
		if t.name == name {
			return t.layer, t.now == nil || t.now() == nil
		}
	}
	return nil, false
}
