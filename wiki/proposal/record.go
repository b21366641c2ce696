package proposal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// encodeRecord gives the bytes of run.json. What old, if any, has beyond the fields known here is carried over.
func encodeRecord(rec Record, old []byte) ([]byte, error) {
	if rec.Files == nil {
		rec.Files = []File{}
	}
	if rec.Refused == nil {
		rec.Refused = []Refusal{}
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	if len(old) > 0 {
		if data, err = carryOver(data, old); err != nil {
			return nil, err
		}
	}
	return append(data, '\n'), nil
}

// decodeRecord reads run.json and tells whether it has fields that this version does not know.
func decodeRecord(data []byte) (rec Record, unknown bool, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rec); err == nil {
		return rec, false, nil
	}
	rec = Record{}
	if err := json.Unmarshal(data, &rec); err != nil {
		return Record{}, false, err
	}
	return rec, true, nil
}

// hasUnknown tells whether a run.json has something to carry over. One that cannot be read has nothing that could be kept.
func hasUnknown(old []byte) bool {
	_, unknown, err := decodeRecord(old)
	return err == nil && unknown
}

func carryOver(data, old []byte) ([]byte, error) {
	var was, is any
	for _, d := range []struct {
		text []byte
		into *any
	}{{old, &was}, {data, &is}} {
		dec := json.NewDecoder(bytes.NewReader(d.text))
		dec.UseNumber() // large numbers keep their digits
		if err := dec.Decode(d.into); err != nil {
			return nil, fmt.Errorf("keep unknown fields: %w", err)
		}
	}
	carry(was, is, reflect.TypeFor[Record]())
	return json.Marshal(is)
}

// carry copies the keys of was that type t does not know into is, at every depth. Elements of lists are matched by their path.
func carry(was, is any, t reflect.Type) {
	switch {
	case t.Kind() == reflect.Struct:
		from, ok := was.(map[string]any)
		to, ok2 := is.(map[string]any)
		if !ok || !ok2 {
			return
		}
		known := fieldTypes(t)
		for key, value := range from {
			if ft, ok := known[key]; ok {
				carry(value, to[key], ft)
			} else {
				to[key] = value
			}
		}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		from, _ := was.([]any)
		to, _ := is.([]any)
		for i, value := range from {
			if mate := counterpart(value, to, i); mate != nil {
				carry(value, mate, t.Elem())
			}
		}
	}
}

// counterpart finds the element that stands for the same thing: that with the same path, or the same place where it has none.
func counterpart(value any, in []any, place int) any {
	m, _ := value.(map[string]any)
	path, hasPath := m["path"]
	if !hasPath {
		if place < len(in) {
			return in[place]
		}
		return nil
	}
	for _, other := range in {
		if o, _ := other.(map[string]any); o != nil && o["path"] == path {
			return other
		}
	}
	return nil
}

func fieldTypes(t reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = f.Type
	}
	return known
}

// Waits tells whether something of the proposal is undecided.
func (r Record) Waits() bool {
	if r.State != Proposed && r.State != Partly {
		return false
	}
	return slices.ContainsFunc(r.Files, File.Waits)
}

// Waits tells whether something of the file is undecided.
func (f File) Waits() bool { return len(f.Decided) == 0 || len(f.waiting()) > 0 }

type tally struct{ waiting, accepted, rejected int }

func (r Record) tally() tally {
	var n tally
	for i := range r.Files {
		if len(r.Files[i].Decided) == 0 { // as most are, in a large proposal
			n.waiting += r.Files[i].count()
			continue
		}
		for _, v := range r.Files[i].verdicts() {
			switch v {
			case Waiting:
				n.waiting++
			case Accepted:
				n.accepted++
			case Rejected:
				n.rejected++
			}
		}
	}
	return n
}

// settle sets the state that follows from the decisions: proposed until something is accepted; partly while something waits or was
// rejected beside what was accepted; applied or discarded where all went one way.
func (r *Record) settle() {
	n := r.tally()
	switch {
	case n.accepted == 0 && n.waiting > 0:
		r.State = Proposed
	case n.accepted == 0:
		r.State = Discarded
	case n.waiting+n.rejected > 0:
		r.State = Partly
	default:
		r.State = Applied
	}
}
