// The links of proposed pages. The server is not told of these documents, of which a review opens hundreds: it is asked where one is looked at.

import * as vscode from 'vscode';
import { runOf, scheme } from './addresses';
import type { Server } from './server';

/** Asks the server for the links of a proposed page, and of the page as it was. */
export function provideLinks(server: Server): vscode.Disposable {
  return vscode.languages.registerDocumentLinkProvider({ scheme }, {
    provideDocumentLinks: (document, token) => {
      const side = runOf(document.uri)?.side;
      return side === '' || side === 'base' ? server.links(document.uri, token) : [];
    },
  });
}
