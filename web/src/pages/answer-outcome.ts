import type { PublicOutcome } from './public-route.ts'

/** As long as the answers themselves: a page says the instants that it is about. */
const maxAgeSeconds = 5

/** A page that answers a question, as HTML. @param status other than 200: nobody keeps it */
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
