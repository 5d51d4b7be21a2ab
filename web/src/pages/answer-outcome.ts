import type { PublicOutcome } from './public-route.ts'

/** The cache time of the answers themselves: a page states its instants. */
const maxAgeSeconds = 5

/** A page that answers a question, as HTML. @param status other than 200: not cached */
export const shown = (text: string, status = 200): PublicOutcome => ({
  kind: 'public',
  form: 'html',
  text,
  imageOrigin: null,
  status,
  maxAgeSeconds,
})

/** The same as Markdown. */
export const shownAsMarkdown = (text: string, status = 200): PublicOutcome => ({
  kind: 'public',
  form: 'markdown',
  text,
  imageOrigin: null,
  status,
  maxAgeSeconds,
})
