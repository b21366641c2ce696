// Package fetch turns an address into a source: it asks for a page, finds what the page says and gives it as markdown.
//
// [Fetcher.Fetch] asks with bounds on bytes, time and redirects, at public addresses only unless told otherwise, and gives a [Page]: the text with its
// title, author and date, and the bytes as they came. [Page.Document] is the file for raw/.
//
// Guarantees: the address that was checked is the address that is dialled, at each hop; no cookie is sent or kept, no script is run, no file is read;
// memory is bounded by the limits whatever the server sends; a page cannot add a field to the front matter; what is binary never becomes text.
//
// It writes nothing to disk, knows no wiki and no agent. It does not go through a proxy: a proxy resolves names where they cannot be checked.
package fetch
