import { html, type Piece } from '@probe-mesh/runtime/html'

/** A sentence with backquoted words as code, and Markdown links to this site as links. */
export const inlineCode = (text: string): Piece =>
  text.split(/(`[^`]*`|\[[^[\]]*\]\(\/[^()]*\))/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    const link = /^\[([^\]]*)\]\((\/[^)]*)\)$/.exec(part)
    return link === null ? part : html`<a href="${link[2] ?? ''}">${link[1] ?? ''}</a>`
  })
