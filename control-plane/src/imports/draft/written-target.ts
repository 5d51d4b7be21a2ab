/**
 * A note where the path and query of a request are written otherwise than the probe sends them, which is as browsers
 * write a URL: `é` as `%C3%A9`, a backslash as a slash.
 * @param written the URL as the input has it. @param sender whose request it is, such as `curl`
 */
export const targetNotes = (written: string, url: URL, sender: string): string[] => {
  const given = withoutDots(targetIn(written))
  const sent = `${url.pathname}${url.search}`
  // an empty query is not sent
  return given === sent || given === `${sent}?`
    ? given === sent
      ? []
      : ['The empty query ? at the end of the URL is left out.']
    : [`The probe sends the path and query ${short(sent)}, where ${sender} sends ${short(given)}.`]
}

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

const targetIn = (written: string): string => {
  const [plain = ''] = written.split('#', 1)
  const target = plain.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/^[^/?]*/, '')
  return target.startsWith('/') ? target : `/${target}`
}

/** RFC 3986 5.2.4, for the path only. Segments that are written as %2e are none. */
const withoutDots = (target: string): string => {
  const at = target.indexOf('?')
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)]
  const parts = path.split('/').slice(1)
  const kept: string[] = []
  for (const [index, part] of parts.entries()) {
    if (part === '..') kept.pop()
    if (part !== '.' && part !== '..') kept.push(part)
    else if (index === parts.length - 1) kept.push('')
  }
  return `/${kept.join('/')}${query}`
}
