package sandbox

// A Begun is a layer of which a part was started before it was known what it is to be laid over. Close lets go of what no box took; it may be called at any time.
type Begun struct {
	Layer
	Close func()
}

// Begin starts what the layer can start beforehand: of an overlay its helper, whose start takes longer than what it then does. The first box that is opened takes it,
// further ones start their own. Of other layers nothing is started.
func Begin(l Layer) Begun {
	if b, ok := l.(interface{ begin() Begun }); ok {
		return b.begin()
	}
	return Begun{Layer: l, Close: func() {}}
}
