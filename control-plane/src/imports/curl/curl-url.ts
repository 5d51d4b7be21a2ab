import { targetNotes } from '../draft/written-target.ts'
import type { Command } from './command.ts'

/** The URL of a command with its query options; null with the reasons in `problems`. */
export const urlOf = (command: Command): URL | null => {
  const { urls, problems, notes } = command
  const [text = ''] = urls
  const refused = refusedUrl(urls)
  const url =
    refused === null ? URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    problems.push(refused ?? 'The command needs a URL that begins with http:// or https://.')
    return null
  }
  if (!command.isGlobOff && isGlob(text))
    problems.push(
      'The URL has { } or [ ], which curl reads as several URLs. Encode them as %7B %7D %5B %5D, or add -g.',
    )
  const more = [...command.query, ...(command.isGet ? command.data : [])].join('&')
  if (unsendable.test(more))
    problems.push(
      'The data of the URL has a space or a control character, which curl refuses. Use --data-urlencode.',
    )
  const written = withQuery(text.split('#', 1)[0] ?? '', more)
  if (more !== '') url.search = written.slice(written.indexOf('?'))
  url.hash = ''
  for (const note of targetNotes(written, url, 'curl')) notes.add(note)
  return url
}

const unsendable = /[\s\p{Cc}]/u

/** Why curl or a check has no URL; null: it has one. */
const refusedUrl = (urls: readonly string[]): string | null => {
  const [text] = urls
  if (text === undefined) return 'The command names no URL.'
  if (urls.length > 1) return `The command names ${urls.length} URLs; a check has one. Paste each by itself.`
  if (unsendable.test(text))
    return 'The URL has a space or a control character, which curl refuses. Encode it, a space as %20.'
  const guessed = /^(?:ftp|dict|ldap|imap|smtp|pop3?)\./i.exec(text)?.[0]
  return guessed === undefined
    ? null
    : `curl guesses another protocol than HTTP from ${guessed} Write the URL with http:// or https://.`
}

const isGlob = (text: string): boolean => {
  const path = text.replace(/^[^/]*\/\/[^/]*/, '')
  const open = path.indexOf('[')
  return /[{}]/.test(path) || (open !== -1 && path.includes(']', open))
}

const withQuery = (url: string, query: string): string => {
  if (query === '') return url
  const between = url.endsWith('?') ? '' : url.includes('?') ? '&' : '?'
  return `${url}${between}${query}`
}
