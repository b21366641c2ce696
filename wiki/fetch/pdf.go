package fetch

// readPDF says that the text of a PDF is not taken.
func (p *Page) readPDF() {
	p.Notes = append(p.Notes, "the text of a PDF is not taken: the file is kept as it is")
}
