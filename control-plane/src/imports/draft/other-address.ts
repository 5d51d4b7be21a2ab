/** A way in which a request names another host or address than that of its URL. */
export type AskedAddress =
  /** A Host header, or `:authority`. */
  | { by: 'host'; value: string }
  /** curl's `--resolve` or `--connect-to`. */
  | { by: 'resolve' | 'connect-to'; value: string }

/**
 * What an import does not take over of the addresses that a request names: its check connects to the host of its URL, and
 * names it, until a person sets another one (S-350).
 * One that says the same as the URL, or is for another URL, loses nothing.
 * @returns the problems, which name each
 */
export const otherAddresses = (url: URL, asked: readonly AskedAddress[]): string[] =>
  asked
    .filter((each) => isOther(url, each))
    .map(({ by, value }) => {
      const written = value.slice(0, 200)
      return by === 'host'
        ? `The header Host is ${written}, but the URL names ${url.host}. Remove the header, and enter it as Host header in the form of the check; or write the name in the URL.`
        : `--${by} ${written}: Remove the option, and enter the address as Connect to in the form of the check.`
    })

const isOther = (url: URL, { by, value }: AskedAddress): boolean => {
  if (by === 'host') return !isHostOf(url, value)
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  const [host, atPort, toHost, toPort] = colonParts(value.replace(/^[+-]/, ''))
  const isMeant = (text = '', own: string): boolean =>
    text === '' || text === '*' || text.toLowerCase() === own.toLowerCase()
  if (!isMeant(host, url.hostname) || !isMeant(atPort, port)) return false
  // a name that is removed from curl's cache has no other address
  if (by === 'resolve') return !value.startsWith('-')
  return !isMeant(toHost, url.hostname) || !isMeant(toPort, port)
}

/** Whether a Host header is the one that a client sends for the URL: its port is left out where it is the usual one. */
const isHostOf = (url: URL, value: string): boolean =>
  URL.parse(`${url.protocol}//${value.trim()}`)?.host === url.host && !/[/?#@\\]/.test(value)

/** The parts between colons; those of an IPv6 address in brackets belong to it. */
const colonParts = (text: string): string[] => {
  const parts: string[] = []
  for (const part of text.split(':')) {
    const last = parts.at(-1)
    if (last?.startsWith('[') === true && !last.endsWith(']')) parts[parts.length - 1] = `${last}:${part}`
    else parts.push(part)
  }
  return parts
}
