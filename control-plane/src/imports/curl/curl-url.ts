import { targetNotes } from '../draft/written-target.ts'
import type { Command } from './command.ts'

/** The URL of a command with its query options; null with the reasons in `problems`. */
export const urlOf = ({ urls, data, query, isGet, isGlobOff, problems, notes }: Command): URL | null => {
  const [text, ...others] = urls
  if (text === undefined) {
    problems.push('The command names no URL.')
    return null
  }
  if (others.length > 0) {
    problems.push(`The command names ${urls.length} URLs; a check has one. Paste each by itself.`)
    return null
  }
  if (/[\s\p{Cc}]/u.test(text)) {
    problems.push(
      'The URL has a space or a control character, which curl refuses. Encode it, a space as %20.',
    )
    return null
  }
  const guessed = /^(?:ftp|dict|ldap|imap|smtp|pop3?)\./i.exec(text)?.[0]
  if (guessed !== undefined) {
    problems.push(
      `curl guesses another protocol than HTTP from ${guessed} Write the URL with http:// or https://.`,
    )
    return null
  }
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    problems.push('The command needs a URL that begins with http:// or https://.')
    return null
  }
  const path = text.replace(/^[^/]*\/\/[^/]*/, '')
  const open = path.indexOf('[')
  if (!isGlobOff && (/[{}]/.test(path) || (open !== -1 && path.includes(']', open))))
    problems.push(
      'The URL has { } or [ ], which curl reads as several URLs. Encode them as %7B %7D %5B %5D, or add -g.',
    )
  const more = [...query, ...(isGet ? data : [])].join('&')
  if (/[\s\p{Cc}]/u.test(more))
    problems.push(
      'The data of the URL has a space or a control character, which curl refuses. Use --data-urlencode.',
    )
  const plain = text.split('#', 1)[0] ?? ''
  const written =
    more === '' ? plain : `${plain}${plain.includes('?') ? (plain.endsWith('?') ? '' : '&') : '?'}${more}`
  if (more !== '') url.search = written.slice(written.indexOf('?'))
  url.hash = ''
  for (const note of targetNotes(written, url, 'curl')) notes.add(note)
  return url
}
